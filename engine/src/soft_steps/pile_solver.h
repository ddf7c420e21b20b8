// Soft steps: an interval of a pile.
#pragma once

#include <memory>

#include "soft_steps/pile.h"

namespace substep::detail {

/// Advances piles. Keeps nothing from one interval to the next but room for numbers: piles may take turns, and one
/// solver a thread is enough.
class PileSolver {
public:
    PileSolver();
    PileSolver(PileSolver&&) noexcept;
    PileSolver& operator=(PileSolver&&) noexcept;
    ~PileSolver();

    /// Advances a pile by step.dt: states and memory are those of the interval's end afterwards. Allocates to grow
    /// only.
    PileResult advance(const PileStep& step, const Pile& pile, PileForces* forces = nullptr);

private:
    struct Workspace;
    std::unique_ptr<Workspace> workspace_;
};

} // namespace substep::detail
