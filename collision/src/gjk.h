// The distance of two cores.
#pragma once

#include "core.h"

namespace substep::detail {

/// Returns where two cores are closest: Gilbert, Johnson & Keerthi's algorithm (IEEE J. Robotics and Automation 4,
/// 1988). Exact to rounding for polytopes, to 1e-12 of the larger size for round ones. Where they touch or overlap, the
/// distance is zero and has no points. Cores that some axis parts by more than `limit` may end with that axis and the
/// lower bound that it gives.
Meeting closest_points(const CorePair& pair, double limit) noexcept;

/// Finds the points of two cores that overlap whose normal and distance are known.
void find_overlap_points(const CorePair& pair, Meeting& meeting) noexcept;

} // namespace substep::detail
