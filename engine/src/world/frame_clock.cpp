// Wall time to whole steps.
#include "substep/engine/frame_clock.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bodies/validation.h"

namespace substep {

FrameClock::FrameClock(double dt, int max_steps) : dt_(dt), max_steps_(max_steps) {
    detail::require_positive("The step dt", dt, "s");
    if (max_steps < 1) {
        throw std::invalid_argument("max_steps is " + std::to_string(max_steps) + "; it must be at least 1.");
    }
}

FrameClock::Tick FrameClock::tick(double elapsed) noexcept {
    if (std::isfinite(elapsed) && elapsed > 0.0) {
        pending_ += elapsed;
    }
    Tick tick;
    const double whole = std::floor(pending_ / dt_);
    tick.steps = static_cast<int>(std::min(whole, static_cast<double>(max_steps_)));

    // Steps beyond the limit are dropped and counted; rounding must not push the remainder out of [0, dt).
    tick.lost = (whole - tick.steps) * dt_;
    total_lost_ += tick.lost;
    pending_ = std::clamp(pending_ - whole * dt_, 0.0, std::nextafter(dt_, 0.0));
    tick.remainder = pending_;
    return tick;
}

void FrameClock::reset() noexcept {
    pending_ = 0.0;
    total_lost_ = 0.0;
}

} // namespace substep
