// Which settings a world accepts.
#include "islands/world_settings.h"

#include <stdexcept>
#include <string>

#include "bodies/validation.h"
#include "substep/engine/automatic.h"

namespace substep {
namespace {

constexpr int kMostThreads = 256;

} // namespace

void detail::require_settings(const WorldSettings& settings) {
    require_finite("Gravity", settings.gravity);
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
