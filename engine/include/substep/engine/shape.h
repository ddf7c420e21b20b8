// Geometry of a body: its mass, its picture and its contacts follow from it.
#pragma once

#include <variant>

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

namespace substep {

struct Sphere {
    double radius = 0.5; ///< m
};

struct Box {
    glm::dvec3 half_sizes{0.5}; ///< m, along the body's x, y, z
};

/// A cylinder with hemispherical ends, along the body's y.
struct Capsule {
    double radius = 0.25;      ///< m
    double half_length = 0.25; ///< m, of the cylindrical part
};

/// A solid cylinder along the body's y.
struct Cylinder {
    double radius = 0.25;     ///< m
    double half_length = 0.5; ///< m
};

/// A thin uniform rod along the body's x. Its inertia about that axis is that of a solid cylinder of `radius`, which
/// keeps the tensor regular.
struct Rod {
    double length = 1.0;  ///< m
    double radius = 0.01; ///< m
};

/// The half space below the body's local y = 0, without end. For static and kinematic bodies only.
struct Plane {};

/// A shape centred at the body's origin. Pairs that collide: sphere and plane, sphere and sphere; all others pass
/// through one another.
using Shape = std::variant<Sphere, Box, Capsule, Cylinder, Rod, Plane>;

/// Mass, centre of mass and inertia of a body.
struct MassProperties {
    double mass = 1.0;              ///< kg, positive
    glm::dvec3 centre_of_mass{0.0}; ///< m, in the body's frame
    glm::dmat3 inertia{1.0}; ///< kg m^2, about the centre of mass, in the body's axes; symmetric positive definite
};

/// Returns the mass properties of a homogeneous solid of that shape and mass (kg). Throws std::invalid_argument for
/// non-positive or non-finite sizes or mass. A plane has no mass of its own: its tensor is `mass` times 1 m^2.
MassProperties mass_properties(const Shape& shape, double mass);

} // namespace substep
