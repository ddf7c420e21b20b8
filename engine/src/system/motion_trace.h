// Tells the broad phase where the bodies of an island are, substep by substep.
#pragma once

#include <cstdint>
#include <span>

#include "bodies/body_step.h"
#include "substep/engine/body.h"

namespace substep::detail {

/// Writes to the ways and records of an island's bodies while a step of it is made. Off where no two bodies of the
/// world can touch.
class MotionTrace {
public:
    /// Begins a step of these bodies, in the order of the island's state. Both must outlive it.
    void begin(BodySteps& steps, std::span<const BodyId> bodies) noexcept;
    /// The state is y at time t.
    void pass(double t, std::span<const double> y) const noexcept;
    /// Ends it at y, and says who left his margin.
    void end(std::span<const double> y) noexcept;

private:
    BodySteps* steps_ = nullptr; ///< null: nothing is asked of the step
    std::span<StepPath> paths_;  ///< by the index of a body
    std::span<std::uint8_t> astray_;
    std::span<const BodyId> bodies_;
    double t1_ = 0.0; ///< s, where the step ends
};

} // namespace substep::detail
