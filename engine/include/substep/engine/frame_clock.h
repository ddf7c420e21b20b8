// Wall time to whole steps.
#pragma once

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Turns irregular wall time into whole steps of dt, keeping the remainder. Loses no time silently: what exceeds the
/// limit of steps per tick is counted in `lost`.
class FrameClock {
public:
    /// dt: step length, s, positive. max_steps: most steps one tick may ask for, so that a slow frame does not make
    /// the next one slower. Throws std::invalid_argument.
    explicit FrameClock(double dt = 1.0 / 60.0, int max_steps = 8);

    struct Tick {
        int steps = 0;          ///< steps of dt to take now
        double remainder = 0.0; ///< s, in [0, dt): how far wall time is ahead of the last step
        double lost = 0.0;      ///< s, dropped by this tick because of max_steps
    };

    /// Adds wall time (s) since the last tick; negative or non-finite times count as zero.
    Tick tick(double elapsed) noexcept;

    double dt() const noexcept { return dt_; }
    double total_lost() const noexcept { return total_lost_; } ///< s, since construction or reset
    void reset() noexcept;

private:
    double dt_;
    int max_steps_;
    double pending_ = 0.0;
    double total_lost_ = 0.0;
};

} // namespace substep

#pragma GCC visibility pop
