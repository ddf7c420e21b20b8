// Time as a count of equal steps: never the sum of many dt.
#pragma once

#include <cstdint>

namespace substep::detail {

struct StepTime {
    double epoch = 0.0;      ///< s, where dt last changed
    double dt = 0.0;         ///< s
    std::uint64_t steps = 0; ///< since epoch

    double now() const noexcept { return epoch + static_cast<double>(steps) * dt; }
    double next() const noexcept { return epoch + static_cast<double>(steps + 1) * dt; }

    /// Begins a new epoch where dt changes.
    void set_dt(double step) noexcept {
        if (step != dt) {
            *this = {now(), step, 0};
        }
    }
};

} // namespace substep::detail
