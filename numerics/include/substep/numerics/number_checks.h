// Checks of numbers that come from outside, and the one sentence that names value and allowed range.
#pragma once

#include <cmath>
#include <string_view>

namespace substep::detail {

inline bool is_finite(double x) noexcept { return std::isfinite(x); }

/// Each throws std::invalid_argument, beginning with `what` and the value with its unit, unless the value is allowed.
void require_finite(std::string_view what, double value, std::string_view unit);
void require_not_negative(std::string_view what, double value, std::string_view unit);
void require_positive(std::string_view what, double value, std::string_view unit);

} // namespace substep::detail
