// A request to the processor, for loops over many objects that lie far apart.
#pragma once

#include <cstddef>

namespace substep::detail {

/// Asks the processor to fetch `size` bytes into its cache while it does other things. Changes no result.
inline void prefetch([[maybe_unused]] const void* from, [[maybe_unused]] std::size_t size) noexcept {
#if defined(__GNUC__)
    constexpr std::size_t kLine = 64; // bytes of a line of the cache
    for (std::size_t at = 0; at < size; at += kLine) {
        __builtin_prefetch(static_cast<const std::byte*>(from) + at);
    }
#endif
}

} // namespace substep::detail
