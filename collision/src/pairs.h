// The pairs of the narrow phase, a file per kind. Each function returns where two cores meet, in the frame of the
// first; cores more than `limit` apart may end with an axis that parts them and the lower bound that it gives.
#pragma once

#include "core.h"

namespace substep::detail {

// Of the larger size: distances that differ by less are the same, whichever way they were found.
inline constexpr double kSameDistance = 1e-9;

// Of the larger size: cores that are closer give no good direction from one to the other, which is a difference of
// places divided by that distance. At 1e-6 a normal would be wrong by 1e-10.
inline constexpr double kTooCloseForNormal = 1e-6;

/// A ball's centre and: another, a capsule, a box, a cone. Closed forms.
Meeting meet_points(const CorePair& pair, double limit) noexcept;
Meeting meet_point_and_capsule(const CorePair& pair, double limit) noexcept;
Meeting meet_point_and_box(const CorePair& pair, double limit) noexcept;
Meeting meet_point_and_frustum(const CorePair& pair, double limit) noexcept;

/// Two capsules: of one radius each in closed form, else as round solids.
Meeting meet_capsules(const CorePair& pair, double limit) noexcept;

/// Two boxes.
Meeting meet_boxes(const CorePair& pair, double limit) noexcept;

/// Any polytopes: points, segments, boxes, hulls.
Meeting meet_polytopes(const CorePair& pair, double limit) noexcept;

/// Any cores; polytopes go to the function above.
Meeting meet_any(const CorePair& pair, double limit) noexcept;

/// Finds where a, which has two balls, meets b, if one ball is all that matters; else returns false.
bool meet_by_one_ball(const CorePair& pair, double limit, Meeting& meeting) noexcept;

/// Finds where a frustum a meets b, or a box a the segment b, if a closed form proves it; else returns false.
bool meet_in_closed_form(const CorePair& pair, double limit, Meeting& meeting) noexcept;

/// A core, and the half space that b_in_a places, whose surface is its x-z plane.
Meeting meet_half_space(const Core& a, const Placement& b_in_a) noexcept;

} // namespace substep::detail
