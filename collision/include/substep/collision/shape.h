// Geometry of a body: its mass, its picture and its contacts follow from it. Lengths are halves, from the centre on.
#pragma once

#include <memory>
#include <variant>

#include "substep/collision/convex_hull.h"
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

/// The hull of two balls about y = -half_length and y = half_length of the body: a capsule with two radii.
struct TaperedCapsule {
    double radius_bottom = 0.25; ///< m
    double radius_top = 0.25;    ///< m
    double half_length = 0.25;   ///< m, between the balls' centres
};

/// A solid cylinder along the body's y with two radii, one of which may be zero: a cone, then. Its centre of mass is
/// nearer to the wider end.
struct TaperedCylinder {
    double radius_bottom = 0.25; ///< m, at y = -half_length
    double radius_top = 0.25;    ///< m
    double half_length = 0.5;    ///< m
};

/// A hull whose coordinates are multiplied by `scale`. Bodies and worlds share the hull.
struct ScaledHull {
    std::shared_ptr<const ConvexHull> hull;
    glm::dvec3 scale{1.0}; ///< positive
};

/// The half space below the body's local y = 0, without end. For static and kinematic bodies only.
struct Plane {};

/// A part of the plane y = 0 of the body, which is touched from both sides. For static and kinematic bodies only.
struct Rectangle {
    double half_x = 0.5; ///< m, half size along the body's x
    double half_z = 0.5; ///< m
};

/// A shape in the body's frame, centred at its origin where it has a centre. Any two collide, but two planes.
using Shape = std::variant<Sphere, Box, Capsule, Cylinder, ThinRod, Plane, TaperedCapsule, TaperedCylinder, ScaledHull,
                           Rectangle>;

/// Returns whether a shape has an end in every direction; a plane has none.
bool is_bounded(const Shape& shape) noexcept;

/// Returns whether a shape has a volume that a mass is spread over. A plane and a rectangle have none: their bodies
/// cannot be dynamic.
bool is_solid(const Shape& shape) noexcept;

/// Returns the radius (m) of the smallest ball about the body's origin that holds a shape; infinity for one without
/// end.
double bounding_radius(const Shape& shape) noexcept;

} // namespace substep

#pragma GCC visibility pop
