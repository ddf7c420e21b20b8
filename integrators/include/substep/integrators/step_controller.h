// How long the next substep is, and whether the last one is accepted.
#pragma once

#include "substep/integrators/integration_method.h"

namespace substep {

/// Constants of the elementary ("I") controller, h <- h clamp(safety err^(-1/root), shrink_limit, growth_limit), with a
/// dead band (Hairer, Norsett & Wanner I, II.4). Plain data.
struct ControllerSettings {
    double safety = 0.9;       ///< below 1: aims under the tolerance, so that few attempts are rejected
    double shrink_limit = 0.2; ///< smallest factor, in (0, 1)
    double growth_limit = 5.0; ///< largest factor, above 1

    /// The wanted factor of an accepted substep may lie in [keep_from, keep_to] without h changing. It keeps the root
    /// off the critical path, and h from flickering. keep_from = keep_to = 1: no dead band.
    double keep_from = 0.95;
    double keep_to = 1.2;

    /// Roots for a retry and for the next substep; 0: order of the error estimate + 1.
    int retry_root = 0;
    int next_root = 0;

    bool grow_after_rejection = false; ///< allow h to grow right after a rejected attempt (usually rejected again)

    /// Under Boundary::Exact: false splits what is left of the interval evenly, true clips the last substep to it.
    bool clip_last = false;
};

/// A controller made ready for one method: thresholds are computed once, so that judging a substep in the dead band
/// takes two comparisons.
class StepController {
public:
    StepController() = default;

    /// Throws std::invalid_argument naming the constant that is out of range.
    StepController(const ControllerSettings& settings, const MethodInfo& method);

    /// What becomes of an attempt.
    struct Decision {
        bool accepted = false;
        double h_next = 0.0; ///< s: of the retry if rejected, of the next substep if accepted
    };

    /// Judges an attempt of length h (s) with error `err` (in units of the tolerance; NaN counts as too large).
    /// `retried`: an attempt at this substep was rejected before.
    Decision judge(double err, double h, bool retried) const noexcept;

private:
    ControllerSettings settings_;
    int retry_root_ = 2;
    int next_root_ = 2;
    double keep_above_ = 0.0; ///< err in [keep_above_, keep_below_] keeps h
    double keep_below_ = 0.0;
    double grow_below_ = 0.0; ///< err below this asks for more than the growth limit
};

} // namespace substep
