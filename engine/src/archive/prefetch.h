// A request to the processor, for loops over many objects that lie far apart.
#pragma once

#include <cstddef>

namespace substep::detail {

/// Asks the processor to fetch `size` bytes into its cache while it does other things. Changes no result.
inline void prefetch([[maybe_unused]] const void* from, [[maybe_unused]] std::size_t size) noexcept {
#if defined(__GNUC__)
    constexpr std::size_t kLine = 64; // bytes of a line of the cache
    const auto* const begin = static_cast<const std::byte*>(from);
#pragma GCC unroll 8 // sizes are known when it is compiled, and the loop would cost more than its requests
    for (const std::byte* at = begin; at < begin + size; at += kLine) {
        __builtin_prefetch(at);
    }
    __builtin_prefetch(begin + size - 1); // it may lie in one line more
#endif
}

} // namespace substep::detail
