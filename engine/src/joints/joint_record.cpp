// Which numbers a joint keeps for its coordinates, and the way from a handle to its record.
#include "joints/joint_record.h"

#include <utility>

#include "joints/joint_coordinates.h"

namespace substep::detail {

int memory_of(JointAxis axis) noexcept {
    if (is_turning(axis)) {
        return static_cast<int>(axis) - static_cast<int>(JointAxis::AngleX);
    }
    return axis == JointAxis::Curve ? kCurveMemory : -1;
}

const JointRecord& require_joint(const JointTable& joints, JointId id) {
    const JointRecord* const joint = joints.find(id);
    if (joint == nullptr) {
        refuse_stale("joint", id);
    }
    return *joint;
}

JointRecord& require_joint(JointTable& joints, JointId id) {
    return const_cast<JointRecord&>(require_joint(std::as_const(joints), id));
}

} // namespace substep::detail
