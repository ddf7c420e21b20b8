// Sums over the tetrahedra between an apex and a surface.
#include "polyhedron_sums.h"

#include <cstddef>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

namespace substep::detail {

// Of a tetrahedron with corners 0, a, b, c and their sum s: the volume is V = a . (b x c) / 6, the first moment V s /
// 4, the second V (a a^T + b b^T + c c^T + s s^T) / 20.
void PolyhedronSums::add(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) noexcept {
    const glm::dvec3 p = a - apex;
    const glm::dvec3 q = b - apex;
    const glm::dvec3 r = c - apex;
    const glm::dvec3 s = p + q + r;
    const double v = glm::dot(p, glm::cross(q, r)) / 6.0;
    volume += v;
    first += v / 4.0 * s;
    second += v / 20.0 *
              (glm::outerProduct(p, p) + glm::outerProduct(q, q) + glm::outerProduct(r, r) + glm::outerProduct(s, s));
}

MassProperties PolyhedronSums::of_mass(double mass) const noexcept {
    const glm::dvec3 centre = first / volume;
    const glm::dmat3 about_centre = mass / volume * second - mass * glm::outerProduct(centre, centre);
    const double trace = about_centre[0][0] + about_centre[1][1] + about_centre[2][2];
    MassProperties result;
    result.mass = mass;
    result.centre_of_mass = apex + centre;
    result.inertia = glm::dmat3(trace) - about_centre;
    return result;
}

PolyhedronSums polyhedron_sums(std::span<const glm::dvec3> vertices,
                               std::span<const std::array<std::uint32_t, 3>> triangles) noexcept {
    PolyhedronSums sums;
    for (const glm::dvec3& vertex : vertices) {
        sums.apex += vertex / static_cast<double>(vertices.size());
    }
    for (const auto& [a, b, c] : triangles) {
        sums.add(vertices[a], vertices[b], vertices[c]);
    }
    return sums;
}

PolyhedronSums polyhedron_sums(const ConvexHull& hull, const glm::dvec3& scale) noexcept {
    PolyhedronSums sums;
    sums.apex = scale * hull.middle();
    const std::span<const glm::dvec3> vertices = hull.vertices();
    for (const ConvexHull::Face& face : hull.faces()) {
        const std::span<const std::uint32_t> loop = hull.loop(face);
        for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
            sums.add(scale * vertices[loop[0]], scale * vertices[loop[i]], scale * vertices[loop[i + 1]]);
        }
    }
    return sums;
}

} // namespace substep::detail
