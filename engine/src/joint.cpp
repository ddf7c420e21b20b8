// Functions that fill a JointDesc from the poses that bodies have now.
#include "substep/engine/joint.h"

#include <cmath>
#include <stdexcept>

#include "rigid_motion.h"
#include "substep/engine/world.h"
#include "validation.h"

namespace substep {
namespace {

// Returns a frame given in the world, as seen from a body.
Pose seen_from(const World& world, BodyId id, const Pose& frame) {
    if (id == kWorldBody) {
        return frame;
    }
    const Pose body = world.pose(id);
    const glm::dquat to_body = glm::conjugate(body.orientation);
    return {to_body * (frame.position - body.position), to_body * frame.orientation};
}

// Returns the shortest rotation that takes z to a unit vector.
glm::dquat rotation_from_z(const glm::dvec3& axis) {
    if (axis.z < -0.999999) {
        // The formula below would normalise almost nothing: go to the axis mirrored by half a turn about x first.
        return glm::dquat(0.0, 1.0, 0.0, 0.0) * rotation_from_z({axis.x, -axis.y, -axis.z});
    }
    // Half-way construction: (1 + z . a, z x a), normalised.
    return glm::normalize(glm::dquat(1.0 + axis.z, -axis.y, axis.x, 0.0));
}

} // namespace

JointDesc ball(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point) {
    detail::require_finite("The joint's point", point);
    const Pose frame{point, {1.0, 0.0, 0.0, 0.0}};
    JointDesc joint;
    joint.body_a = body_a;
    joint.body_b = body_b;
    joint.frame_a = seen_from(world, body_a, frame);
    joint.frame_b = seen_from(world, body_b, frame);
    return joint;
}

JointDesc hinge(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis) {
    detail::require_finite("The joint's point", point);
    detail::require_finite("The hinge's axis", axis);
    const double length = std::sqrt(glm::dot(axis, axis));
    if (!(length > 0.0)) {
        throw std::invalid_argument("The hinge's axis is (0, 0, 0); it must have a length.");
    }
    const Pose frame{point, rotation_from_z(axis / length)};
    JointDesc joint = ball(world, body_a, body_b, point);
    joint.frame_a = seen_from(world, body_a, frame);
    joint.frame_b = seen_from(world, body_b, frame);
    joint.locked_rotation = {true, true, false};
    return joint;
}

} // namespace substep
