// The point of a simplex that is closest to the origin.
#pragma once

#include <array>

#include "substep/collision/glm_types.h"

namespace substep::detail {

/// A difference of two solids' points.
struct SimplexVertex {
    glm::dvec3 direction; ///< that it is farthest along
    glm::dvec3 point;     ///< on_a - on_b
    glm::dvec3 on_a;
    glm::dvec3 on_b;
};

struct Simplex {
    int count = 0;
    std::array<SimplexVertex, 4> vertices;
    std::array<double, 4> weights; ///< of the vertices in the closest point

    glm::dvec3 on_a() const noexcept;
    glm::dvec3 on_b() const noexcept;
};

/// Returns the closest point to the origin, and leaves of the simplex the vertices that it is made of. With four of
/// them, the origin is inside.
glm::dvec3 reduce_to_closest(Simplex& simplex) noexcept;

} // namespace substep::detail
