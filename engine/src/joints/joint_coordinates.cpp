// Coordinates of joints: translations, angles, swing, twist, distances, and the way along a curve.
#include "joints/joint_coordinates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "substep/numerics/elementary_functions.h"

namespace substep::detail {
namespace {

int translation_index(JointAxis axis) noexcept { return static_cast<int>(axis) - static_cast<int>(JointAxis::X); }
int rotation_index(JointAxis axis) noexcept { return static_cast<int>(axis) - static_cast<int>(JointAxis::AngleX); }

bool is_translation(JointAxis axis) noexcept { return axis <= JointAxis::Z; }

int count(const std::array<bool, 3>& locked) noexcept {
    return static_cast<int>(std::count(locked.begin(), locked.end(), true));
}

// How an angle of a joint is measured depends on the joint's other free rotations.
enum class AngleKind {
    Hinge,          ///< about axis k, which both frames share
    UniversalFirst, ///< about axis k of frame a; k + 1 of frame b is the other hinge
    UniversalLast,  ///< about axis k of frame b; k - 1 of frame a is the other hinge
    Twist           ///< about z, in a rotation that is a twist followed by a swing
};
AngleKind angle_kind(const IslandJoint& joint, int k) noexcept {
    switch (count(joint.locked_rotation)) {
    case 0:
        return AngleKind::Twist;
    case 1:
        return joint.locked_rotation[(k + 2) % 3] ? AngleKind::UniversalFirst : AngleKind::UniversalLast;
    default:
        return AngleKind::Hinge;
    }
}

// The unit vector whose product with omega_b - omega_a is an angle's rate, and its rate of change.
struct AngleRow {
    glm::dvec3 direction{0.0};
    glm::dvec3 change{0.0};
};
AngleRow angle_row(const IslandJoint& joint, JointAxis axis, const JointGeometry& g, const glm::dvec3& omega_a,
                   const glm::dvec3& omega_b) noexcept {
    const glm::dvec3& a_z = g.axes[0][2];
    const glm::dvec3& b_z = g.axes[1][2];
    const glm::dvec3 a_z_rate = glm::cross(omega_a, a_z);
    const glm::dvec3 b_z_rate = glm::cross(omega_b, b_z);
    if (axis == JointAxis::Swing) { // the normal of both z, n = m / |m|; without swing any direction across will do
        const glm::dvec3 m = glm::cross(a_z, b_z);
        const double sine = glm::length(m);
        if (!(sine > 0.0)) {
            return {g.axes[0][0], glm::cross(omega_a, g.axes[0][0])};
        }
        const glm::dvec3 n = m / sine;
        const glm::dvec3 m_rate = glm::cross(a_z_rate, b_z) + glm::cross(a_z, b_z_rate);
        return {n, (m_rate - glm::dot(m_rate, n) * n) / sine};
    }
    const int k = rotation_index(axis);
    switch (angle_kind(joint, k)) {
    case AngleKind::Hinge:
    case AngleKind::UniversalFirst:
        return {g.axes[0][k], glm::cross(omega_a, g.axes[0][k])};
    case AngleKind::UniversalLast:
        return {g.axes[1][k], glm::cross(omega_b, g.axes[1][k])};
    case AngleKind::Twist: { // (a + b) / (1 + a . b), which is 2 n / |n|^2 for n = a + b
        const double cosine = 1.0 + glm::dot(a_z, b_z);
        const glm::dvec3 direction = (a_z + b_z) / cosine;
        const double cosine_rate = glm::dot(a_z_rate, b_z) + glm::dot(a_z, b_z_rate);
        return {direction, (a_z_rate + b_z_rate - cosine_rate * direction) / cosine};
    }
    }
    return {};
}

double angle_value(const IslandJoint& joint, JointAxis axis, const JointGeometry& g) noexcept {
    const glm::dmat3& a = g.axes[0];
    const glm::dmat3& b = g.axes[1];
    if (axis == JointAxis::Swing) {
        return arctangent(glm::length(glm::cross(a[2], b[2])), glm::dot(a[2], b[2]));
    }
    const int k = rotation_index(axis);
    const int i = (k + 1) % 3;
    const int j = (k + 2) % 3;
    switch (angle_kind(joint, k)) {
    case AngleKind::Hinge:
    case AngleKind::Twist: // by the quaternion of b in a, tan = z / w of half the angle: 4 w z over 2 (w^2 - z^2)
        return arctangent(glm::dot(b[i], a[j]) - glm::dot(b[j], a[i]), glm::dot(b[i], a[i]) + glm::dot(b[j], a[j]));
    case AngleKind::UniversalFirst: // takes a_i to b_i, the other hinge
        return arctangent(glm::dot(b[i], a[j]), glm::dot(b[i], a[i]));
    case AngleKind::UniversalLast: // takes a_j, the other hinge, to b_j
        return arctangent(glm::dot(a[j], b[i]), glm::dot(a[j], b[j]));
    }
    return 0.0;
}

} // namespace

bool is_turning(JointAxis axis) noexcept { return axis >= JointAxis::AngleX && axis <= JointAxis::AngleZ; }

bool is_angle(JointAxis axis) noexcept { return is_turning(axis) || axis == JointAxis::Swing; }

double coordinate_value(const IslandJoint& joint, JointAxis axis, const JointGeometry& g) noexcept {
    if (is_translation(axis)) {
        return glm::dot(g.offset, g.axes[0][translation_index(axis)]);
    }
    if (axis == JointAxis::Distance) {
        return glm::length(g.offset);
    }
    if (axis == JointAxis::Curve) {
        return g.curve.parameter;
    }
    return angle_value(joint, axis, g);
}

double unwrapped(double principal, double remembered) noexcept {
    constexpr double kTurn = 2.0 * std::numbers::pi;
    return principal + kTurn * std::floor((remembered - principal) / kTurn + 0.5);
}

std::array<Twist, 2> coordinate_jacobian(const IslandJoint& joint, JointAxis axis, const JointGeometry& g) noexcept {
    // A rate u . d', with d seen from frame a where `lever` says so.
    const auto along = [&](const glm::dvec3& u, const glm::dvec3& arm_a) -> std::array<Twist, 2> {
        return {Twist{-u, -glm::cross(arm_a, u)}, Twist{u, glm::cross(g.arm[1], u)}};
    };
    if (is_translation(axis)) {
        return along(g.axes[0][translation_index(axis)], g.arm[0] + g.offset);
    }
    if (axis == JointAxis::Distance) {
        const double length = glm::length(g.offset);
        return along(length > 0.0 ? g.offset / length : g.axes[0][0], g.arm[0]);
    }
    if (axis == JointAxis::Curve) { // s' = c' . d' / (c' . c' - e . c'')
        return along(g.curve.tangent / g.curve.slope, g.arm[0] + g.offset);
    }
    const glm::dvec3 u = angle_row(joint, axis, g, glm::dvec3(0.0), glm::dvec3(0.0)).direction;
    return {Twist{glm::dvec3(0.0), -u}, Twist{glm::dvec3(0.0), u}};
}

double coordinate_bias(const IslandJoint& joint, JointAxis axis, const JointGeometry& g, const Twist& a,
                       const Twist& b) noexcept {
    if (is_translation(axis)) {
        return offset_bias_along(g.axes[0][translation_index(axis)], g, a, b);
    }
    if (axis == JointAxis::Distance) { // |d|'' = u . d'' + (|d'|^2 - (u . d')^2) / |d|
        const double length = glm::length(g.offset);
        if (!(length > 0.0)) {
            return 0.0;
        }
        const glm::dvec3 u = g.offset / length;
        const glm::dvec3 rate = offset_rate(g, a, b);
        const double along = glm::dot(u, rate);
        return glm::dot(u, offset_bias(g, a, b)) + (glm::dot(rate, rate) - along * along) / length;
    }
    if (axis == JointAxis::Curve) { // s'' = (c' . d'' - c' . c'' s'^2) / c' . c', d on the curve and seen from frame a
        const glm::dvec3& t = g.curve.tangent;
        const double rate = curve_rate(g, a, b);
        return (offset_bias_along(t, g, a, b) - glm::dot(t, g.curve.curvature) * rate * rate) / g.curve.slope;
    }
    const AngleRow row = angle_row(joint, axis, g, a.angular, b.angular);
    return glm::dot(b.angular - a.angular, row.change);
}

} // namespace substep::detail
