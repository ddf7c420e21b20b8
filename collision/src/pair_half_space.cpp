// Half spaces: the lowest point of any solid.
#include <glm/geometric.hpp>

#include "pairs.h"

namespace substep::detail {

Meeting meet_half_space(const Core& a, const Placement& b_in_a) noexcept {
    const glm::dvec3& normal = b_in_a.rotation[1];
    const glm::dvec3 lowest = support(a, -normal);
    const double height = glm::dot(normal, lowest - b_in_a.position);
    return {height, normal, lowest, lowest - height * normal, true};
}

} // namespace substep::detail
