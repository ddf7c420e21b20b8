// Closed forms of a point's distance, and support points along the axes.
#include "substep/collision/solid_extent.h"

#include <algorithm>
#include <limits>
#include <variant>

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "core.h"

namespace substep::detail {

std::optional<double> distance_of_point(const Convex& solid, const glm::dvec3& point) noexcept {
    if (const Sphere* const ball = std::get_if<Sphere>(&solid)) {
        return std::max(glm::length(point) - ball->radius, 0.0);
    }
    if (const Box* const box = std::get_if<Box>(&solid)) {
        return glm::length(glm::max(glm::abs(point) - box->half_sizes, glm::dvec3(0.0)));
    }
    return {};
}

BoundingBox box_about(const Convex& solid, const Placement& at) noexcept {
    const Core core = core_of(solid);
    BoundingBox box;
    for (int axis = 0; axis < 3; ++axis) {
        glm::dvec3 along(0.0);
        along[axis] = 1.0;
        const glm::dvec3 in_solid = along * at.rotation;
        box.high[axis] = at.position[axis] + glm::dot(in_solid, support(core, in_solid)) + core.rounding;
        box.low[axis] = at.position[axis] + glm::dot(in_solid, support(core, -in_solid)) - core.rounding;
    }
    return box;
}

double smallest_extent(const Convex& solid) noexcept {
    if (std::holds_alternative<HalfSpace>(solid)) {
        return std::numeric_limits<double>::infinity();
    }
    if (const Box* const box = std::get_if<Box>(&solid)) {
        return 2.0 * std::min({box->half_sizes.x, box->half_sizes.y, box->half_sizes.z});
    }
    if (const HullView* const hull = std::get_if<HullView>(&solid)) {
        // Across each face: the width of the scaled hull along the scaled normal.
        double least = std::numeric_limits<double>::infinity();
        for (const ConvexHull::Face& face : hull->hull->faces()) {
            double low = face.offset;
            for (const glm::dvec3& vertex : hull->hull->vertices()) {
                low = std::min(low, glm::dot(face.normal, vertex));
            }
            least = std::min(least, (face.offset - low) / glm::length(face.normal / hull->scale));
        }
        return least;
    }
    const BoundingBox box = box_about(solid, {});
    return std::min({box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z});
}

} // namespace substep::detail
