// Accelerations become derivatives.
#include "contact_modes/island_derivative.h"
#include "bodies/tolerances.h"

#include <limits>

namespace substep::detail {

void IslandDerivative::evaluate(double t, std::span<const double> y, std::span<double> dydt) noexcept {
    if (!accelerations_->solve(t, y)) {
        // There are no forces here; a NaN makes the step fail. Short enough steps find the guard before this; others
        // end where they began.
        regime_->meet_painleve_guard();
        accelerations_->wrenches()[0].force.x = std::numeric_limits<double>::quiet_NaN();
    }
    if (!c_->contacts().involved().empty()) {
        held_->keep(t, y, revision_);
    }
    works_->write_rates(accelerations_->multipliers(), accelerations_->wrenches(), dydt);

    const BodyFrames& bodies = c_->bodies();
    const std::span<const Wrench> wrenches = accelerations_->wrenches();
    for (std::size_t i = 0; i < c_->body_count(); ++i) {
        const double* const from = y.data() + i * kNumbersPerBody;
        double* const to = dydt.data() + i * kNumbersPerBody;
        const glm::dquat q = load_quaternion(from + kOrientation);
        const Twist& velocity = bodies.velocities()[i];
        store(to + kPosition, velocity.linear);                                    // x' = v
        store(to + kOrientation, turn_rate(velocity.angular, q));                  // q' = 1/2 omega q
        store(to + kVelocity, wrenches[i].force * bodies.inertia(i).inverse_mass); // v' = F / m
        store(to + kMomentum, bodies.felt_torque(i, wrenches[i].torque));          // L' = tau
    }
    if (c_->memory_count() > 0) {
        c_->joints().memory_rates(bodies.velocities(), c_->memory(dydt));
    }
}

// A switch that is as good as zero takes the side where it will be a moment later.
bool IslandDerivative::find_actuator_sides(double t, std::span<const double> y) noexcept {
    JointActuators& actuators = accelerations_->actuators();
    const BodyFrames& bodies = c_->bodies();
    if (actuators.event_count() == 0) {
        return false;
    }
    c_->place_and_move(t, y);
    bool changed = actuators.find_sides(bodies.frames(), bodies.velocities(), bodies.memory(), c_->joints());
    if (actuators.any_at_zero()) {
        const double moment = kMoment * c_->scale().time();
        evaluate(t, y, state_ahead_);
        for (std::size_t i = 0; i < state_ahead_.size(); ++i) {
            state_ahead_[i] = y[i] + moment * state_ahead_[i];
        }
        c_->place_and_move(t + moment, state_ahead_);
        changed |= actuators.find_sides_at_zero(bodies.frames(), bodies.velocities(), bodies.memory(), c_->joints());
    }
    if (changed) {
        held_->forget();
    }
    return changed;
}

} // namespace substep::detail
