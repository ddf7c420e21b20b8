// The speed below which a slip counts as none.
#pragma once

#include <cstddef>

#include <glm/vec2.hpp>

#include "bodies/world_scale.h"
#include "contact/contact_solver.h"

namespace substep::detail {

/// A slip that friction brings to rest within a fifth of the resolution counts as none, and turns smoothly.
struct FrictionThreshold {
    double length = 1e-8; ///< m, the resolution
    double gravity = 9.8; ///< m/s^2, that presses contacts together
    WorldScale scale;     ///< of the world

    /// Speed (m/s) below which a slip between two surfaces counts as none: it comes to rest within v^2 / (2 mu g).
    double speed(const SurfacePair& surface) const noexcept;
    /// The same of a contact of bodies. A slip that passes by rest counts
    /// down to a speed at which its direction is not seen within a second.
    double speed(const UnilateralConstraint& contact) const noexcept;
    /// Speed (m/s, or that of a joint's coordinate) below which the slip of an involved constraint counts as none: it
    /// comes to rest within v^2 / (2 mu g), or v^2 / (2 F w) in a joint.
    double speed(const ContactSolver& contacts, std::size_t involved) const noexcept;

    /// Sine of the angle about the normal n by which the friction of a contact of bodies, at a slip (m/s), is turned
    /// from the direction that the contact remembers.
    double turn(const UnilateralConstraint& contact, const glm::dvec3& n, const glm::dvec3& slip) const noexcept;

    /// Direction of the slip along the two tangents; friction acts against it. Past the point of rest (stages and dense
    /// output go there) it is the direction from before, so that the derivative stays smooth; slips too slow to matter
    /// turn smoothly too.
    glm::dvec2 direction(const ContactSolver& contacts, std::size_t involved, const glm::dvec2& slip) const noexcept;
};

} // namespace substep::detail
