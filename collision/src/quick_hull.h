// The convex hull of points as a mesh of polygons.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "substep/collision/glm_types.h"

namespace substep::detail {

/// A closed convex surface.
struct HullMesh {
    std::vector<glm::dvec3> vertices;              ///< m
    std::vector<std::vector<std::uint32_t>> loops; ///< of each face, counter-clockwise as seen from outside
};

/// Finds the hull by Barber, Dobkin & Huhdanpaa's quickhull (ACM TOMS 22, 1996) and joins faces that lie in one plane.
/// The same points in the same order give the same mesh, bit for bit. Throws std::invalid_argument for fewer than four
/// points, for points that are not finite, and for points in one plane.
HullMesh quick_hull(std::span<const glm::dvec3> points);

} // namespace substep::detail
