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
    if (joint == nullptr || joint->coupling) {
        refuse_stale(joints, "joint", id);
    }
    return *joint;
}

JointRecord& require_joint(JointTable& joints, JointId id) {
    return const_cast<JointRecord&>(require_joint(std::as_const(joints), id));
}

const JointRecord& require_coupling(const JointTable& joints, CouplingId id) {
    const JointRecord* const joint = joints.find(row_of(id));
    if (joint == nullptr || !joint->coupling) {
        refuse_stale(joints, "coupling", row_of(id));
    }
    return *joint;
}

JointRecord& require_coupling(JointTable& joints, CouplingId id) {
    return const_cast<JointRecord&>(require_coupling(std::as_const(joints), id));
}

} // namespace substep::detail
