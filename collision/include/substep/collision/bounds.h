// Bounds that hold a shape wherever it gets to while it moves.
#pragma once

#include <glm/geometric.hpp>

#include "substep/collision/glm_types.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// A ball that may move by up to `reach` in any direction.
struct SweptBall {
    glm::dvec3 centre{0.0};
    double radius = 0.0; ///< m
    double reach = 0.0;  ///< m

    /// Ends of the interval that the ball sweeps along an axis (0: x).
    double low(int axis) const noexcept { return centre[axis] - radius - reach; }
    double high(int axis) const noexcept { return centre[axis] + radius + reach; }
};

/// The half space behind a plane: `normal` points out of it. The plane may move by up to `reach`.
struct SweptHalfSpace {
    glm::dvec3 point{0.0}; ///< of the surface
    glm::dvec3 normal{0.0, 1.0, 0.0};
    double reach = 0.0; ///< m, at the ball that it is compared with
};

inline bool overlap(const SweptBall& a, const SweptBall& b) noexcept {
    const double near = a.radius + b.radius + a.reach + b.reach;
    const glm::dvec3 apart = a.centre - b.centre;
    return glm::dot(apart, apart) <= near * near;
}

inline bool overlap(const SweptBall& a, const SweptHalfSpace& b) noexcept {
    return glm::dot(b.normal, a.centre - b.point) - a.radius <= a.reach + b.reach;
}

} // namespace substep::detail

#pragma GCC visibility pop
