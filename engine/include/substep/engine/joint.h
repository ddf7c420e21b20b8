// Joints: two frames and the degrees of freedom between them that are locked.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "substep/engine/body.h"

namespace substep {

/// Names a joint of one world; stays invalid for good once the joint is destroyed.
struct JointId {
    std::uint32_t index = 0xffffffffu;
    std::uint32_t generation = 0;
    auto operator<=>(const JointId&) const = default;
};

/// A joint holds frame_b where frame_a locks it. Functions below fill one; limits and drives take their places here
/// as lists.
struct JointDesc {
    BodyId body_a = kWorldBody;
    BodyId body_b = kWorldBody;
    Pose frame_a{}; ///< in the frame of body_a (of the world, for kWorldBody)
    Pose frame_b{}; ///< in the frame of body_b
    /// Locked relative motion, along and about the axes of frame_a. Present: all three translations, with either no
    /// rotation (ball) or x and y (hinge about z).
    std::array<bool, 3> locked_translation{true, true, true};
    std::array<bool, 3> locked_rotation{false, false, false};
};

/// Joins two bodies at a point given in the world, at the poses they have now. Three translations locked.
JointDesc ball(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point);

/// Joins two bodies at a point with one common axis, both given in the world, at the poses they have now. Three
/// translations and two rotations locked. Throws std::invalid_argument for an axis of zero length.
JointDesc hinge(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis);

} // namespace substep
