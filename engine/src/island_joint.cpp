// Joints of a description as joints of an island, and what a description must fulfil.
#include "island_joint.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "validation.h"
#include "world_impl.h"

namespace substep::detail {

IslandJoint make_island_joint(const Model& model, const JointDesc& desc, int body_a, int body_b) {
    IslandJoint joint;
    joint.body = {body_a, body_b};
    joint.locked_translation = desc.locked_translation;
    joint.locked_rotation = desc.locked_rotation;
    const auto set_end = [&](int end, BodyId id, const Pose& frame) {
        const BodyRecord* const body = model.bodies.find(id);
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

JointDesc require_joint(Model& model, const JointDesc& desc) {
    bool any_dynamic = false;
    for (const BodyId id : {desc.body_a, desc.body_b}) {
        if (id != kWorldBody) {
            any_dynamic |= require_body(model, id).is_dynamic();
        }
    }
    if (desc.body_a == desc.body_b) {
        throw std::invalid_argument("Both ends of the joint are the same body; they must be two different ones.");
    }
    if (!any_dynamic) {
        throw std::invalid_argument("Neither end of the joint is a dynamic body; at least one must be.");
    }
    const auto any = [](const std::array<bool, 3>& locked) { return locked != std::array{false, false, false}; };
    if (!any(desc.locked_translation) && !any(desc.locked_rotation)) {
        throw std::invalid_argument("The joint locks none of its six axes; at least one must be locked.");
    }
    JointDesc joint = desc;
    for (Pose* frame : {&joint.frame_a, &joint.frame_b}) {
        require_finite("The position of a joint's frame", frame->position);
        frame->orientation = require_orientation("The orientation of a joint's frame", frame->orientation);
    }
    return joint;
}

} // namespace substep::detail
