// Volume and moments of closed polyhedra, as sums over tetrahedra.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "substep/collision/convex_hull.h"
#include "substep/collision/glm_types.h"
#include "substep/collision/mass_properties.h"

namespace substep::detail {

/// Sums of signed tetrahedra between an apex and the triangles of a surface. The apex is anywhere; near the solid
/// little is lost to rounding.
struct PolyhedronSums {
    glm::dvec3 apex{0.0};
    double volume = 0.0;    ///< m^3
    glm::dvec3 first{0.0};  ///< of x - apex, m^4
    glm::dmat3 second{0.0}; ///< of (x - apex)(x - apex)^T, m^5

    /// Adds the tetrahedron over a triangle that is counter-clockwise as seen from outside.
    void add(const glm::dvec3& a, const glm::dvec3& b, const glm::dvec3& c) noexcept;
    MassProperties of_mass(double mass) const noexcept;
};

PolyhedronSums polyhedron_sums(std::span<const glm::dvec3> vertices,
                               std::span<const std::array<std::uint32_t, 3>> triangles) noexcept;
PolyhedronSums polyhedron_sums(const ConvexHull& hull, const glm::dvec3& scale) noexcept;

} // namespace substep::detail
