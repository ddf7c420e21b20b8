// Functions that fill a JointDesc from the poses that bodies have now.
#include "substep/engine/joint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "bodies/rigid_motion.h"
#include "bodies/validation.h"
#include "substep/engine/world.h"

namespace substep {
namespace {

// Returns a frame given in the world, as seen from a body.
Pose seen_from(const World& world, BodyId id, const Pose& frame) {
    if (id == kGround) {
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
        return detail::quaternion(0.0, 1.0, 0.0, 0.0) * rotation_from_z({axis.x, -axis.y, -axis.z});
    }
    // Half-way construction: (1 + z . a, z x a), normalised.
    return glm::normalize(detail::quaternion(1.0 + axis.z, -axis.y, axis.x, 0.0));
}

// Returns an axis with unit length.
glm::dvec3 require_axis(const char* what, const glm::dvec3& axis) {
    detail::require_finite(what, axis);
    const double largest = std::max({std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)});
    if (!(largest > 0.0)) {
        throw std::invalid_argument(std::string(what) + " is (0, 0, 0); it must have a length.");
    }
    return glm::normalize(axis / largest);
}

constexpr std::array<bool, 3> kAll{true, true, true};
constexpr std::array<bool, 3> kNone{false, false, false};
constexpr std::array<bool, 3> kAcrossZ{true, true, false};
constexpr std::array<bool, 3> kAlongZ{false, false, true};

// The joint with the same frame, given in the world, on both bodies.
JointDesc at_frame(const World& world, BodyId body_a, BodyId body_b, const Pose& frame,
                   const std::array<bool, 3>& locked_translation, const std::array<bool, 3>& locked_rotation) {
    detail::require_finite("The joint's point", frame.position);
    JointDesc joint;
    joint.body_a = body_a;
    joint.body_b = body_b;
    joint.frame_a = seen_from(world, body_a, frame);
    joint.frame_b = seen_from(world, body_b, frame);
    joint.point_lock = locked_translation;
    joint.locked_rotation = locked_rotation;
    return joint;
}

// The frame at a point with its z along an axis.
Pose frame_along(const glm::dvec3& point, const char* what, const glm::dvec3& axis) {
    return {point, rotation_from_z(require_axis(what, axis))};
}

} // namespace

AxisLocks JointDesc::locked_translation() const noexcept {
    const AxisLocks* const locks = std::get_if<AxisLocks>(&point_lock);
    return locks != nullptr ? *locks : kNone;
}

bool has_coordinate(const JointDesc& joint, JointAxis axis) noexcept {
    const auto row = static_cast<std::size_t>(axis) % 3;
    const bool none_locked = joint.locked_rotation == kNone;
    switch (axis) {
    case JointAxis::X:
    case JointAxis::Y:
    case JointAxis::Z:
        return std::holds_alternative<AxisLocks>(joint.point_lock) && !joint.locked_translation()[row];
    case JointAxis::AngleX:
    case JointAxis::AngleY:
    case JointAxis::AngleZ:
        return !joint.locked_rotation[row] && (!none_locked || axis == JointAxis::AngleZ);
    case JointAxis::Swing:
        return none_locked;
    case JointAxis::Distance:
        return std::holds_alternative<AxisLocks>(joint.point_lock) && joint.locked_translation() == kNone;
    case JointAxis::Curve:
        return joint.curve_lock() != nullptr;
    }
    return false;
}

JointDesc ball(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point) {
    return at_frame(world, body_a, body_b, {point, {1.0, 0.0, 0.0, 0.0}}, kAll, kNone);
}

JointDesc hinge(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis) {
    return at_frame(world, body_a, body_b, frame_along(point, "The hinge's axis", axis), kAll, kAcrossZ);
}

JointDesc slider(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis) {
    return at_frame(world, body_a, body_b, frame_along(point, "The slider's axis", axis), kAcrossZ, kAll);
}

JointDesc fixed(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point) {
    return at_frame(world, body_a, body_b, {point, {1.0, 0.0, 0.0, 0.0}}, kAll, kAll);
}

JointDesc universal(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis_a,
                    const glm::dvec3& axis_b) {
    constexpr double kPerpendicular = 1e-6; // axes typed with six digits pass, a forgotten right angle does not
    const glm::dvec3 x = require_axis("The universal joint's axis in body_a", axis_a);
    const glm::dvec3 y = require_axis("The universal joint's axis in body_b", axis_b);
    const double sine = glm::dot(x, y);
    if (!(std::abs(sine) <= kPerpendicular)) {
        throw std::invalid_argument("The universal joint's axes are " + std::to_string(std::acos(sine)) +
                                    " rad apart; they must be perpendicular, pi/2 rad.");
    }
    const glm::dvec3 z = glm::normalize(glm::cross(x, y));
    const glm::dquat axes = glm::quat_cast(glm::dmat3(x, glm::cross(z, x), z));
    return at_frame(world, body_a, body_b, {point, axes}, kAll, kAlongZ);
}

