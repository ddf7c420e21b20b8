// How deep polytopes overlap.
#pragma once

#include "core.h"

namespace substep::detail {

/// Sine of the angle between two edges: below it the direction across both is rounding, and the overlap along it
/// differs from that along a face by less than this times a size.
inline constexpr double kParallelEdges = 1e-8;
/// Of the larger size: an edge pair parts by so much more than the best face, or the face is taken.
inline constexpr double kFaceIsBetter = 1e-10;

/// Returns the least displacement that parts two polytopes that overlap or touch, exact to rounding: the largest
/// distance along the normals of all faces and of all pairs of edges. Points are left out.
Meeting least_overlap(const CorePair& polytopes) noexcept;

/// The same of two boxes, and of boxes that are apart too: then the distance is a lower bound, unless has_points says
/// that a vertex lies over the other's face or that two edges are as close. Boxes more than `margin` apart may end with
/// any such bound.
Meeting box_overlap(const CorePair& boxes, double margin) noexcept;

} // namespace substep::detail
