// What the built-in scenes recommend: all of them are smooth, so they run ahead of the frame at a tolerance.
#pragma once

#include "substep/engine/world.h"

namespace substep::detail {

/// m/s^2, the value of every published figure that the scenes reproduce.
inline constexpr double kGravity = 9.8;

/// cash_karp54 with atol = `tolerance` metres and rtol = `tolerance`, reading frames from its dense output.
inline WorldSettings smooth_settings(double tolerance) {
    WorldSettings settings;
    settings.gravity = {0.0, -kGravity, 0.0};
    settings.integrator.method = "cash_karp54";
    settings.integrator.atol = tolerance;
    settings.integrator.rtol = tolerance;
    settings.integrator.boundary = Boundary::RunAhead;
    return settings;
}

} // namespace substep::detail
