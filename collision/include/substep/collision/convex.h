// The convex solids that the narrow phase knows.
#pragma once

#include <variant>

#include "substep/collision/convex_hull.h"
#include "substep/collision/glm_types.h"
#include "substep/collision/shape.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// A ScaledHull that its shape keeps alive: solids are copied at every step by all threads, which would wait for one
/// another at the counter of a hull that they shared.
struct HullView {
    const ConvexHull* hull = nullptr;
    glm::dvec3 scale{1.0}; ///< positive
};

/// What lies below y = 0, without end.
struct HalfSpace {};

/// A box without height is a rectangle, which has two sides. The order is that of the table of pairs.
using Convex = std::variant<Sphere, TaperedCapsule, Box, TaperedCylinder, HullView, HalfSpace>;

/// The solid of a shape, and how it lies in the shape's frame.
struct ShapeSolid {
    Convex solid;
    glm::dmat3 rotation{1.0}; ///< the solid's axes in the shape's
};
/// Of a hull the shape must have one, and outlive its solid.
ShapeSolid solid_of(const Shape& shape) noexcept;

bool is_ball(const Shape& shape) noexcept;
bool is_ball(const Convex& solid) noexcept;

} // namespace substep::detail

#pragma GCC visibility pop
