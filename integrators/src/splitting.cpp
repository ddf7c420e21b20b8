// Kick and drift sequences, and the velocity step.
#include "splitting.h"

#include <algorithm>

namespace substep::detail {

namespace {

/// y += h force, which changes the momenta only.
void kick(std::span<double> y, double h, std::span<const double> force) noexcept {
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += h * force[i];
    }
}

/// Makes k(0) the force at the substep's start; returns the evaluations it took.
int force_at_start(KickDriftSplit& split, double t, StepWorkspace& w) noexcept {
    if (w.k0_ready) {
        return 0;
    }
    split.force(t, w.y0, w.k(0));
    w.k0_ready = true;
    return 1;
}

} // namespace

StepOutcome symplectic_euler(OdeSystem& system, double t, double h, StepWorkspace& w) noexcept {
    KickDriftSplit& split = *system.kick_drift_split();
    StepOutcome outcome;
    outcome.evaluations = force_at_start(split, t, w);
    std::ranges::copy(w.y0, w.y1.begin());
    kick(w.y1, h, w.k(0));
    outcome.ok = split.drift(t, h, w.y1);
    split.project_momenta(t + h, w.y1);
    return outcome;
}

StepOutcome velocity_verlet(OdeSystem& system, double t, double h, StepWorkspace& w) noexcept {
    KickDriftSplit& split = *system.kick_drift_split();
    StepOutcome outcome;
    outcome.evaluations = force_at_start(split, t, w) + 1;
    std::ranges::copy(w.y0, w.y1.begin());
    kick(w.y1, 0.5 * h, w.k(0));
    outcome.ok = split.drift(t, h, w.y1);
    split.force(t + h, w.y1, w.k(1));
    kick(w.y1, 0.5 * h, w.k(1));
    split.project_momenta(t + h, w.y1);
    return outcome;
}

StepOutcome impulse_euler(OdeSystem& system, double t, double h, StepWorkspace& w) noexcept {
    std::ranges::copy(w.y0, w.y1.begin());
    return {.evaluations = 1, .ok = system.velocity_step()->velocity_step(t, h, w.y1)};
}

} // namespace substep::detail
