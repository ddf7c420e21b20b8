// Piles without a world that take convex steps, with joints where there are any.
#pragma once

#include <vector>

#include "convex_step/convex_solver.h"
#include "pile_driver.h"

namespace substep::test {

class ConvexDriver : public PileDriver {
public:
    detail::ConvexSolver convex;
    detail::ConvexEffort effort;
    std::vector<detail::ConvexJoint> joints;
    std::vector<detail::ConvexRow> rows;

    detail::ConvexResult solve() {
        write_gravity();
        const detail::ConvexResult result =
            convex.advance(step, {bodies, solids, pairs, memory}, {joints, rows}, effort);
        step.t += step.dt;
        return result;
    }

    detail::ConvexResult advance() {
        find_pairs();
        return solve();
    }
};

} // namespace substep::test
