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
    : fine_(run_of(from, kTolerance)),
      check_(run_of(from, kCheckTolerance)), notes_{yardstick, limit, from.time(), 0.0, {}, spring, spring} {
    if (from.bodies().size() > kMostBodies) {
        notes_.end =
            "there is none of more than " + std::to_string(kMostBodies) + " bodies, for chaos would eat it at once";
    }
}

World Reference::run_of(const World& from, double tolerance) {
    return from.bodies().size() > kMostBodies ? World() : with_tolerance(from, tolerance);
}

Reference::Reference(const Saved& saved) : fine_(saved.fine), check_(saved.check), notes_(saved.notes) {}

Reference::Saved Reference::save() const { return {fine_.snapshot(), check_.snapshot(), notes_}; }

void Reference::restore(const Saved& saved) {
    fine_.restore(saved.fine);
    check_.restore(saved.check);
}

void Reference::for_both(const std::function<void(World&, ForceFieldId& spring)>& change) {
    if (has_ended()) return;
    try {
        change(fine_, notes_.spring_of_fine);
        change(check_, notes_.spring_of_check);
    } catch (const std::exception& error) {
        notes_.end = std::string("The reference could not follow: ") + error.what();
    }
}

void Reference::edit(const std::function<void(World&)>& edit) {
    for_both([&](World& run, ForceFieldId&) { edit(run); });
}

void Reference::pull(std::function<std::unique_ptr<ForceField>()> make) {
    for_both([&](World& run, ForceFieldId& spring) {
        const bool present = spring != ForceFieldId{} && run.is_valid(spring);
        if (!make) {
            if (present) run.remove_force_field(spring);
            spring = {};
        } else if (present) {
            run.set_force_field(spring, make());
        } else {
            spring = run.add_force_field(make());
        }
    });
}

bool Reference::advance(double dt, const std::atomic<bool>* interrupt) {
    if (has_ended()) return true;
    std::array<StepReport, 2> reports;
    std::size_t made = 0;
    for (World* world : {&fine_, &check_}) {
        world->set_interrupt(interrupt);
        reports[made] = world->advance(dt);
        world->set_interrupt(nullptr);
        if (reports[made++].status == StepStatus::Interrupted) return false;
    }
    for (const StepReport& report : reports) {
        if (report.status == StepStatus::ReachedTarget && !report.degraded) continue;
        if (report.status == StepStatus::BudgetExhausted || report.evaluations >= kBudget / 2) {
            notes_.end = "this motion is too fast for it: a frame would take more than " + std::to_string(kBudget) +
                         " evaluations";
        } else {
            notes_.end = report.status == StepStatus::ReachedTarget
                             ? "its step lost accuracy"
                             : "its step failed: " + std::string(to_string(report.status));
            std::string_view why = report.message;
            if (why.ends_with('.')) why.remove_suffix(1); // who shows it ends the sentence
            if (!why.empty()) notes_.end += ". " + std::string(why);
        }
        return true;
    }
    notes_.own_error = distance(fine_, check_, notes_.yardstick);
    if (!(notes_.own_error <= notes_.limit)) {
        std::array<char, 160> text{};
        std::snprintf(text.data(), text.size(), "chaos has eaten it: its runs at %.0e and %.0e are %.2g %s apart",
                      kTolerance, kCheckTolerance, notes_.own_error, notes_.yardstick.unit());
        notes_.end = text.data();
    }
    return true;
}

double Reference::error_of(const World& other) const {
    return has_ended() ? std::numeric_limits<double>::quiet_NaN() : distance(fine_, other, notes_.yardstick);
}

} // namespace substep
