// What the stages of a step of the world cost.
#pragma once

#include <initializer_list>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Time (s) that each stage of a step took, by the clock. Stages of islands are summed over all threads: with several
/// their sum may be more than the time that passed. They differ from run to run, and are no part of hash or snapshots.
struct StageTimes {
    double search = 0.0;    ///< s: which colliders could touch, by their bounds (broad phase)
    double islands = 0.0;   ///< s: which bodies belong together, which of them sleep or are piles; steps taken back
    double collision = 0.0; ///< s: of piles (soft and convex steps): which pairs are near, and their points
    double solver = 0.0;    ///< s: of piles: forces of contacts, joints in piles included, and how bodies move by them
    /// s: islands that are no piles, by the method of their own, by modes or by impulses, with their points and joints;
    /// and free bodies
    double methods = 0.0;
    double rest = 0.0; ///< s: bodies into piles and back, forces on them, reports of contacts, triggers, ledger

    /// Their sum, s.
    double total() const noexcept { return search + islands + collision + solver + methods + rest; }

    StageTimes& operator+=(const StageTimes& other) noexcept {
        search += other.search;
        islands += other.islands;
        collision += other.collision;
        solver += other.solver;
        methods += other.methods;
        rest += other.rest;
        return *this;
    }
    StageTimes& operator*=(double factor) noexcept {
        for (double* const stage : {&search, &islands, &collision, &solver, &methods, &rest}) {
            *stage *= factor;
        }
        return *this;
    }
};

} // namespace substep

#pragma GCC visibility pop
