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

/// s: no substep of soft steps that take over is longer where steps usually have that length (s), nor than in 1/60 s,
/// in a world in which `unit` (s) is what a second is in one of 1 m.
double longest_soft_substep(double usual_step, double unit) noexcept;

} // namespace substep::detail
