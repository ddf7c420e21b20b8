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
///
/// Which rotations are locked says how the frames may turn against one another (x, y, z in any cyclic order):
///   none       ball: any rotation;
///   z          universal: about x of frame_a, then about y of frame_b; the two stay perpendicular;
///   x and y    hinge: about z, which the frames have in common;
///   all        none: the frames stay parallel.
struct JointDesc {
    BodyId body_a = kWorldBody;
    BodyId body_b = kWorldBody;
    Pose frame_a{}; ///< in the frame of body_a (of the world, for kWorldBody)
    Pose frame_b{}; ///< in the frame of body_b
    /// Directions, axes of frame_a, in which the origin of frame_b may not move.
    std::array<bool, 3> locked_translation{true, true, true};
    std::array<bool, 3> locked_rotation{false, false, false};
};

/// The functions below join two bodies at the poses they have now; points (m) and axes (any length but zero) are given
/// in the world. They throw std::invalid_argument for a value that is not finite or an axis of zero length.

/// Locks three translations: the bodies share a point.
JointDesc ball(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point);

/// Locks three translations and two rotations: the bodies share a point and an axis.
JointDesc hinge(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis);

/// Locks everything but translation along an axis, z of both frames.
JointDesc slider(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis);

/// Locks everything; the force and torque that the joint transmits are those at `point`.
JointDesc fixed(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point);

/// Locks three translations and the rotation about the common perpendicular of two axes, `axis_a` fixed in body_a and
/// `axis_b` in body_b (Cardan's or Hooke's joint). Throws if the axes are not perpendicular to within 1e-6.
JointDesc universal(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis_a,
                    const glm::dvec3& axis_b);

/// Locks everything but translation along an axis, z of both frames, and rotation about it.
JointDesc cylindrical(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point,
                      const glm::dvec3& axis);

/// Locks translation along a normal, z of both frames, and the two rotations that would tilt it.
JointDesc planar(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& normal);

/// Keeps a point of body_b on a line of body_a through `point` along `axis`.
JointDesc point_on_line(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point,
                        const glm::dvec3& axis);

/// Locks the chosen axes of a frame given in the world. Throws if none is chosen.
JointDesc six_axis(const World& world, BodyId body_a, BodyId body_b, const Pose& frame,
                   const std::array<bool, 3>& locked_translation, const std::array<bool, 3>& locked_rotation);

} // namespace substep
