// What every pair does with its points, from where both patches have been laid over one another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "patch_overlap.h"
#include "substep/collision/manifold.h"

namespace substep::detail {
namespace {

/// Lifts points that are below what the solids are apart, by `distance` (m) along `normal`: nothing of both is closer,
/// but a corner that was kept beyond a border is below its plane there. Returns whether one of them has the distance,
/// to within `same` (m); it has it to the last bit then: who asks for what is within a margin has it if the distance
/// is.
[[gnu::always_inline]] inline bool settle_gaps(PatchPoints& points, const glm::dvec3& normal, double distance,
                                               double same) noexcept {
    const auto end = points.points.begin() + points.count;
    auto lowest = end;
    double least = std::numeric_limits<double>::infinity();
    for (auto point = points.points.begin(); point != end; ++point) {
        const double below = std::max(distance - point->gap, 0.0);
        point->on_b -= below * normal;
        point->gap += below;
        lowest = point->gap < least ? point : lowest;
        least = std::min(least, point->gap);
    }
    if (!(least <= distance + same)) {
        return false;
    }
    lowest->on_b += (lowest->gap - distance) * normal;
    lowest->gap = distance;
    return true;
}

/// From two cores in a frame, `rounding` (m) within their surfaces, to these surfaces in the world. `first`: which of
/// the caller's solids is the first core.
[[gnu::always_inline]] inline void write_in_world(const Placement& frame, const glm::dvec3& normal,
                                                  const double (&rounding)[2], const PatchPoint& point,
                                                  std::size_t first, ManifoldPoint& result) noexcept {
    const auto to_world = [&](const glm::dvec3& at) { return frame.position + frame.rotation * at; };
    result.positions[first] = to_world(point.on_a - rounding[0] * normal);
    result.positions[1 - first] = to_world(point.on_b + rounding[1] * normal);
    result.gap = point.gap - (rounding[0] + rounding[1]);
    result.parts.parts[first] = point.parts.parts[0];
    result.parts.parts[1 - first] = point.parts.parts[1];
}

} // namespace
} // namespace substep::detail
