// Boxes that an axis parts, as it did in the last call.
#pragma once

#include <glm/geometric.hpp>

#include "core.h"
#include "pairs.h"

namespace substep::detail {

/// Whether an axis in the frame of the first parts two boxes by more than `margin`, beyond doubt by rounding: that is
/// known without the second one's place in that frame.
inline bool axis_parts_boxes(const Box& a, const Placement& at_a, const Box& b, const Placement& at_b,
                             const glm::dvec3& direction, double margin) noexcept {
    const glm::dvec3 axis = at_a.rotation * direction;
    const glm::dvec3 in_b = absolute(axis * at_b.rotation);
    const glm::dvec3 in_a = absolute(direction);
    const glm::dvec3 sizes = a.half_sizes + b.half_sizes;
    const double limit = margin + kSameDistance * (sizes.x + sizes.y + sizes.z);
    return glm::dot(axis, at_a.position - at_b.position) - glm::dot(in_a, a.half_sizes) - glm::dot(in_b, b.half_sizes) >
           limit;
}

} // namespace substep::detail
