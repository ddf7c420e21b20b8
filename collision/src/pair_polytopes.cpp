// Boxes, hulls, and the segments of capsules among them.
#include "expanding_polytope.h"
#include "gjk.h"
#include "pairs.h"
#include "separating_axes.h"

namespace substep::detail {

Meeting meet_polytopes(const CorePair& pair, double limit) noexcept {
    Simplex last;
    const Meeting closest = closest_points(pair, limit, kExactDistance, last);
    if (closest.distance > 0.0) {
        return closest;
    }
    if (pair.a.kind == Core::Kind::Hull || pair.b.kind == Core::Kind::Hull) {
        // Of their many pairs of edges few are near the origin.
        bool is_proved = false;
        const Meeting meeting = expand_to_surface(pair, last, is_proved);
        if (is_proved) {
            return meeting;
        }
    }
    return least_overlap(pair);
}

Meeting meet_boxes(const CorePair& pair, double limit) noexcept {
    const Meeting axis = box_overlap(pair, limit);
    if (axis.distance <= 0.0 || axis.distance > limit || axis.has_points) {
        return axis;
    }
    // Apart, and closest at edges or corners.
    Simplex last;
    const Meeting closest = closest_points(pair, limit, kExactDistance, last);
    return closest.distance > 0.0 ? closest : axis;
}

} // namespace substep::detail
