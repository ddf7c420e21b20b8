// How deep solids overlap, by a polytope that grows.
#pragma once

#include "core.h"
#include "simplex.h"

namespace substep::detail {

/// Returns the least displacement that parts two cores that overlap or touch: a polytope inside their difference grows
/// towards its closest side, until that is on the surface (van den Bergen, "Proximity queries and penetration depth
/// computation on 3D game objects", GDC 2001). `inside` is the simplex to begin with, if it has four vertices.
///
/// Where `is_proved`, the depth is known to 1e-9 of the larger size, or exactly, and nothing is less deep by more than
/// 1e-8 of it. Else so much is proved as the room for vertices allowed, and the rest found by Newton's method from
/// every face that was near: of round solids, that is.
Meeting expand_to_surface(const CorePair& pair, const Simplex& inside, bool& is_proved) noexcept;

} // namespace substep::detail
