// Mass, centre of mass and inertia, and how they follow from a shape.
#pragma once

#include "substep/collision/glm_types.h"
#include "substep/collision/shape.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Mass, centre of mass and inertia of a body.
struct MassProperties {
    double mass = 1.0;              ///< kg, positive
    glm::dvec3 centre_of_mass{0.0}; ///< m, in the body's frame
    glm::dmat3 inertia{1.0}; ///< kg m^2, about the centre of mass, in the body's axes; symmetric positive definite
};

/// Returns the mass properties of a homogeneous solid of that shape and mass (kg). Throws std::invalid_argument for
/// non-positive or non-finite sizes or mass. A plane has no mass of its own: its tensor is `mass` times 1 m^2.
MassProperties mass_properties(const Shape& shape, double mass);

/// Returns the volume (m^3) of a shape; infinity for a plane.
double volume(const Shape& shape) noexcept;

} // namespace substep

#pragma GCC visibility pop
