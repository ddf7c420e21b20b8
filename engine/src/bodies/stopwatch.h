// How long stages take. Nothing that moves depends on it.
#pragma once

#include <chrono>

namespace substep::detail {

/// Tells the time since it was made, or since it told it last. A look costs about 30 ns.
class Stopwatch {
public:
    /// s
    double lap() noexcept {
        const auto before = last_;
        last_ = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(last_ - before).count();
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

} // namespace substep::detail
