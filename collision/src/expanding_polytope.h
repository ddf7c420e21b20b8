// How deep round solids overlap.
#pragma once

#include "core.h"

namespace substep::detail {

/// Returns the least displacement that parts two cores that overlap or touch, by a polytope inside their difference
/// that grows towards its closest side (van den Bergen, "Proximity queries and penetration depth computation on 3D game
/// objects", GDC 2001). Known to 1e-9 of the larger size; points included.
Meeting round_overlap(const CorePair& pair) noexcept;

} // namespace substep::detail
