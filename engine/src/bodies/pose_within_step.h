// Where a body was between both ends of the last step, if no dense output tells.
#pragma once

#include <span>

#include "bodies/body_step.h"
#include "bodies/body_store.h"

namespace substep::detail {

/// Pose at time t (s) in the last step, [begin, end]: the cubic through both ends and their velocities. `hits` are
/// where its velocity jumped on the way, in the order of time, each with the velocity behind it. The cubic of the place
/// begins with the last hit before t; up to each hit it is the parabola that begins as the body went on from the one
/// before, which is what falls freely. The cubic of the orientation knows of no hits.
Pose pose_within_step(const BodyRecord& body, std::span<const PathPiece> hits, double t, double begin,
                      double end) noexcept;

} // namespace substep::detail
