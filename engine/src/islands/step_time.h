// Time as a count of equal steps: never the sum of many dt. And how long steps are but for jitter.
#pragma once

#include <cstdint>

namespace substep::detail {

struct StepTime {
    double epoch = 0.0;      ///< s, where dt last changed
    double dt = 0.0;         ///< s
    std::uint64_t steps = 0; ///< since epoch
    double usual = 0.0;      ///< s, the longest of late, but for those that stall; 0: there was none

    double now() const noexcept { return epoch + static_cast<double>(steps) * dt; }
    double next() const noexcept { return epoch + static_cast<double>(steps + 1) * dt; }

    /// Begins a new epoch where dt changes.
    void set_dt(double step) noexcept {
        if (step != dt) {
            *this = {now(), step, 0, usual};
        }
    }

    /// Lets `usual` follow the length of the next step (s), in a world in which `unit` (s) is what a second is in one
    /// of 1 m: before `set_dt`. It is the longer ones' among steps that jitter, for contacts must not be stiffer for
    /// good than those of a step's own length. A step counts where the last one was as unusual: one that stalls does
    /// not.
    void follow_usual(double step, double unit) noexcept;
};

/// s: by substeps so long it is told into how many intervals soft steps that take over divide a step, which stalls
/// where steps usually have that length (s), in a world in which `unit` (s) is what a second is in one of 1 m.
double substep_of_stalls(double usual_step, double unit) noexcept;

} // namespace substep::detail
