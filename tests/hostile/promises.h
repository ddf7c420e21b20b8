// What a world promises after every step, whatever was done to it.
#pragma once

#include <cstdint>
#include <string>

#include "substep/substep.h"

namespace hostile {

/// Checks a step of dt (s) that began at t0: returns the first broken promise in one sentence, nothing if all were
/// kept.
///
/// * Every state is finite, whatever the status; orientations are unit quaternions.
/// * Nothing turns about an axis about which its moment is infinite.
/// * Time goes on by dt. No island was simulated for more than that, and for less only if its status says so, which
///   comes with a sentence.
/// * No island made more evaluations than its budget, nor all of them, times bodies, more than the world's. Samples
///   that were asked for since the last step come on top: up to `sampled` evaluations each.
/// * Where joints are equations (every method but impulse_euler), they are closed, unless the report says that they
///   cannot be, or that the step was degraded. After such a refusal they may stay open without another word
///   (`joints_hold` false). Nor are hard limits passed.
std::string broken_after_step(const substep::World& world, const substep::StepReport& report, double t0, double dt,
                              std::int64_t sampled, bool joints_hold);

/// Returns true if an island says that its joints cannot be closed.
bool refuses_joints(const substep::World& world);

/// Returns true if a state is beyond 1e30: its energy is about to leave the range of numbers. Such a world is still
/// finite, but has no more promises to keep than that.
bool has_blown_up(const substep::World& world);

/// Asks the world everything that changes nothing: all but samples, whose evaluations the next report counts. Returns a
/// complaint about an answer that makes no sense, or about a question that was refused.
std::string broken_answer(substep::World& world);

/// Returns what the remainder of a ledger may be at most, by which it moved during a calm span, J: the local error that
/// the tolerance allows in every body's place and velocity, over so many substeps, times momenta and forces.
double allowed_remainder(const substep::World& world, const substep::EnergyLedger& before,
                         const substep::EnergyLedger& after, double tolerance, std::int64_t substeps);

} // namespace hostile
