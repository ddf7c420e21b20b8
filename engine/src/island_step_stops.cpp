// Hard limits and dry friction of joints in a velocity step: all at once as one cone problem, joints obeyed behind it.
#include <algorithm>
#include <cmath>

#include "island_layout.h"
#include "island_system.h"
#include "joint_coordinates.h"

namespace substep::detail {
namespace {

constexpr int kPositionTurns = 8;    // until no limit is passed at the end
constexpr double kLargestTurn = 0.2; // rad, of any body in one of them: rows are those where it begins
constexpr double kPassed = 1e-9;     // m: less is left to the next step
constexpr double kMargin = 2.0;      // of what a gap can close in a step: a drive may be stronger than gravity

} // namespace

// Dry friction always, and limits: all where they are solved at once, for an impulse at one may throw its body against
// another within the step, else as far as they can be reached.
void IslandSystem::find_step_stops(double t, double h) noexcept {
    step_stops_.clear();
    const bool all = contacts_.size() - contacts_.pairs() <= kMostSolved;
    for (std::size_t i = contacts_.pairs(); i < contacts_.size(); ++i) {
        StepStop stop;
        stop.number = i;
        stop.row = contacts_[i].has_gap() ? 0 : 1;
        stop.place = contacts_.place(i, t, frames_, prepared_memory());
        stop.approach = -stop_rate(stop);
        const double falling = h * contact_gravity_ / contacts_[i].lever;
        const double reach = kMargin * h * (std::abs(stop.approach) + falling);
        if (all || !contacts_[i].has_gap() || stop.place.gap <= reach) {
            step_stops_.push_back(stop);
        }
    }
}

double IslandSystem::stop_rate(const StepStop& stop) const noexcept {
    const UnilateralConstraint& c = contacts_[stop.number];
    return stop.place.row[stop.row].rate(contacts_.velocity_of(c.end[0], velocities_),
                                         contacts_.velocity_of(c.end[1], velocities_));
}

// Each row answers as the joints let it.
void IslandSystem::prepare_step_stops() noexcept {
    for (StepStop& stop : step_stops_) {
        const UnilateralConstraint& c = contacts_[stop.number];
        stop.place = contacts_.place(stop.number, places_t_, frames_, prepared_memory());
        stop.approach = -stop_rate(stop);
        const ConstraintRow& row = stop.place.row[stop.row];
        const std::array<Twist, 2> jacobian{Twist{-row.linear, -row.angular[1]}, Twist{row.linear, row.angular[0]}};
        stop.response = actuators_.inverse_inertia(c.stop->joint.body, jacobian, frames_, joints_);
        stop.impulse = 0.0;
    }
}

// Returns the change of a stop's impulse that its law asks for at the velocities now: limits let close what is
// allowed; friction stops what it can within the step.
double IslandSystem::stop_change(const StepStop& stop, double h) const noexcept {
    const UnilateralConstraint& c = contacts_[stop.number];
    if (!(stop.response > 0.0)) {
        return 0.0;
    }
    const double rate = stop_rate(stop);
    if (c.kind == ConstraintKind::Friction) {
        const double most = h * c.stop->bound;
        return std::clamp(stop.impulse - rate / stop.response, -most, most) - stop.impulse;
    }
    return std::max(0.0, stop.impulse - (rate + stop.allowed) / stop.response) - stop.impulse;
}

void IslandSystem::push_stop(StepStop& stop, double impulse, std::span<double> y) noexcept {
    std::ranges::fill(reactions_, Wrench{});
    add_impulse(stop, impulse);
    add_reactions(y);
    prepare_velocities(y);
}

void IslandSystem::add_impulse(StepStop& stop, double impulse) noexcept {
    stop.impulse += impulse;
    const UnilateralConstraint& c = contacts_[stop.number];
    const ConstraintRow& row = stop.place.row[stop.row];
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].body >= 0) {
            Wrench& wrench = reactions_[static_cast<std::size_t>(c.end[e].body)];
            const double x = e == 0 ? impulse : -impulse;
            wrench.force += x * row.linear;
            wrench.torque += x * row.angular[e];
        }
    }
}

// All impulses at once, where they are not too many: along chains, and where masses differ, one after the other comes
// to no end. Returns true if it gave impulses: then the joints are left for the caller to make obeyed.
bool IslandSystem::solve_step_stops(double h, std::span<double> y) noexcept {
    if (step_stops_.empty() || step_stops_.size() > kMostSolved) {
        return false;
    }
    touching_.clear();
    for (const StepStop& stop : step_stops_) {
        touching_.push_back(static_cast<int>(stop.number));
    }
    contacts_.involve(touching_);
    contacts_.linearise(places_t_, frames_, prepared_memory(), joints_);
    places_ready_ = false; // others are involved than those in contact
    forget_held();
    ConeProblem& problem = contacts_.problem();
    const auto row_of = [](std::size_t k, const StepStop& stop) { return static_cast<int>(3 * k + stop.row); };
    for (std::size_t k = 0; k < step_stops_.size(); ++k) {
        const StepStop& stop = step_stops_[k];
        const int i = static_cast<int>(k);
        const int own = row_of(k, stop);
        const double rate = stop_rate(stop);
        problem.b(3 * i) = problem.b(3 * i + 1) = problem.b(3 * i + 2) = 0.0;
        problem.b(own) = rate + stop.allowed;
        for (std::size_t l = 0; l < step_stops_.size(); ++l) { // as it would be without the impulses given already
            problem.b(own) -= problem.a(own, row_of(l, step_stops_[l])) * step_stops_[l].impulse;
        }
        const bool rubs = problem.kind(i) == ConstraintKind::Friction;
        problem.law(i) = {};
        problem.mode(i) = rubs ? ContactMode::Stick : problem.b(own) < 0.0 ? ContactMode::Slide : ContactMode::Separate;
        if (rubs) {
            problem.b(own) -= stop.allowed;
            problem.law(i) = {.friction = 1.0,
                              .static_friction = 1.0,
                              .direction = glm::dvec2(rate < 0.0 ? -1.0 : 1.0, 0.0),
                              .load = h * contacts_[stop.number].stop->bound};
        }
    }
    const bool solved = problem.solve();
    if (solved) {
        std::ranges::fill(reactions_, Wrench{});
        for (std::size_t k = 0; k < step_stops_.size(); ++k) {
            StepStop& stop = step_stops_[k];
            add_impulse(stop, problem.x(row_of(k, stop)) - stop.impulse);
        }
        add_reactions(y);
        prepare_velocities(y);
    }
    contacts_.involve({});
    return solved;
}

