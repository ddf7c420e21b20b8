// Mass, centre of mass and inertia, and how they follow from a shape.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "substep/collision/convex_hull.h"
#include "substep/collision/glm_types.h"
#include "substep/collision/shape.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Mass, centre of mass and inertia of a body.
struct MassProperties {
    double mass = 1.0;              ///< kg, positive
    glm::dvec3 centre_of_mass{0.0}; ///< m, in the body's frame
    /// kg m^2, about the centre of mass, in the body's axes; symmetric positive definite. Moments on the diagonal may
    /// be infinite, beside zeros in their row and column: a body does not turn about such an axis, and torques about it
    /// move nothing. `moved` and `sum_of` take finite ones.
    glm::dmat3 inertia{1.0};
};

/// Returns the mass properties of a homogeneous solid of that shape and mass (kg). Throws std::invalid_argument for
/// non-positive or non-finite sizes or mass, and for a hull that is missing. A plane has no mass of its own: its tensor
/// is `mass` times 1 m^2. A rectangle's is that of a thin plate.
MassProperties mass_properties(const Shape& shape, double mass);

/// Returns the volume (m^3) of a shape; infinity for a plane, 0 for a rectangle.
double volume(const Shape& shape) noexcept;

/// As above, of a hull. Its centre of mass is anywhere, and its inertia has products.
MassProperties mass_properties(const ConvexHull& hull, double mass);
double volume(const ConvexHull& hull) noexcept;

/// Returns the mass properties of what a closed surface of triangles holds: vertices (m), and their numbers in each
/// triangle, counter-clockwise as seen from outside. Throws std::invalid_argument for a surface with a border, for one
/// inside out and for vertices that are not finite.
MassProperties mass_properties(std::span<const glm::dvec3> vertices,
                               std::span<const std::array<std::uint32_t, 3>> triangles, double mass);

/// Returns the mass properties in another frame, in which their own has that position (m) and orientation.
MassProperties moved(const MassProperties& properties, const glm::dvec3& position, const glm::dquat& orientation);

/// Returns the mass properties of parts together, one or more, in their common frame.
MassProperties sum_of(std::span<const MassProperties> parts);

} // namespace substep

#pragma GCC visibility pop
