// The coordinates of joints as the demo speaks of them, and how they lie in space.
#include "joint_axes.h"

#include <algorithm>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

namespace substep {

bool is_angle(JointAxis axis) noexcept { return axis >= JointAxis::AngleX && axis <= JointAxis::Swing; }

std::string word_of(JointAxis axis) {
    constexpr std::array kWords{"x", "y", "z", "angle_x", "angle_y", "angle_z", "swing", "distance", "curve"};
    return kWords[static_cast<std::size_t>(axis)];
}

std::string label_of(const JointDesc& joint, JointAxis axis) {
    constexpr std::array kLabels{"along x", "along y", "along z",  "about x",  "about y",
                                 "about z", "swing",   "distance", "parameter"};
    const auto free_translations = std::ranges::count(joint.locked_translation(), false);
    const auto free_rotations = std::ranges::count(joint.locked_rotation, false);
    if (axis <= JointAxis::Z && free_translations == 1) return "travel";
    if (axis == JointAxis::AngleZ && free_rotations == 3) return "twist";
    if (is_angle(axis) && free_rotations == 1) return "angle";
    return kLabels[static_cast<std::size_t>(axis)];
}

AnglePlane plane_of(const JointDesc& joint, JointAxis axis, const glm::dquat& a, const glm::dquat& b) {
    const glm::dmat3 axes_a = glm::mat3_cast(a);
    const glm::dmat3 axes_b = glm::mat3_cast(b);
    if (axis == JointAxis::Swing) {
        // In the plane of both z; any plane while they agree.
        const glm::dvec3 across = axes_b[2] - glm::dot(axes_b[2], axes_a[2]) * axes_a[2];
        const double size = glm::length(across);
        return {axes_a[2], size > 1e-9 ? across / size : axes_a[0], axes_b[2]};
    }
    const int k = static_cast<int>(axis) - static_cast<int>(JointAxis::AngleX);
    const int next = (k + 1) % 3;
    const int last = (k + 2) % 3;
    const auto locked = std::ranges::count(joint.locked_rotation, true);
    if (locked == 0) {
        // A twist about z, then the shortest way from z to z: the second takes frame a's x to where twist zero is.
        const double cosine = glm::dot(axes_a[2], axes_b[2]);
        if (cosine < -0.999999) return {axes_a[0], axes_a[1], axes_b[0]}; // half a turn: any way is the shortest
        const glm::dvec3 half = glm::cross(axes_a[2], axes_b[2]);
        const glm::dquat swing = glm::normalize(detail::quaternion(1.0 + cosine, half.x, half.y, half.z));
        return {swing * axes_a[0], swing * axes_a[1], axes_b[0]};
    }
    if (locked == 1 && joint.locked_rotation[static_cast<std::size_t>(next)]) {
        // The second hinge of a universal joint: about k of frame b, from the first hinge's axis.
        return {axes_a[last], glm::cross(axes_b[k], axes_a[last]), axes_b[last]};
    }
    return {axes_a[next], axes_a[last], axes_b[next]};
}

} // namespace substep
