// Hard limits and dry friction of joints in a velocity step: one impulse after the other, joints obeyed behind each.
#include <algorithm>
#include <cmath>

#include "island_layout.h"
#include "island_system.h"
#include "joint_coordinates.h"

namespace substep::detail {
namespace {

constexpr int kPositionTurns = 8;    // over the limits that are passed at the end
constexpr double kLargestTurn = 0.2; // rad, by one push: rows are those of the step's start
constexpr double kPassed = 1e-9;     // m: less is left to the next step
constexpr double kMargin = 2.0;      // of what a gap can close in a step: a drive may be stronger than gravity

} // namespace

// Dry friction always, limits as far as they can be reached.
void IslandSystem::find_step_stops(double t, double h) noexcept {
    step_stops_.clear();
    for (std::size_t i = contacts_.pairs(); i < contacts_.size(); ++i) {
        StepStop stop;
        stop.number = i;
        stop.row = contacts_[i].has_gap() ? 0 : 1;
        stop.place = contacts_.place(i, t, frames_, prepared_memory());
        stop.approach = -stop_rate(stop);
        const double falling = h * contact_gravity_ / contacts_[i].lever;
        const double reach = kMargin * h * (std::abs(stop.approach) + falling);
        if (!contacts_[i].has_gap() || stop.place.gap <= reach) {
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
    stop.impulse += impulse;
    std::ranges::fill(reactions_, Wrench{});
    const UnilateralConstraint& c = contacts_[stop.number];
    const ConstraintRow& row = stop.place.row[stop.row];
    for (std::size_t e = 0; e < 2; ++e) {
        if (c.end[e].body >= 0) {
            Wrench& wrench = reactions_[static_cast<std::size_t>(c.end[e].body)];
            const double x = e == 0 ? impulse : -impulse;
            wrench = {x * row.linear, x * row.angular[e]};
        }
    }
    add_reactions(y);
    prepare_velocities(y);
}

// Moves bodies back out of limits that are passed at the end, and closes the joints behind each: what the joints make
// of a push is what the next limit has to see. In turns: a push passes some of itself on to limits before it, and
// along a chain a single one let that grow until links went round.
bool IslandSystem::push_out_of_limits(double t, std::span<double> y) noexcept {
    for (int turn = 0; turn < kPositionTurns; ++turn) {
        bool any = false;
        for (const StepStop& stop : step_stops_) {
            const UnilateralConstraint& c = contacts_[stop.number];
            const double gap = c.has_gap() && stop.response > 0.0 ? contact_gap(stop.number, t, y) : 0.0;
            if (!(gap * c.lever < -kPassed)) {
                continue;
            }
            any = true;
            const double shift = is_turning(c.stop->axis) ? std::max(gap, -kLargestTurn) : gap;
            const ConstraintRow& row = stop.place.row[0];
            for (std::size_t e = 0; e < 2; ++e) {
                if (c.end[e].body >= 0) {
                    const auto i = static_cast<std::size_t>(c.end[e].body);
                    double* const p = y.data() + i * kNumbersPerBody;
                    const double depth = (e == 0 ? -shift : shift) / stop.response;
                    store(p + kPosition, load_vector(p + kPosition) + depth * frames_[i].inverse_mass * row.linear);
                    store(p + kOrientation, nudged(load_quaternion(p + kOrientation),
                                                   depth * (frames_[i].inverse_inertia * row.angular[e])));
                }
            }
            if (!close_joints(t, y)) {
                return false;
            }
            joints_.remember(trial_frames_, memory(y));
        }
        if (!any) {
            break;
        }
    }
    return true;
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
