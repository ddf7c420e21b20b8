// Windows of slow time, and how fast bodies are and become.
#include "islands/rest_watch.h"

#include <algorithm>

#include "bodies/body_store.h"
#include "bodies/tolerances.h"

namespace substep::detail {
namespace {

// Part of the limits: slower motion is rounding.
constexpr double kNoise = 1e-9;
// Of the limits; and of the speed of the first window, for trembling is not regular: what is no faster moves alike.
constexpr double kHardly = 0.1;
constexpr double kAsFast = 2.0;
// What is no faster than s through a time T does not accelerate by more than this times s / T where that ends, if it
// goes one way, from -s to s, or swings through one half of a period: V w cos(w T / 2) where V sin(w T / 2) is s.
constexpr double kOneWay = 2.0;

glm::dvec3 turning(const BodyRecord& body, const BodyState& state, const glm::dvec3& L) noexcept {
    return angular_velocity(normalised(state.q), body.inertia.inverse_moments, L);
}

} // namespace

bool RestWatch::note_step(double dt, double speed, double window, bool may_tremble) noexcept {
    if (!(speed <= 1.0)) {
        restart_window();
        return false;
    }
    if (slow_time_ == 0.0) {
        speed_when_slow_began_ = speed;
    }
    slow_time_ += dt;
    note_alike(dt, speed, window, may_tremble);
    if (slow_time_ < window) {
        return false;
    }
    if (speed <= std::max(speed_when_slow_began_, kNoise)) {
        return true;
    }
    slow_time_ = 0.0;
    return false;
}

double RestWatch::fastest_alike() const noexcept { return std::max(kAsFast * fastest_at_first_, kHardly); }

void RestWatch::note_alike(double dt, double speed, double window, bool may_tremble) noexcept {
    const bool is_faster = alike_time_ >= window && speed > fastest_alike();
    if (!may_tremble || is_faster) {
        alike_time_ = fastest_at_first_ = 0.0;
    }
    if (may_tremble) {
        fastest_at_first_ = alike_time_ < window ? std::max(fastest_at_first_, speed) : fastest_at_first_;
        alike_time_ += dt;
    }
}

bool RestWatch::trembles(double acceleration, double least) const noexcept {
    return alike_time_ >= least && acceleration * alike_time_ > kOneWay * fastest_alike();
}

void RestWatch::decide(double acceleration, double foresight) noexcept {
    if (acceleration * foresight <= 1.0) {
        asleep_ = true;
    } else {
        slow_time_ = 0.0;
    }
}

bool RestWatch::restore(bool asleep, double slow_time, double speed_when_slow_began, double alike_time,
                        double fastest_at_first) noexcept {
    if (!(slow_time >= 0.0 && speed_when_slow_began >= 0.0 && alike_time >= 0.0 && fastest_at_first >= 0.0)) {
        return false;
    }
    asleep_ = asleep;
    slow_time_ = slow_time;
    speed_when_slow_began_ = speed_when_slow_began;
    alike_time_ = alike_time;
    fastest_at_first_ = fastest_at_first;
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
