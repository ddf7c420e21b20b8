// Triangles of a hull that lie in one plane, as polygons.
#pragma once

#include <array>
#include <vector>

#include "substep/collision/glm_types.h"

namespace substep::detail {

struct HullTriangle {
    std::array<int, 3> vertices;   ///< counter-clockwise as seen from outside
    std::array<int, 3> neighbours; ///< [i] across the edge from vertices[i] to vertices[i + 1]
};

struct HullTriangles {
    std::vector<glm::dvec3> points; ///< m
    double extent = 0.0;            ///< m, the diagonal of their bounds
    std::vector<HullTriangle> triangles;
};

/// Returns the loops of the faces. A vertex within an edge or a face is in no loop.
std::vector<std::vector<int>> merged_faces(const HullTriangles& hull);

} // namespace substep::detail
