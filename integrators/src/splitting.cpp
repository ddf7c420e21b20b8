// Kick and drift sequences, the velocity step and the linearly implicit step.
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
int force_at_start(KickDriftSplit& split, double t, StepWorkspace& w) {
    if (w.k0_ready) {
        return 0;
    }
    split.force(t, w.y0, w.k(0));
    w.k0_ready = true;
    return 1;
}

/// A step of symplectic Euler in place: kick h, drift h between two halves of the turn, momenta projected: Verlet's
/// step begun elsewhere, and as stable. Returns false if the drift failed.
bool kick_and_drift(KickDriftSplit& split, double t, double h, std::span<const double> force, std::span<double> y) {
    kick(y, h, force);
    split.turn(t, 0.5 * h, y);
    const bool ok = split.drift(t, h, y);
    split.turn(t + h, 0.5 * h, y);
    split.project_momenta(t + h, y);
    return ok;
}

} // namespace

StepOutcome symplectic_euler(OdeSystem& system, double t, double h, StepWorkspace& w) {
    KickDriftSplit& split = *system.kick_drift_split();
    StepOutcome outcome;
    outcome.evaluations = force_at_start(split, t, w);
    std::ranges::copy(w.y0, w.y1.begin());
    outcome.ok = kick_and_drift(split, t, h, w.k(0), w.y1);
    return outcome;
}

StepOutcome symplectic_euler_doubling(OdeSystem& system, double t, double h, StepWorkspace& w) {
    KickDriftSplit& split = *system.kick_drift_split();
    StepOutcome outcome;
    outcome.evaluations = force_at_start(split, t, w) + 1;

    // Two steps of half the length.
    const double half = 0.5 * h;
    std::ranges::copy(w.y0, w.y1.begin());
    outcome.ok = kick_and_drift(split, t, half, w.k(0), w.y1);
    split.force(t + half, w.y1, w.k(1));
    outcome.ok = kick_and_drift(split, t + half, half, w.k(1), w.y1) && outcome.ok;

    // One of the full length, with the same force at its start.
    std::ranges::copy(w.y0, w.scratch.begin());
    outcome.ok = kick_and_drift(split, t, h, w.k(0), w.scratch) && outcome.ok;
    for (std::size_t i = 0; i < w.size(); ++i) {
        w.error[i] = w.y1[i] - w.scratch[i];
    }
    return outcome;
}

StepOutcome verlet_chain(OdeSystem& system, double t, double h, StepWorkspace& w, std::span<const double> weights) {
    KickDriftSplit& split = *system.kick_drift_split();
    StepOutcome outcome;
    outcome.evaluations = force_at_start(split, t, w);
    std::ranges::copy(w.y0, w.y1.begin());
    double done = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double length = weights[i] * h;
        kick(w.y1, 0.5 * length, w.k(i));
        split.turn(t + done * h, 0.5 * length, w.y1);
        if (!split.drift(t + done * h, length, w.y1)) {
            outcome.ok = false; // no force there is worth an evaluation
            return outcome;
        }
        done += weights[i];
        split.force(t + done * h, w.y1, w.k(i + 1));
        ++outcome.evaluations;
        split.turn(t + done * h, 0.5 * length, w.y1); // the first half backwards, so that the step is symmetric
        kick(w.y1, 0.5 * length, w.k(i + 1));
        split.project_momenta(t + done * h, w.y1);
        split.correct_works(t + done * h, 0.5 * length, w.k(i + 1), w.y1);
    }
    return outcome;
}

StepOutcome one_velocity_step(OdeSystem& system, double t, double h, StepWorkspace& w, const MethodInfo& row) {
    VelocityStep& step = *system.velocity_step();
    std::ranges::copy(w.y0, w.y1.begin());
    step.find_contacts(t, h, w.y0);
    w.memory1.resize(step.memory_size());
    const VelocityStepRequest request{.kind = row.velocity_step,
                                      .t = t,
                                      .h = h,
                                      .guess = w.y0,
                                      .memory = w.memory0,
                                      .tolerance = w.velocity_tolerance,
                                      .iterations = row.iterations,
                                      .substeps = w.substeps};
    const VelocityStepResult result = step.velocity_step(request, w.y1, w.memory1);
    return {.evaluations = 1, .ok = result.ok, .velocity = result};
}

StepOutcome doubled_velocity_step(OdeSystem& system, double t, double h, StepWorkspace& w, const MethodInfo& row) {
    VelocityStep& step = *system.velocity_step();
    step.find_contacts(t, h, w.y0);
    w.memory1.resize(step.memory_size());
    StepOutcome outcome{.evaluations = 3};
    VelocityStepResult& all = outcome.velocity;
    const auto advance = [&](double from, double length, std::span<const RememberedForce> memory, std::span<double> y,
                             bool may_begin_again) {
        const VelocityStepRequest request{.kind = row.velocity_step,
                                          .t = from,
                                          .h = length,
                                          .guess = w.y0,
                                          .memory = memory,
                                          .tolerance = w.velocity_tolerance,
                                          .iterations = row.iterations,
                                          .may_begin_again = may_begin_again};
        const VelocityStepResult result = step.velocity_step(request, y, w.memory1);
        outcome.ok = outcome.ok && result.ok;
        all.converged = all.converged && result.converged;
        all.iterations += result.iterations;
        all.residual = std::max(all.residual, result.residual);
        all.deepest = result.deepest;
        all.contacts = result.contacts;
        all.fresh_contacts = std::max(all.fresh_contacts, result.fresh_contacts);
    };

    // The full step first: what it remembers is of no use afterwards.
    std::ranges::copy(w.y0, w.scratch.begin());
    advance(t, h, w.memory0, w.scratch, true);

    // The second half is given the memory that it overwrites: a step reads it before it writes.
    const double half = 0.5 * h;
    std::ranges::copy(w.y0, w.y1.begin());
    advance(t, half, w.memory0, w.y1, true);
    advance(t + half, half, w.memory1, w.y1, false);
    for (std::size_t i = 0; i < w.size(); ++i) {
        w.error[i] = w.y1[i] - w.scratch[i];
    }
    return outcome;
}

StepOutcome theta(OdeSystem& system, double t, double h, StepWorkspace& w) {
    std::ranges::copy(w.y0, w.y1.begin());
    return {.evaluations = 1, .ok = system.linearly_implicit_step()->linearly_implicit_step(t, h, w.theta, w.y1)};
}

} // namespace substep::detail
