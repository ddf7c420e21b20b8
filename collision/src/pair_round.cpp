// Cylinders, cones and capsules with two radii: with any other solid.
#include "expanding_polytope.h"
#include "gjk.h"
#include "pairs.h"

namespace substep::detail {

Meeting meet_any(const CorePair& pair, double limit) noexcept {
    if (pair.a.is_polytope() && pair.b.is_polytope()) {
        return meet_polytopes(pair, limit);
    }
    const Meeting closest = closest_points(pair, limit);
    return closest.distance > 0.0 ? closest : round_overlap(pair);
}

} // namespace substep::detail
