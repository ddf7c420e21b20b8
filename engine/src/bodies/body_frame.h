// A body where a stage places it, as forces, joints and contacts read it.
#pragma once

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

namespace substep::detail {

/// Place of a body, and how it answers to forces there. Bodies that no force moves have zero inverses.
struct BodyFrame {
    glm::dvec3 position{0.0};        ///< m, centre of mass
    glm::dmat3 rotation{1.0};        ///< principal axes to world
    glm::dmat3 inverse_inertia{0.0}; ///< world axes
    double inverse_mass = 0.0;
};

} // namespace substep::detail
