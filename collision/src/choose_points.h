// Four points of a manifold out of many.
#pragma once

#include <array>

#include "patch_overlap.h"
#include "substep/collision/manifold.h"

namespace substep::detail {

/// Drops points whose gap exceeds `most` (m), and of the others leaves up to four that lie far apart, as seen along the
/// normal. One of them has the least gap, to within 1e-4 of the distance between the farthest.
void choose_points(PatchPoints& points, const glm::dvec3& normal, double most) noexcept;

} // namespace substep::detail
