// Soft steps: an interval of a pile.
#pragma once

#include <memory>

#include "soft_steps/pile.h"

namespace substep::detail {

struct PileKernels;
class PileTies;
class ThreadTeam;

/// How the work of an interval is dealt out. Changes no bit of it.
struct PileOrder {
    const PileKernels* kernels = nullptr; ///< null: the best for this processor
    bool is_reversed = false;             ///< blocks of a colour from the last to the first
};

/// Advances piles. Keeps nothing from one interval to the next but room for numbers: piles may take turns, and one
/// solver a thread is enough.
class PileSolver {
public:
    explicit PileSolver(const PileOrder& order = {});
    PileSolver(PileSolver&&) noexcept;
    PileSolver& operator=(PileSolver&&) noexcept;
    ~PileSolver();

    /// Advances a pile by step.dt: states and memory are those of the interval's end afterwards. Forces that change,
    /// ties between bodies and a team may be null; a team changes no bit. Allocates to grow only.
    PileResult advance(const PileStep& step, const Pile& pile, PileForces* forces = nullptr, PileTies* ties = nullptr,
                       ThreadTeam* team = nullptr);

private:
    struct Workspace;
    std::unique_ptr<Workspace> workspace_;
};

} // namespace substep::detail