JointDesc cylindrical(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point,
                      const glm::dvec3& axis) {
    return at_frame(world, body_a, body_b, frame_along(point, "The cylindrical joint's axis", axis), kAcrossZ,
                    kAcrossZ);
}

JointDesc planar(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& normal) {
    return at_frame(world, body_a, body_b, frame_along(point, "The plane's normal", normal), kAlongZ, kAcrossZ);
}

JointDesc point_on_line(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point,
                        const glm::dvec3& axis) {
    return at_frame(world, body_a, body_b, frame_along(point, "The line's axis", axis), kAcrossZ, kNone);
}

JointDesc rod(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point_a, const glm::dvec3& point_b) {
    JointDesc joint = gauge(world, body_a, body_b, point_a, point_b);
    joint.point_lock = DistanceLock{glm::length(point_b - point_a)};
    return joint;
}

JointDesc rope(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point_a, const glm::dvec3& point_b) {
    JointDesc joint = gauge(world, body_a, body_b, point_a, point_b);
    joint.limits = {{.axis = JointAxis::Distance, .upper = glm::length(point_b - point_a)}};
    return joint;
}

JointDesc gauge(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point_a,
                const glm::dvec3& point_b) {
    detail::require_finite("The joint's point on body_b", point_b);
    JointDesc joint = at_frame(world, body_a, body_b, {point_a, {1.0, 0.0, 0.0, 0.0}}, kNone, kNone);
    joint.frame_b = seen_from(world, body_b, {point_b, {1.0, 0.0, 0.0, 0.0}});
    return joint;
}

JointDesc point_on_curve(const World& world, BodyId body_a, BodyId body_b, const Pose& frame,
                         std::shared_ptr<const Curve> curve, const glm::dvec3& point, double near) {
    if (curve == nullptr) {
        throw std::invalid_argument("The curve is null; it must be an object.");
    }
    const Pose place{frame.position,
                     detail::require_orientation("The orientation of the curve's frame", frame.orientation)};
    detail::require_finite("The joint's point", point);
    JointDesc joint = at_frame(world, body_a, body_b, place, kNone, kNone);
    joint.frame_b = seen_from(world, body_b, {point, place.orientation});
    joint.point_lock = CurveLock{std::move(curve), near};
    return joint;
}

JointDesc cone_twist(const World& world, BodyId body_a, BodyId body_b, const glm::dvec3& point, const glm::dvec3& axis,
                     const ConeTwistLimits& limits) {
    JointDesc joint = at_frame(world, body_a, body_b, frame_along(point, "The cone's axis", axis), kAll, kNone);
    JointLimit limit;
    limit.stiffness = limits.stiffness;
    limit.damping = limits.damping;
    limit.restitution = limits.restitution;
    if (!(limits.swing >= std::numbers::pi)) { // NaN is for create_joint to refuse
        limit.axis = JointAxis::Swing;
        limit.upper = limits.swing;
        joint.limits.push_back(limit);
    }
    if (!(limits.twist_lower <= -std::numbers::pi && limits.twist_upper >= std::numbers::pi)) {
        limit.axis = JointAxis::AngleZ;
        limit.lower = limits.twist_lower;
        limit.upper = limits.twist_upper;
        joint.limits.push_back(limit);
    }
    return joint;
}

CouplingDesc couple(const World& world, JointId joint_1, JointAxis axis_1, JointId joint_2, JointAxis axis_2,
                    double ratio) {
    const double sum = world.joint_value(joint_1, axis_1) + ratio * world.joint_value(joint_2, axis_2);
    return {.joint_1 = joint_1, .axis_1 = axis_1, .joint_2 = joint_2, .axis_2 = axis_2, .ratio = ratio, .sum = sum};
}

CouplingDesc gear(const World& world, JointId hinge_1, JointId hinge_2, double ratio) {
    return couple(world, hinge_1, JointAxis::AngleZ, hinge_2, JointAxis::AngleZ, ratio);
}

CouplingDesc pulley(const World& world, JointId strand_1, JointId strand_2, double ratio) {
    const auto axis = [&](JointId id) {
        return world.joint(id).locked_rotation == kNone ? JointAxis::Distance : JointAxis::Z;
    };
    return couple(world, strand_1, axis(strand_1), strand_2, axis(strand_2), ratio);
}

CouplingDesc rack(const World& world, JointId slider, JointId hinge, double radius) {
    return couple(world, slider, JointAxis::Z, hinge, JointAxis::AngleZ, -radius);
}

JointDesc six_axis(const World& world, BodyId body_a, BodyId body_b, const Pose& frame,
                   const std::array<bool, 3>& locked_translation, const std::array<bool, 3>& locked_rotation) {
    const Pose place{frame.position,
                     detail::require_orientation("The orientation of the joint's frame", frame.orientation)};
    return at_frame(world, body_a, body_b, place, locked_translation, locked_rotation);
}

} // namespace substep
