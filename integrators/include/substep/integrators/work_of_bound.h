// What work besides evaluations counts for against the bound of an advance.
#pragma once

#include <cstdint>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Work besides evaluations and within them counts for one part in so many against a bound. That is to end what takes a
/// tenth of a second: evaluations of a body take 0.1 us, work for one up to 0.15 us, and three islands may meet it in
/// one frame.
inline constexpr std::int64_t kWorkOfBound = 5;

} // namespace substep

#pragma GCC visibility pop
