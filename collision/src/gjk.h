// The distance of two cores.
#pragma once

#include "core.h"
#include "simplex.h"

namespace substep::detail {

/// Returns where two cores are closest: Gilbert, Johnson & Keerthi's algorithm (IEEE J. Robotics and Automation 4,
/// 1988). The distance is known to a share `accuracy` of the larger size, and of polytopes to rounding whatever is
/// asked. Where they touch or overlap, it is zero and has no points. Cores that some axis parts by more than `limit`
/// may end with that axis and the lower bound that it gives. `last` is the simplex that the search ended with: around
/// the origin, where they overlap.
Meeting closest_points(const CorePair& pair, double limit, double accuracy, Simplex& last) noexcept;

/// The accuracy that distances have.
inline constexpr double kExactDistance = 1e-13;

/// Finds the points of two cores that overlap whose normal and distance are known.
void find_overlap_points(const CorePair& pair, Meeting& meeting) noexcept;

} // namespace substep::detail
