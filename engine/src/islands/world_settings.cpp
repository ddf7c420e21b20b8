// Which settings a world accepts.
#include "islands/world_settings.h"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bodies/tolerances.h"
#include "bodies/validation.h"
#include "substep/engine/automatic.h"

namespace substep {
namespace {

constexpr int kMostThreads = 256;
constexpr double kShortestLength = 1e-9; // m: below is no mechanics of solids, and speeds would be lost in rounding
constexpr double kLongestLength = 1e9;   // m

} // namespace

void detail::require_settings(const WorldSettings& settings) {
    require_finite("Gravity", settings.gravity);
    if (!(settings.length >= kShortestLength && settings.length <= kLongestLength)) {
        std::ostringstream sentence;
        sentence << "The length of the world is " << settings.length << " m; it must be from 1e-9 to 1e9 m.";
        throw std::invalid_argument(sentence.str());
    }
    validate_world_integrator(settings.integrator);
    if (settings.shared_budget < 0) {
        throw std::invalid_argument("The world's shared budget is " + std::to_string(settings.shared_budget) +
                                    "; it must be zero (no limit) or a number of evaluations times bodies.");
    }
    if (settings.bound < 0) {
        throw std::invalid_argument("The world's bound is " + std::to_string(settings.bound) +
                                    "; it must be zero (none) or a number of evaluations times bodies.");
    }
    require_positive("The linear speed below which bodies sleep", settings.sleep.linear_speed, "m/s");
    require_positive("The angular speed below which bodies sleep", settings.sleep.angular_speed, "rad/s");
    require_positive("The time until bodies sleep", settings.sleep.time, "s");
    if (settings.impulse_euler.joint_correction != JointCorrection::PositionProjection &&
        settings.impulse_euler.joint_correction != JointCorrection::Baumgarte) {
        throw std::invalid_argument("The joint correction is number " +
                                    std::to_string(static_cast<int>(settings.impulse_euler.joint_correction)) +
                                    "; it must be PositionProjection or Baumgarte.");
    }
    if (settings.threads < 1 || settings.threads > kMostThreads) {
        throw std::invalid_argument("The number of threads is " + std::to_string(settings.threads) +
                                    "; it must be from 1 to " + std::to_string(kMostThreads) + ".");
    }
}

// What falls over the world's length takes sqrt(length / gravity). Where gravity is what it usually is in metres, times
// go with the root of the length. Where it is that in lengths instead, the unit of length is no metre, and times are
// what they are in metres. Any other gravity counts as the nearer of the two (by their ratio): taken as it is, it would
// change what a world of 1 m decides by; and a weak one, beside which other forces move bodies, would stretch times at
// will. None says nothing of times.
detail::WorldScale detail::scale_of(const WorldSettings& settings) noexcept {
    const double gravity = glm::length(settings.gravity);
    const double between = kUsualGravity * std::sqrt(settings.length);
    const bool is_in_metres = settings.length < 1.0 ? gravity >= between : gravity > 0.0 && gravity <= between;
    return {settings.length, is_in_metres ? std::sqrt(settings.length) : 1.0};
}

SleepSettings detail::sleep_limits(const WorldSettings& settings) noexcept {
    const WorldScale scale = scale_of(settings);
    SleepSettings limits = settings.sleep;
    limits.linear_speed *= scale.speed();
    limits.angular_speed /= scale.time();
    limits.time *= scale.time();
    return limits;
}

std::string_view label(JointCorrection correction) noexcept {
    switch (correction) {
    case JointCorrection::PositionProjection:
        return "position projection (the class of Jolt)";
    case JointCorrection::Baumgarte:
        return "Baumgarte 0.2/h (the class of Bullet and ODE)";
    }
    return "unknown";
}

} // namespace substep
