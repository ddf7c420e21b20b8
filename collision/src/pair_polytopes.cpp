// Boxes, hulls, and the segments of capsules among them.
#include "gjk.h"
#include "pairs.h"
#include "separating_axes.h"

namespace substep::detail {

Meeting meet_polytopes(const CorePair& pair, double limit) noexcept {
    const Meeting closest = closest_points(pair, limit);
    return closest.distance > 0.0 ? closest : least_overlap(pair);
}

Meeting meet_boxes(const CorePair& pair, double limit) noexcept {
    const Meeting axis = box_overlap(pair, limit);
    if (axis.distance <= 0.0 || axis.distance > limit || axis.has_points) {
        return axis;
    }
    // Apart, and closest at edges or corners.
    const Meeting closest = closest_points(pair, limit);
    return closest.distance > 0.0 ? closest : axis;
}

} // namespace substep::detail
