// The coordinates of joints as the demo speaks of them, and how they lie in space.
#pragma once

#include <array>
#include <string>

#include "substep/engine/joint.h"

namespace substep {

inline constexpr std::array kJointAxes{JointAxis::X,      JointAxis::Y,        JointAxis::Z,
                                       JointAxis::AngleX, JointAxis::AngleY,   JointAxis::AngleZ,
                                       JointAxis::Swing,  JointAxis::Distance, JointAxis::Curve};

/// Whether it is in rad; in m otherwise, but for a curve's parameter.
bool is_angle(JointAxis axis) noexcept;

/// What scripts call it: "x", "angle_z", "swing" and so on.
std::string word_of(JointAxis axis);

/// What people call it: "travel" for the one translation that a joint leaves free, "twist" for AngleZ of a ball.
std::string label_of(const JointDesc& joint, JointAxis axis);

/// Where an angle is measured: in a plane through the joint, from `zero` towards `quarter` (unit vectors, world), and
/// the direction in which body_b points now.
struct AnglePlane {
    glm::dvec3 zero{0.0};
    glm::dvec3 quarter{0.0};
    glm::dvec3 now{0.0};
};

/// Returns the plane of an angle of a joint whose frames have these orientations in the world.
AnglePlane plane_of(const JointDesc& joint, JointAxis axis, const glm::dquat& a, const glm::dquat& b);

} // namespace substep
