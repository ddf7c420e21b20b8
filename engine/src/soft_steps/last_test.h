// The last full test of a pair: what of it a pair remembers follows from the pose of that test alone.
#pragma once

#include "bodies/carried_solid.h"
#include "soft_steps/pile.h"

namespace substep::detail {

/// Returns how far (m) a test looks, in a world of this length (m): farther than pairs are near, so that what is tested
/// is told from what need not be for a while.
double tested_margin(double length) noexcept;

/// Finds the points of a pair's last test again, from the pose that it remembers of that: where the test was made, the
/// first body was the frame, so that the result is the same to the bit. Writes all that the test told; forces stay.
/// `length`: m, of the world. Returns false, with nothing said of the points, if they are not as many as it remembers.
bool find_again(const CarriedSolid& a, const CarriedSolid& b, double length, PairMemory& memory) noexcept;

} // namespace substep::detail
