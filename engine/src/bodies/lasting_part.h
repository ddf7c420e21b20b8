// How much of impulses that were remembered may be begun with.
#pragma once

#include <algorithm>

namespace substep::detail {

/// Impulses change the energy (J) of what they act on by s first + s^2 square where the part s of them is given.
/// Returns the part (0 to 1) that takes most, if all of them would give some, else 1.
inline double part_that_takes_most(double first, double square) noexcept {
    return first + square > 0.0 ? std::clamp(-first / (2.0 * square), 0.0, 1.0) : 1.0;
}

} // namespace substep::detail
