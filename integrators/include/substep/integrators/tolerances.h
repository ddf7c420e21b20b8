// Tolerances that more than one layer goes by.
#pragma once

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// s: an error of a velocity counts as the length that it becomes in this time, here and in a model's own measure.
inline constexpr double kRateTime = 0.1;
/// m, or the unit of a model's own measure: an error is compared with the state itself, or with this where the state is
/// smaller.
inline constexpr double kSmallestNorm = 1e-3;

} // namespace substep

#pragma GCC visibility pop
