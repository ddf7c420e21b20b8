// Hard limits and dry friction along the coordinates of joints, as unilateral constraints of one row.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "bodies/rigid_motion.h"
#include "contact/unilateral.h"
#include "joints/island_joint.h"
#include "joints/joint_actuators.h"
#include "joints/joint_rows.h"

namespace substep::detail {

/// One end of a coordinate's range, or dry friction along it. A limit's gap is side (value - bound) in m, of an angle
/// times the world's length; its row is that of the coordinate, times the same. Friction's row is that of the
/// coordinate, of an angle times the world's length.
struct JointStop {
    JointId id;
    int number = 0;    ///< of the joint among those of the island
    IslandJoint joint; ///< with the memory of its angles
    JointAxis axis = JointAxis::AngleZ;
    ConstraintKind kind = ConstraintKind::Limit;
    double side = 1.0;            ///< 1 at the lower end, -1 at the upper one; of friction 1
    double bound = 0.0;           ///< of a limit: m or rad; of friction: N or N m
    double unit = 1.0;            ///< m, of the coordinate in gap and row: the world's length for an angle
    double restitution = 0.0;     ///< of a limit
    std::array<BodyId, 2> ends{}; ///< the joint's bodies, second one first, for reports

    double load() const noexcept { return bound / unit; } ///< of friction, N: the most along its row
};

/// Appends the stops of a description, of the joint of that number. `joint` must have the memory of the angles
/// concerned.
void append_stops(JointId id, int number, const JointDesc& desc, const IslandJoint& joint,
                  std::vector<JointStop>& stops);

/// Makes the constraint of a stop; bodies after those whose inertias are given move as prescribed. Points to `stop`.
///
/// Tolerances of touch and rest are in metres. An angle counts with its lever, the radius of gyration of its body about
/// the joint, sqrt(k^2 + |anchor|^2) with the largest k: at that distance from the axis it is a length. Of two bodies
/// that move the larger lever counts.
UnilateralConstraint make_stop_constraint(const JointStop& stop, std::span<const BodyInertia> inertias) noexcept;

/// Returns a limit's gap where its bodies are; `memory` is that of the island's joints.
double stop_gap(const JointStop& stop, const BodyFrame& a, const BodyFrame& b, std::span<const double> memory) noexcept;

/// Computes gap and row, and the geometry that `stop_bias` wants.
ConstraintPlace place_of_stop(const JointStop& stop, const BodyFrame& a, const BodyFrame& b,
                              std::span<const double> memory, JointGeometry& geometry) noexcept;

/// Returns gamma of the stop's row, for the velocities of the joint's bodies.
double stop_bias(const JointStop& stop, const JointGeometry& geometry, const Twist& a, const Twist& b) noexcept;

/// Returns the wrench on the joint's second body, about the origin of frame_b, of a force x along the stop's row.
Wrench stop_wrench(const ConstraintPlace& place, double x, const ConstraintRow& row) noexcept;

} // namespace substep::detail
