// Two questions that are asked of every state.
#pragma once

#include <cstring>
#include <span>

namespace substep::detail {

/// Times zero, a finite number is zero and any other NaN: one pass, no branch per component.
inline bool all_finite(std::span<const double> y) noexcept {
    double sum = 0.0;
    for (const double x : y) {
        sum += x * 0.0;
    }
    return sum == 0.0;
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) noexcept {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

} // namespace substep::detail
