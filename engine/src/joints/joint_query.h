// Queries of joints between steps: whether a description fits, how far a joint is open, the values of its coordinates.
#pragma once

#include "bodies/body_store.h"
#include "joints/joint_record.h"

namespace substep::detail {

/// Makes the record of a new joint at time t, its frames normalised. Throws std::invalid_argument if it does not fit
/// the bodies that it names.
JointRecord make_joint(const BodyTable& bodies, const JointDesc& desc, double t);

/// Makes the record of a new coupling. Throws std::invalid_argument if it does not fit the joints that it names.
JointRecord make_coupling(const JointTable& joints, const CouplingDesc& desc);

/// Throws std::invalid_argument unless a joint has the coordinate.
void require_coordinate(const JointDesc& joint, JointAxis axis);

/// Returns the largest violation of a joint at time t: m, or the sine of an angle.
double joint_error(const BodyTable& bodies, const JointTable& joints, const JointRecord& joint, double t);

struct CoordinateState {
    double value = 0.0; ///< m or rad, with the turns that the joint remembers
    double rate = 0.0;
};
/// Returns a coordinate at time t. Throws std::invalid_argument if the joint does not have it.
CoordinateState joint_coordinate(const BodyTable& bodies, const JointRecord& joint, JointAxis axis, double t);

} // namespace substep::detail
