// Time as a count of equal steps: never the sum of many dt. And how long steps are but for jitter.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bodies/tolerances.h"

namespace substep::detail {

struct StepTime {
    double epoch = 0.0;      ///< s, where dt last changed
    double dt = 0.0;         ///< s
    std::uint64_t steps = 0; ///< since epoch
    double usual = 0.0;      ///< s, of steps of late: it stays where dt jitters; 0: there was none

    double now() const noexcept { return epoch + static_cast<double>(steps) * dt; }
    double next() const noexcept { return epoch + static_cast<double>(steps + 1) * dt; }

    /// Begins a new epoch where dt changes.
    void set_dt(double step) noexcept {
        if (step != dt) {
            *this = {now(), step, 0, usual};
        }
    }

    /// Lets `usual` follow the length of a step (s) in a world in which `unit` (s) is what a second is in one of 1 m.
    /// What differs by less than kJitter is jitter, what differs by more than kUnusual leads at once.
    void follow_usual(double step, double unit) noexcept {
        const double part = std::min(step / (kFollowsSteps * unit), 1.0);
        if (usual == 0.0) {
            usual = step;
        } else if (step > kJitter * usual) {
            usual = std::max(usual + part * (step - kJitter * usual), step / kUnusual);
        } else if (kJitter * step < usual) {
            usual = std::min(usual - part * (usual - kJitter * step), kUnusual * step);
        }
    }
};

} // namespace substep::detail
