// Bounds that hold a shape wherever it gets to while it moves.
#pragma once

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "substep/collision/glm_types.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// A box along the axes of the world.
struct BoundingBox {
    glm::dvec3 low{0.0};  ///< m
    glm::dvec3 high{0.0}; ///< m
    bool operator==(const BoundingBox&) const = default;
};

inline bool overlap(const BoundingBox& a, const BoundingBox& b) noexcept {
    // One branch, not six: which of them ends it is anybody's guess.
    return (a.low.x <= b.high.x) & (b.low.x <= a.high.x) & (a.low.y <= b.high.y) & (b.low.y <= a.high.y) &
           (a.low.z <= b.high.z) & (b.low.z <= a.high.z);
}

/// The smallest box that holds both.
inline BoundingBox hull(const BoundingBox& a, const BoundingBox& b) noexcept {
    return {glm::min(a.low, b.low), glm::max(a.high, b.high)};
}

/// A ball that may move by up to `reach` in any direction.
struct SweptBall {
    glm::dvec3 centre{0.0};
    double radius = 0.0; ///< m
    double reach = 0.0;  ///< m

    /// The box that the ball sweeps.
    BoundingBox box() const noexcept {
        return {centre - glm::dvec3(radius + reach), centre + glm::dvec3(radius + reach)};
    }
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
