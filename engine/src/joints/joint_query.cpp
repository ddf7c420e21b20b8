// Checks of a joint's description, and single joints at the places of their bodies.
#include "joints/joint_query.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "bodies/validation.h"
#include "joints/island_joint.h"
#include "joints/joint_actuators.h"
#include "joints/joint_coordinates.h"
#include "joints/joint_rows.h"

namespace substep::detail {
namespace {

constexpr std::array<bool, 3> kNone{false, false, false};

// A joint by itself, at the places of its bodies at one time.
struct Placed {
    IslandJoint joint;
    std::array<BodyFrame, 2> frames;
    std::array<Twist, 2> velocities;
    JointGeometry geometry;
};
Placed place_joint(const BodyTable& bodies, const JointRecord& record, double t) {
    Placed placed;
    placed.joint = make_island_joint(bodies, record.desc, 0, 1);
    placed.joint.memory = {0, 1, 2, 3, 4};
    for (std::size_t e = 0; e < 2; ++e) {
        if (const BodyRecord* const body = bodies.find(e == 0 ? record.desc.body_a : record.desc.body_b)) {
            placed.frames[e].position = position_of(*body, t);
            placed.frames[e].rotation = rotation_matrix(orientation_of(*body, t));
            placed.velocities[e] = velocity_of(*body, t);
        }
    }
    placed.geometry = geometry_of(placed.joint, placed.frames[0], placed.frames[1], record.memory);
    return placed;
}

// Of ends that are further apart than any number can be told so much, not how much.
double told_of(double error) noexcept { return std::isfinite(error) ? error : std::numeric_limits<double>::max(); }

const char* name_of(JointAxis axis) noexcept {
    switch (axis) {
    case JointAxis::X:
        return "X";
    case JointAxis::Y:
        return "Y";
    case JointAxis::Z:
        return "Z";
    case JointAxis::AngleX:
        return "AngleX";
    case JointAxis::AngleY:
        return "AngleY";
    case JointAxis::AngleZ:
        return "AngleZ";
    case JointAxis::Swing:
        return "Swing";
    case JointAxis::Distance:
        return "Distance";
    case JointAxis::Curve:
        return "Curve";
    }
    return "unknown";
}

// Checks the bodies of a joint, and how it holds them.
void require_locks(const BodyTable& bodies, const JointDesc& desc) {
    bool any_dynamic = false;
    for (const BodyId id : {desc.body_a, desc.body_b}) {
        if (id != kGround) {
            any_dynamic |= require_body(bodies, id).is_dynamic();
        }
    }
    if (desc.body_a == desc.body_b) {
        throw std::invalid_argument("Both ends of the joint are the same body; they must be two different ones.");
    }
    if (!any_dynamic) {
        throw std::invalid_argument("Neither end of the joint is a dynamic body; at least one must be.");
    }
    if (const DistanceLock* const lock = desc.distance_lock()) {
        require_positive("The distance that the joint locks", lock->distance, "m");
    }
    if (const CurveLock* const lock = desc.curve_lock()) {
        if (lock->curve == nullptr) {
            throw std::invalid_argument("The curve that the joint follows is null; it must be an object.");
        }
        if (!is_finite(lock->parameter)) {
            throw std::invalid_argument("The curve's parameter is " + std::to_string(lock->parameter) +
                                        "; it must be finite.");
        }
    }
}

// Checks a coupling, and notes whose bodies it ties.
void require_ties(const JointTable& joints, JointRecord& joint) {
    const CouplingDesc& coupling = *joint.coupling;
    joint.body_count = 0;
    for (const auto& [id, axis] :
         {std::pair(coupling.joint_1, coupling.axis_1), std::pair(coupling.joint_2, coupling.axis_2)}) {
        const JointDesc& part = require_joint(joints, id).desc;
        require_coordinate(part, axis);
        if (axis == JointAxis::Swing) {
            throw std::invalid_argument("A coupling was given a swing; it must be a coordinate with a direction, which "
                                        "a swing of zero does not have.");
        }
        joint.bodies[joint.body_count++] = part.body_a;
        joint.bodies[joint.body_count++] = part.body_b;
    }
    if (coupling.joint_1 == coupling.joint_2 && coupling.axis_1 == coupling.axis_2) {
        throw std::invalid_argument("Both sides of the coupling are the same coordinate; they must be different.");
    }
    if (!is_finite(coupling.ratio) || coupling.ratio == 0.0) {
        throw std::invalid_argument("The coupling's ratio is " + std::to_string(coupling.ratio) +
                                    "; it must be finite and not zero.");
    }
    if (!is_finite(coupling.sum)) {
        throw std::invalid_argument("The coupling's sum is " + std::to_string(coupling.sum) + "; it must be finite.");
    }
}

} // namespace

void require_coordinate(const JointDesc& joint, JointAxis axis) {
    if (has_coordinate(joint, axis)) {
        return;
    }
    std::string free_ones;
    for (int i = 0; i <= static_cast<int>(JointAxis::Curve); ++i) {
        if (has_coordinate(joint, static_cast<JointAxis>(i))) {
            free_ones += (free_ones.empty() ? "" : ", ") + std::string(name_of(static_cast<JointAxis>(i)));
        }
    }
    throw std::invalid_argument(std::string("The joint has no coordinate ") + name_of(axis) + "; it leaves " +
                                (free_ones.empty() ? "none" : free_ones) + " free.");
}

JointRecord make_coupling(const JointTable& joints, const CouplingDesc& desc) {
    JointRecord joint;
    joint.desc.point_lock = kNone;
    joint.coupling = desc;
    require_ties(joints, joint);
    return joint;
}

JointRecord make_joint(const BodyTable& bodies, const JointDesc& desc, double t) {
    JointRecord joint;
    joint.desc = desc;
    require_locks(bodies, desc);
    require_actuators(desc);
    for (Pose* frame : {&joint.desc.frame_a, &joint.desc.frame_b}) {
        require_finite("The position of a joint's frame", frame->position);
        frame->orientation = require_orientation("The orientation of a joint's frame", frame->orientation);
    }
    joint.bodies = {desc.body_a, desc.body_b};
    if (const CurveLock* const lock = desc.curve_lock()) {
        joint.memory[kCurveMemory] = lock->parameter;
        joint.memory[kCurveMemory] = place_joint(bodies, joint, t).geometry.curve.parameter;
        if (!is_finite(joint.memory[kCurveMemory])) {
            throw std::invalid_argument("The curve has no nearest point to the joint's frame_b; its tangent must have "
                                        "a length everywhere.");
        }
    }
    return joint;
}

double joint_error(const BodyTable& bodies, const JointTable& joints, const JointRecord& joint, double t) {
    if (joint.coupling) {
        const CouplingDesc& c = *joint.coupling;
        const auto value = [&](JointId id, JointAxis axis) {
            return joint_coordinate(bodies, require_joint(joints, id), axis, t).value;
        };
        return told_of(std::abs(value(c.joint_1, c.axis_1) + c.ratio * value(c.joint_2, c.axis_2) - c.sum));
    }
    const Placed placed = place_joint(bodies, joint, t);
    return told_of(worst_violation(placed.joint, placed.geometry));
}

CoordinateState joint_coordinate(const BodyTable& bodies, const JointRecord& joint, JointAxis axis, double t) {
    require_coordinate(joint.desc, axis);
    const Placed placed = place_joint(bodies, joint, t);
    CoordinateState state;
    state.value = coordinate_value(placed.joint, axis, placed.geometry);
    if (is_turning(axis)) {
        state.value = unwrapped(state.value, joint.memory[static_cast<std::size_t>(memory_of(axis))]);
    }
    const std::array<Twist, 2> row = coordinate_jacobian(placed.joint, axis, placed.geometry);
    for (std::size_t e = 0; e < 2; ++e) {
        state.rate += glm::dot(row[e].linear, placed.velocities[e].linear) +
                      glm::dot(row[e].angular, placed.velocities[e].angular);
    }
    return state;
}

} // namespace substep::detail
