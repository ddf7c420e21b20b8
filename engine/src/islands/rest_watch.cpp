// Windows of slow time, and how fast bodies are and become.
#include "islands/rest_watch.h"

#include <algorithm>

#include "bodies/body_store.h"
#include "bodies/tolerances.h"

namespace substep::detail {
namespace {

// Part of the limits: slower motion is rounding.
constexpr double kNoise = 1e-9;

glm::dvec3 turning(const BodyRecord& body, const BodyState& state, const glm::dvec3& L) noexcept {
    return angular_velocity(normalised(state.q), body.inertia.inverse_moments, L);
}

} // namespace

bool RestWatch::note_step(double dt, double speed, double window) noexcept {
    if (!(speed <= 1.0)) {
        restart_window();
        return false;
    }
    if (slow_time_ == 0.0) {
        speed_when_slow_began_ = speed;
    }
    slow_time_ += dt;
    if (slow_time_ < window) {
        return false;
    }
    if (speed <= std::max(speed_when_slow_began_, kNoise)) {
        return true;
    }
    restart_window();
    return false;
}

void RestWatch::decide(double acceleration, double foresight) noexcept {
    if (acceleration * foresight <= 1.0) {
        asleep_ = true;
    } else {
        restart_window();
    }
}

bool RestWatch::restore(bool asleep, double slow_time, double speed_when_slow_began) noexcept {
    if (!(slow_time >= 0.0 && speed_when_slow_began >= 0.0)) {
        return false;
    }
    asleep_ = asleep;
    slow_time_ = slow_time;
    speed_when_slow_began_ = speed_when_slow_began;
    return true;
}

double larger_in_limits(double so_far, const Twist& motion, const SleepSettings& limits) noexcept {
    return std::max(
        {so_far, glm::length(motion.linear) / limits.linear_speed, glm::length(motion.angular) / limits.angular_speed});
}

double fastest_speed(const Model& model, std::span<const BodyId> bodies, const SleepSettings& limits) noexcept {
    double fastest = 0.0;
    for (const BodyId id : bodies) {
        const Twist velocity = velocity_of(model.bodies[id], model.time.now());
        fastest = larger_in_limits(fastest, velocity, limits);
    }
    return fastest;
}

// omega' = I^-1 (L' - omega x L)
Twist acceleration_of(const BodyRecord& body, const BodyState& rate) noexcept {
    const glm::dvec3 omega = turning(body, body.now, body.now.L);
    return {rate.v, turning(body, body.now, rate.L - glm::cross(omega, body.now.L))};
}

Twist acceleration_over_step(const BodyRecord& body, double dt) noexcept {
    const BodyState& begin = body.step_begin;
    const BodyState& end = body.step_end;
    return {(end.v - begin.v) / dt, (turning(body, end, end.L) - turning(body, begin, begin.L)) / dt};
}

} // namespace substep::detail
