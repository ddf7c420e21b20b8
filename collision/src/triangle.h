// The area of a triangle.
#pragma once

#include <glm/geometric.hpp>

#include "substep/collision/glm_types.h"

namespace substep::detail {

/// Returns twice the area as a vector along the normal, counter-clockwise. It is the product of the two shorter edges:
/// of a needle's long edges, which are nearly parallel, rounding would tilt it by as much as the needle is long.
inline glm::dvec3 twice_area(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) noexcept {
    const glm::dvec3 ab = b - a;
    const glm::dvec3 bc = c - b;
    const glm::dvec3 ca = a - c;
    const double across_a = glm::dot(bc, bc);
    const double across_b = glm::dot(ca, ca);
    const double across_c = glm::dot(ab, ab);
    if (across_a >= across_b && across_a >= across_c) {
        return glm::cross(ca, ab);
    }
    return across_b >= across_c ? glm::cross(ab, bc) : glm::cross(bc, ca);
}

} // namespace substep::detail
