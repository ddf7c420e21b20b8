// Rays against one shape or solid.
#pragma once

#include <limits>
#include <optional>

#include "substep/collision/convex.h"
#include "substep/collision/feature_contact.h"
#include "substep/collision/glm_types.h"
#include "substep/collision/shape.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// The points origin + s direction / |direction| for s from 0 to `length`.
struct Ray {
    glm::dvec3 origin{0.0};                                  ///< m
    glm::dvec3 direction{0.0, 0.0, 1.0};                     ///< of any length but zero
    double length = std::numeric_limits<double>::infinity(); ///< m, 0 or more
};

/// Where a ray meets a surface.
struct RayHit {
    double distance = 0.0;  ///< m, from the ray's origin
    glm::dvec3 normal{0.0}; ///< unit vector out of the solid; on an edge or a rim that of either side
};

/// Returns where a ray enters a shape whose centre is at `position` (m) and whose axes a unit quaternion turns to those
/// that the ray is given in; nothing where it does not. Shapes are solid: a ray that begins inside hits at distance 0,
/// with the opposite of its direction for a normal. One that grazes a shape, or begins on its surface and leads away,
/// hits or misses as rounding has it. The point hit is on the surface to 1e-9 of the shape's size, from up to a million
/// sizes away. A ray without a direction hits nothing.
std::optional<RayHit> cast_ray(const Ray& ray, const Shape& shape, const glm::dvec3& position,
                               const glm::dquat& orientation) noexcept;

namespace detail {

/// The same for a solid.
std::optional<RayHit> cast_ray(const Ray& ray, const Convex& solid, const Placement& at) noexcept;

} // namespace detail

} // namespace substep

#pragma GCC visibility pop
