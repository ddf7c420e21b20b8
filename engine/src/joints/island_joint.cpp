// Joints of a description as joints of an island.
#include "joints/island_joint.h"

namespace substep::detail {

IslandCoupling make_island_coupling(const CouplingDesc& coupling, const IslandJoint& joint_1,
                                    const IslandJoint& joint_2) {
    return {{joint_1, joint_2}, {coupling.axis_1, coupling.axis_2}, coupling.ratio, coupling.sum};
}

IslandJoint make_island_joint(const BodyTable& bodies, const JointDesc& desc, int body_a, int body_b) {
    IslandJoint joint;
    joint.body = {body_a, body_b};
    joint.locked_translation = desc.locked_translation();
    joint.locked_rotation = desc.locked_rotation;
    if (const DistanceLock* const lock = desc.distance_lock()) {
        joint.distance = lock->distance;
    }
    if (const CurveLock* const lock = desc.curve_lock()) {
        joint.curve = lock->curve.get();
    }
    const auto set_end = [&](int end, BodyId id, const Pose& frame) {
        const BodyRecord* const body = bodies.find(id);
        if (body == nullptr) { // the ground
            joint.anchor[end] = frame.position;
            joint.axes[end] = glm::mat3_cast(frame.orientation);
            return;
        }
        const glm::dquat to_principal = glm::conjugate(body->principal_to_body);
        joint.anchor[end] = to_principal * (frame.position - body->mass_properties.centre_of_mass);
        joint.axes[end] = glm::mat3_cast(to_principal * frame.orientation);
    };
    set_end(0, desc.body_a, desc.frame_a);
    set_end(1, desc.body_b, desc.frame_b);
    return joint;
}

} // namespace substep::detail
