// What the sources of IntegratorService that look for the length of an adaptive substep share.
#pragma once

#include <cstdint>
#include <limits>

#include "substep/integrators/integrator_service.h"

namespace substep {

// The search for the length of one substep: what its attempts share, and the one that is being made.
struct IntegratorService::Search {
    double remaining = 0.0;  // s, of the interval
    double to_stop = 0.0;    // s, until t_stop
    double h_longest = 0.0;  // s, whatever the error
    double h_shortest = 0.0; // s: time does not resolve what is no longer
    double natural = 0.0;    // s: what the controller wants
    double h_allowed = 0.0;  // s: the settings accept what is no longer whatever its error
    bool exact = false;
    bool has_theta = false;  // under a guard that knows of all forces, theta makes what no length of the method can
    bool guarded = false;    // the guard has looked at this substep
    double omega = 0.0;      // rad/s, under the guard: the fastest frequency
    std::int64_t looked = 0; // evaluations that finding it cost, and that belong to a splitting's substep
    double off_manifold = std::numeric_limits<double>::infinity(); // s: no floor is higher, once one left the manifold
    int attempt = 1;
    double tried_h = 0.0;     // s, of the last rejected attempt
    double tried_error = 0.0; // and its error, in units of the tolerance
    int non_finite = 0;       // attempts in a row
    int splits = 0;

    bool is_free = false;   // the budget does not touch the attempt: it is made, and judged, as if there were none
    double h = 0.0;         // s, of the attempt
    double floor = 0.0;     // s: budget and h_min allow no shorter one
    bool stretches = false; // the budget makes it longer than the controller wants, but not as long as its floor
    double most = 1.0;      // the error up to which it is accepted, in units of the tolerance
    bool at_floor = false;  // so it is accepted whatever its error
};

// An attempt that was made: its error in units of the tolerance, and what becomes of it.
struct IntegratorService::Trial {
    StepOutcome outcome;
    double error = std::numeric_limits<double>::infinity();
    bool finite = false;
    bool is_last_chance = false; // a retry within floor and budget could not be shorter
    StepController::Decision judged;
};

namespace detail {

// What the error of a substep grows by where it is longer by `factor`.
inline double error_growth(double factor, int error_order) {
    double growth = 1.0;
    for (int i = 0; i <= error_order; ++i) {
        growth *= factor;
    }
    return growth;
}

// True if the controller may cover what remains in so many substeps, the first h long: each longer than the one before
// by as much as it allows, the one behind a retry by no more than it allows there.
inline bool may_arrive(const ControllerSettings& controller, double h, bool retried, double remaining,
                       std::int64_t substeps) {
    double growth = retried && !controller.grow_after_rejection ? 1.0 : controller.growth_limit;
    for (; substeps > 0 && remaining > 0.0; --substeps) {
        remaining -= h;
        h *= growth;
        growth = controller.growth_limit;
    }
    return !(remaining > 0.0);
}

} // namespace detail
} // namespace substep
