// The flag by which a host ends a step early.
#pragma once

#include <atomic>

namespace substep::detail {

/// Whether the host has raised its flag; null: it has none. What it ends is read by whoever looks next, and no data of
/// the host's: no order is asked for.
inline bool is_raised(const std::atomic<bool>* flag) noexcept {
    return flag != nullptr && flag->load(std::memory_order_relaxed);
}

} // namespace substep::detail