// Moves bodies back out of limits that are passed at the end, all limits at once and as the joints let them: the
// displacement M^-1 (R^T x + J^T lambda) with gap + A x >= 0, x >= 0, which opens no joint to first order; the joints
// are closed behind it. One limit after the other would pass most of each push on to the next one, and by a body's own
// mass alone a light link that carries a heavy load would be turned by their ratio times the gap.
bool IslandSystem::push_out_of_limits(double t, std::span<double> y) noexcept {
    bool pushed = false;
    bool closed = true;
    for (int turn = 0; turn < kPositionTurns && closed && find_passed(t, y); ++turn) {
        pushed = true;
        prepare_places(t, y);
        contacts_.involve(touching_);
        contacts_.linearise(t, frames_, prepared_memory(), joints_);
        ConeProblem& problem = contacts_.problem();
        for (int i = 0; i < problem.size(); ++i) {
            const double gap = contacts_.involved_place(static_cast<std::size_t>(i)).gap;
            problem.b(3 * i) = gap;
            problem.b(3 * i + 1) = problem.b(3 * i + 2) = 0.0;
            problem.law(i) = {};
            problem.mode(i) = gap < 0.0 ? ContactMode::Slide : ContactMode::Separate;
        }
        if (!problem.solve()) {
            break; // left to the next step
        }
        std::ranges::fill(reactions_, Wrench{});
        std::ranges::fill(lambda_, 0.0);
        contacts_.add_joint_reactions(lambda_);
        joints_.add_forces(lambda_, reactions_);
        contacts_.add_forces(reactions_);
        double largest = 0.0; // rad
        for (std::size_t i = 0; i < body_count(); ++i) {
            largest = std::max(largest, glm::length(frames_[i].inverse_inertia * reactions_[i].torque));
        }
        const double part = largest > kLargestTurn ? kLargestTurn / largest : 1.0;
        for (std::size_t i = 0; i < body_count(); ++i) {
            double* const p = y.data() + i * kNumbersPerBody;
            store(p + kPosition, load_vector(p + kPosition) + part * inertias_[i].inverse_mass * reactions_[i].force);
            store(p + kOrientation, turned(load_quaternion(p + kOrientation),
                                           part * (frames_[i].inverse_inertia * reactions_[i].torque)));
        }
        closed = close_joints(t, y);
        joints_.remember(trial_frames_, memory(y));
    }
    if (pushed) {
        contacts_.involve({});
        places_ready_ = false;
        forget_held();
    }
    return closed;
}

// Lists the limits of joints if any is passed; of too many those that are passed most. Returns false if none is.
bool IslandSystem::find_passed(double t, std::span<const double> y) noexcept {
    touching_.clear();
    double deepest = 0.0;
    double highest = 0.0; // gap of those listed
    for (const StepStop& stop : step_stops_) {
        const UnilateralConstraint& c = contacts_[stop.number];
        if (!c.has_gap() || !(stop.response > 0.0)) {
            continue;
        }
        const double gap = c.lever * contact_gap(stop.number, t, y);
        deepest = std::min(deepest, gap);
        const auto number = static_cast<int>(stop.number);
        const auto gap_of = [&](int other) {
            const auto i = static_cast<std::size_t>(other);
            return contacts_[i].lever * contact_gap(i, t, y);
        };
        if (touching_.size() < kMostSolved) {
            touching_.push_back(number);
            highest = std::max(touching_.size() == 1 ? gap : highest, gap);
        } else if (gap < highest) {
            touching_.erase(std::ranges::max_element(touching_, {}, gap_of)); // in the order of their numbers
            touching_.push_back(number);
            highest = gap_of(*std::ranges::max_element(touching_, {}, gap_of));
        }
    }
    return deepest < -kPassed;
}

// The forces that reports read.
void IslandSystem::keep_stop_forces(double h) noexcept {
    for (std::size_t i = contacts_.pairs(); i < contacts_.size(); ++i) {
        contacts_[i].memory.force = glm::dvec3(0.0);
    }
    for (const StepStop& stop : step_stops_) {
        contacts_[stop.number].memory.force.x = stop.impulse / h;
    }
}

} // namespace substep::detail
