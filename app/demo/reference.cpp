// What a scene is measured against once no exact solution applies: a run of its own, of which the error is known.
#include "reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

namespace substep {

namespace {

World with_tolerance(const World& from, double tolerance) {
    World world = from.clone();
    WorldSettings settings = world.settings();
    settings.integrator = {};
    settings.integrator.method = "dormand_prince853";
    settings.integrator.atol = settings.integrator.rtol = tolerance;
    settings.integrator.boundary = Boundary::RunAhead;
    settings.integrator.budget = Reference::kBudget;
    settings.energy_ledger = false;
    settings.shared_budget = 0;
    settings.sleep = {};
    world.set_settings(settings);
    return world;
}

} // namespace

double distance(const World& a, const World& b, const Yardstick& yardstick) {
    double largest = 0.0;
    for (const BodyId id : a.bodies()) {
        if (!b.is_valid(id)) continue;
        const Body one = a.body(id);
        const Body other = b.body(id);
        double apart = glm::length(one.centre_of_mass() - other.centre_of_mass());
        if (yardstick.is_angle) {
            const glm::dquat turn = one.pose().orientation * glm::conjugate(other.pose().orientation);
            const double angle = 2.0 * std::atan2(glm::length(glm::dvec3(turn.x, turn.y, turn.z)), std::abs(turn.w));
            apart = std::max(apart / yardstick.lever, angle);
        }
        if (!(apart <= largest)) largest = apart; // what is not a number stays
        if (std::isnan(largest)) return largest;
    }
    return largest;
}

Reference::Reference(const World& from, const Yardstick& yardstick, double limit, ForceFieldId spring)
    : Reference(run_of(from, kTolerance, spring), run_of(from, kCheckTolerance, spring), yardstick, limit) {
    if (from.bodies().size() > kMostBodies) {
        begin_ = from.time();
        end_ = "there is none of more than " + std::to_string(kMostBodies) + " bodies, for chaos would eat it at once";
    }
}

Reference::Run Reference::run_of(const World& from, double tolerance, ForceFieldId spring) {
    if (from.bodies().size() > kMostBodies) return {World(), {}};
    return {with_tolerance(from, tolerance), spring};
}

Reference::Reference(Run fine, Run check, const Yardstick& yardstick, double limit)
    : fine_(std::move(fine)), check_(std::move(check)), yardstick_(yardstick), limit_(limit),
      begin_(fine_.world.time()) {}

Reference Reference::clone() const {
    Reference copy({fine_.world.clone(), fine_.spring}, {check_.world.clone(), check_.spring}, yardstick_, limit_);
    copy.begin_ = begin_;
    copy.own_error_ = own_error_;
    copy.end_ = end_;
    return copy;
}

void Reference::for_both(const std::function<void(Run&)>& change) {
    if (has_ended()) return;
    try {
        change(fine_);
        change(check_);
    } catch (const std::exception& error) {
        end_ = std::string("The reference could not follow: ") + error.what();
    }
}

void Reference::edit(const std::function<void(World&)>& edit) {
    for_both([&](Run& run) { edit(run.world); });
}

void Reference::pull(std::function<std::unique_ptr<ForceField>()> make) {
    for_both([&](Run& run) {
        const bool present = run.spring != ForceFieldId{} && run.world.is_valid(run.spring);
        if (!make) {
            if (present) run.world.remove_force_field(run.spring);
            run.spring = {};
        } else if (present) {
            run.world.set_force_field(run.spring, make());
        } else {
            run.spring = run.world.add_force_field(make());
        }
    });
}

bool Reference::advance(double dt, const std::atomic<bool>* interrupt) {
    if (has_ended()) return true;
    std::array<StepReport, 2> reports;
    std::size_t made = 0;
    for (World* world : {&fine_.world, &check_.world}) {
        world->set_interrupt(interrupt);
        reports[made] = world->advance(dt);
        world->set_interrupt(nullptr);
        if (reports[made++].status == StepStatus::Interrupted) return false;
    }
    for (const StepReport& report : reports) {
        if (report.status == StepStatus::ReachedTarget && !report.degraded) continue;
        if (report.status == StepStatus::BudgetExhausted || report.evaluations >= kBudget / 2) {
            end_ = "this motion is too fast for it: a frame would take more than " + std::to_string(kBudget) +
                   " evaluations";
        } else {
            end_ = report.status == StepStatus::ReachedTarget
                       ? "its step lost accuracy"
                       : "its step failed: " + std::string(to_string(report.status));
            std::string_view why = report.message;
            if (why.ends_with('.')) why.remove_suffix(1); // who shows it ends the sentence
            if (!why.empty()) end_ += ". " + std::string(why);
        }
        return true;
    }
    own_error_ = distance(fine_.world, check_.world, yardstick_);
    if (!(own_error_ <= limit_)) {
        std::array<char, 160> text{};
        std::snprintf(text.data(), text.size(), "chaos has eaten it: its runs at %.0e and %.0e are %.2g %s apart",
                      kTolerance, kCheckTolerance, own_error_, yardstick_.unit());
        end_ = text.data();
    }
    return true;
}

double Reference::error_of(const World& other) const {
    return has_ended() ? std::numeric_limits<double>::quiet_NaN() : distance(fine_.world, other, yardstick_);
}

void Reference::restore(const WorldSnapshot& fine, const WorldSnapshot& check) {
    fine_.world.restore(fine);
    check_.world.restore(check);
}

} // namespace substep
