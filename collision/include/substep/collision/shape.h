// Geometry of a body: its mass, its picture and its contacts follow from it. Lengths are halves, from the centre on.
#pragma once

#include <variant>

#include "substep/collision/glm_types.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

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
/// keeps the tensor regular. The joint that keeps two points at a distance is `rod`.
struct ThinRod {
    double half_length = 0.5; ///< m
    double radius = 0.01;     ///< m
};

/// The half space below the body's local y = 0, without end. For static and kinematic bodies only.
struct Plane {};

/// A shape centred at the body's origin. Any two collide, but two planes.
using Shape = std::variant<Sphere, Box, Capsule, Cylinder, ThinRod, Plane>;

/// Returns whether a shape has an end in every direction; a plane has none. A shape without end has no mass either: its
/// body cannot be dynamic.
bool is_bounded(const Shape& shape) noexcept;

/// Returns the radius (m) of the smallest ball about its own centre that holds a shape; infinity for one without end.
double bounding_radius(const Shape& shape) noexcept;

} // namespace substep

#pragma GCC visibility pop
