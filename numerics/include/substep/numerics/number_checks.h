// Checks of numbers that come from outside, and the one sentence that names value and allowed range.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// By the bits: std::isfinite is always true where a host's flags say that every number is.
constexpr bool is_finite(double x) noexcept {
    constexpr std::uint64_t kExponent = 0x7ff0'0000'0000'0000u;
    return (std::bit_cast<std::uint64_t>(x) & kExponent) != kExponent;
}

/// Each throws std::invalid_argument, beginning with `what` and the value with its unit, unless the value is allowed.
void require_finite(std::string_view what, double value, std::string_view unit);
void require_not_negative(std::string_view what, double value, std::string_view unit);
void require_positive(std::string_view what, double value, std::string_view unit);

} // namespace substep::detail

#pragma GCC visibility pop
