// The free axes of joints as coordinates: value, Jacobian and bias. Couplings, limits, drives and friction use these.
#pragma once

#include <array>

#include "bodies/rigid_motion.h"
#include "joints/island_joint.h"
#include "joints/joint_rows.h"

namespace substep::detail {

/// Whether the coordinate is an angle, known only up to whole turns.
bool is_turning(JointAxis axis) noexcept;
/// Whether a coordinate is an angle, in rad: those that turn, and the swing of a ball, which does not count turns.
bool is_angle(JointAxis axis) noexcept;

/// Returns the coordinate in m or rad. Angles lie within (-pi, pi]; a swing lies within [0, pi].
double coordinate_value(const IslandJoint& joint, JointAxis axis, const JointGeometry& geometry) noexcept;

/// Returns the angle that differs from `principal` by whole turns and is nearest to `remembered`.
double unwrapped(double principal, double remembered) noexcept;

/// Returns J with value' = J (v, omega): factors of velocity and angular velocity, for both ends.
std::array<Twist, 2> coordinate_jacobian(const IslandJoint& joint, JointAxis axis,
                                         const JointGeometry& geometry) noexcept;

/// Returns gamma with value'' = J (v', omega') + gamma.
double coordinate_bias(const IslandJoint& joint, JointAxis axis, const JointGeometry& geometry, const Twist& a,
                       const Twist& b) noexcept;

} // namespace substep::detail
