// A few bodies through one step, with all contacts and joints solved at once and to the end.
#pragma once

#include <memory>

#include "convex_step/convex_step.h"

namespace substep::detail {

/// Advances piles by a converged step at velocity level: 1/2 |V - V*|^2 by the masses, and the potentials of contacts
/// and joints, have one minimum, which Newton's method finds. Nothing of one call is left for the next but room: all
/// that lasts is in the pile and in the forces of rows.
///
/// First order in the step. For up to about 150 bodies and 1000 points: a step costs a factorisation or a few.
class ConvexSolver {
public:
    ConvexSolver();
    ConvexSolver(ConvexSolver&&) noexcept;
    ConvexSolver& operator=(ConvexSolver&&) noexcept;
    ~ConvexSolver();

    /// Advances bodies and memory by the step's `dt` at once, whatever its substeps; what acts is that where it begins.
    /// Allocates until it has had piles as large.
    ConvexResult advance(const PileStep& step, const Pile& pile, const ConvexJoints& joints = {},
                         const ConvexEffort& effort = {});

private:
    struct Workspace;
    std::unique_ptr<Workspace> workspace_;
};

} // namespace substep::detail
