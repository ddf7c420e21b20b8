// A joint as the solver sees it: numbers in the principal frames of its bodies.
#pragma once

#include <array>

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "substep/engine/joint.h"

namespace substep::detail {

struct Model;

/// What the joints need of a body's place and mass. Bodies that no force moves have zero inverses.
struct BodyFrame {
    glm::dvec3 position{0.0};        ///< m, centre of mass
    glm::dmat3 rotation{1.0};        ///< principal axes to world
    glm::dmat3 inverse_inertia{0.0}; ///< world axes
    double inverse_mass = 0.0;
};

/// A joint between two bodies of an island.
struct IslandJoint {
    std::array<int, 2> body{};                                        ///< indices into the island's bodies
    std::array<glm::dvec3, 2> anchor{};                               ///< m, from the centre of mass
    std::array<glm::dmat3, 2> axes{glm::dmat3(1.0), glm::dmat3(1.0)}; ///< of its frames, by columns
    std::array<bool, 3> locked_translation{true, true, true};         ///< along the axes of frame 0
    std::array<bool, 3> locked_rotation{false, false, false};
};

/// Returns frames as anchors and axes in the principal frames of the bodies, which the island numbers a and b.
IslandJoint make_island_joint(const Model& model, const JointDesc& desc, int body_a, int body_b);

/// Returns the description with its frames normalised. Throws std::invalid_argument if it does not fit the bodies that
/// it names or locks nothing.
JointDesc require_joint(Model& model, const JointDesc& desc);

} // namespace substep::detail
