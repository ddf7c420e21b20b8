// How finely events are located in time.
#pragma once

#include <limits>

namespace substep::detail {

/// Width of the window in which a crossing is located, in units of |t| + h.
inline constexpr double kEventWindow = 100.0 * std::numeric_limits<double>::epsilon();

} // namespace substep::detail
