// How slow a slip is as good as none.
#pragma once

#include <cstddef>

#include <glm/vec2.hpp>

#include "contact/contact_solver.h"

namespace substep::detail {

/// Below the speed that friction stops within a fifth of the resolution, slip counts as stopped, and turns smoothly.
struct FrictionThreshold {
    double length = 1e-8; ///< m, below which nobody looks
    double gravity = 9.8; ///< m/s^2, that presses contacts together

    /// Speed (m/s, or that of a joint's coordinate) below which the slip of an involved constraint counts as stopped:
    /// v^2 / (2 mu g), or v^2 / (2 F w) in a joint, is the way to its stop.
    double speed(const ContactSolver& contacts, std::size_t involved) const noexcept;

    /// Direction along the two tangents that friction acts against: that of the slip. Past a stop (stages and dense
    /// output go there) it is that of before, so that the derivative stays smooth; and slips too slow to matter turn
    /// smoothly too.
    glm::dvec2 direction(const ContactSolver& contacts, std::size_t involved, const glm::dvec2& slip) const noexcept;
};

} // namespace substep::detail
