// When an island falls asleep: it is slow, does not get faster, and would stay slow if forces stayed as they are.
#pragma once

#include <span>

#include "bodies/rigid_motion.h"
#include "islands/model.h"

namespace substep::detail {

/// Watches whether an island rests. Speeds and accelerations are in units of the speeds below which bodies sleep: for
/// whole windows of time the island must be slower than 1; at the end of one it must not be faster than at its
/// beginning (a body that leaves an unstable balance is), and no acceleration may soon make it faster.
///
/// Velocity steps may leave bodies that tremble about where they rest: velocities change in every step, and come to
/// nothing. What is no faster than s through a time T, and accelerates one way, does not accelerate by more than 2 s /
/// T; what does has turned round since. So a pile that has moved alike for long enough rests although it trembles.
class RestWatch {
public:
    bool is_asleep() const noexcept { return asleep_; }

    /// Wakes the island; it has to be slow for another whole window.
    void wake() noexcept {
        asleep_ = false;
        restart_window();
    }
    void forget() noexcept { *this = {}; }

    /// The step was too fast, failed, or had a cause to move: the window begins anew.
    void restart_window() noexcept { slow_time_ = alike_time_ = fastest_at_first_ = 0.0; }

    /// Takes note of a step of length dt (s) that ended at `speed`, in windows of `window` (s). Returns true where the
    /// window is over and the island has not become faster: then the acceleration decides, and `decide` must be called.
    /// `may_tremble`: it was a velocity step.
    bool note_step(double dt, double speed, double window, bool may_tremble = false) noexcept;

    /// Whether velocity steps have left the island slow, and no faster than a tenth of the limits or twice as fast as
    /// in the first window, for `least` (s) and more, so that the acceleration (1/s) must have turned round in that
    /// time.
    bool trembles(double acceleration, double least) const noexcept;

    /// Falls asleep unless the largest acceleration (1/s) would lead beyond the limits within `foresight` (s).
    void decide(double acceleration, double foresight) noexcept;

    double slow_time() const noexcept { return slow_time_; }
    double speed_when_slow_began() const noexcept { return speed_when_slow_began_; }
    double alike_time() const noexcept { return alike_time_; }
    double fastest_at_first() const noexcept { return fastest_at_first_; }

    /// Takes back the values of a snapshot. False, unchanged, if they make no sense.
    bool restore(bool asleep, double slow_time, double speed_when_slow_began, double alike_time = 0.0,
                 double fastest_at_first = 0.0) noexcept;

private:
    double fastest_alike() const noexcept;
    void note_alike(double dt, double speed, double window, bool may_tremble) noexcept;

    double slow_time_ = 0.0;             ///< s, for which the island has been slow in this window
    double speed_when_slow_began_ = 0.0; ///< at the end of the window's first step
    double alike_time_ = 0.0;            ///< s, for which velocity steps have left it slow and no faster
    double fastest_at_first_ = 0.0;      ///< in the first window of that time
    bool asleep_ = false;
};

/// Returns the larger of `so_far` and a velocity or acceleration, in units of the limits.
double larger_in_limits(double so_far, const Twist& motion, const SleepSettings& limits) noexcept;

/// Returns the fastest body's speed now, in units of the limits.
double fastest_speed(const Model& model, std::span<const BodyId> bodies, const SleepSettings& limits) noexcept;

/// Returns the accelerations of a body whose state changes at the rate `rate`, and those by which a step of length
/// dt (s) changed its velocities: a velocity step is more than its derivative.
Twist acceleration_of(const BodyRecord& body, const BodyState& rate) noexcept;
Twist acceleration_over_step(const BodyRecord& body, double dt) noexcept;

} // namespace substep::detail
