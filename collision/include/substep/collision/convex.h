// The convex solids that the narrow phase knows.
#pragma once

#include <variant>

#include "substep/collision/convex_hull.h"
#include "substep/collision/glm_types.h"
#include "substep/collision/mass_properties.h"
#include "substep/collision/shape.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// The hull of two balls about y = -half_length and y = half_length: a capsule with two radii.
struct TaperedCapsule {
    double radius_bottom = 0.25; ///< m
    double radius_top = 0.25;    ///< m
    double half_length = 0.25;   ///< m, between the balls' centres
};

/// A cylinder along y with two radii, one of which may be zero: a cone, then.
struct Frustum {
    double radius_bottom = 0.25; ///< m, at y = -half_length
    double radius_top = 0.25;    ///< m
    double half_length = 0.5;    ///< m
};

/// A hull whose coordinates are multiplied by `scale`. Whoever has it keeps the hull alive.
struct ScaledHull {
    const ConvexHull* hull = nullptr;
    glm::dvec3 scale{1.0}; ///< positive
};

/// What lies below y = 0, without end.
struct HalfSpace {};

/// A box without height is a rectangle, which has two sides. The order is that of the table of pairs.
using Convex = std::variant<Sphere, TaperedCapsule, Box, Frustum, ScaledHull, HalfSpace>;

/// The solid of a shape, and how it lies in the shape's frame.
struct ShapeSolid {
    Convex solid;
    glm::dmat3 rotation{1.0}; ///< the solid's axes in the shape's
};
ShapeSolid solid_of(const Shape& shape) noexcept;

bool is_ball(const Shape& shape) noexcept;
bool is_ball(const Convex& solid) noexcept;

/// As those of a Shape (mass_properties.h): of the homogeneous solid, in kg and m^3.
MassProperties mass_properties(const TaperedCapsule& capsule, double mass);
MassProperties mass_properties(const Frustum& frustum, double mass);
MassProperties mass_properties(const ScaledHull& hull, double mass);
double volume(const TaperedCapsule& capsule) noexcept;
double volume(const Frustum& frustum) noexcept;
double volume(const ScaledHull& hull) noexcept;

} // namespace substep::detail

#pragma GCC visibility pop
