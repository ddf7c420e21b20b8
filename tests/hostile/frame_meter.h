// What the frames of a life cost.
#pragma once

#include <cstddef>
#include <cstdint>

#include "substep/substep.h"

namespace hostile {

/// Advances a world under a budget of its own, in place of what the life drew, and measures the time that each frame
/// takes of its thread. Where it gives none, the world's bound is all that limits a frame.
class FrameMeter {
public:
    /// One frame. A step longer than 1/60 s counts as so many frames, as a bound has it.
    struct Frame {
        double milliseconds = 0.0; ///< of the thread, for each 1/60 s and not for less
        int number = 0;            ///< of the life's advances, from 0
        std::size_t bodies = 0;
        std::int64_t evaluations = 0;
        std::int64_t work = 0; ///< StepReport::contact_work
        bool met_bound = false;
    };

    /// `budget` is in evaluations of each body, times bodies for a world; 0: none.
    explicit FrameMeter(int budget) noexcept : budget_(budget) {}

    /// Says that something was edited: the next frame is a first one, which may allocate and close joints.
    void edited() noexcept { is_first_ = true; }

    substep::StepReport advance(substep::World& world, double dt);

    const Frame& worst() const noexcept { return worst_; }
    const Frame& worst_first() const noexcept { return worst_first_; }

    /// Time of all frames, ms, and what they cost by the count of budgets: evaluations and work, times bodies.
    double milliseconds() const noexcept { return milliseconds_; }
    double units() const noexcept { return units_; }

private:
    void limit(substep::World& world) const;

    int budget_;
    int count_ = 0;
    bool is_first_ = true;
    Frame worst_;
    Frame worst_first_;
    double milliseconds_ = 0.0;
    double units_ = 0.0;
};

} // namespace hostile
