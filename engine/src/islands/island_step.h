// One step of an island, part by part: gather, integrate, scatter, and whether it rests.
#pragma once

#include <span>
#include <string_view>

#include "islands/island_state.h"
#include "islands/joint_refusal.h"

namespace substep::detail {

class ThreadTeam;

/// Closes joints and brings limits to their ends at time t in y. Where that cannot be done `refusal` says why.
void close_joints(IslandState& island, double t, JointRefusal& refusal) noexcept;

/// Bodies -> y: takes over edits, candidates and the forces of one step; joints and contacts answer to all that before
/// time moves on. `refusal` says which joint could not be closed, if any.
void gather(IslandState& island, Model& model, double t, ThreadTeam* team, JointRefusal& refusal) noexcept;

/// An attempt at a step: which islands meet one another is known only once it was made.
struct StepAttempt {
    StepCost spent;                 ///< by earlier attempts, of budget and bound
    bool by_velocity_steps = false; ///< there were too many: contacts are to be handed over to velocity steps
    double usual_step = 0.0;        ///< s, StepTime::usual
    ThreadTeam* team = nullptr;     ///< that makes a pile together with the calling thread
};

/// y at t0 -> y at t1, by the island's own method as far as modes hold its contacts, then by velocity steps; for at
/// most about `bound` evaluations, 0: any number.
StepReport integrate(IslandState& island, double t0, double t1, std::int64_t bound,
                     const StepAttempt& attempt) noexcept;

/// Takes back a step, to where it began, if its end is no state to go on from: a number is not finite, or a velocity
/// that follows from it. The report says so. Bodies are still as they were in `model`; pairs of a pile are taken back.
void keep_last_good_state(IslandState& island, Model& model, StepReport& report) noexcept;

/// Looks for joints that the step left open at its end t: by more than the tolerance, or by more than a millimetre
/// where Baumgarte's correction was asked for by the name of a method that has it. The step is degraded then, and
/// `refusal` says which joint it is, unless it has said already that one cannot be closed.
void watch_joints(IslandState& island, double t, JointRefusal& refusal, StepReport& report) noexcept;

/// y -> bodies, joints and contacts, as they are at the step's end.
void scatter(IslandState& island, Model& model, ThreadTeam* team) noexcept;

/// Watches the step just made, and lets the island fall asleep. May evaluate the system once more, which it adds to
/// `report`, with room for the rates of y in `rates`.
void watch_rest(IslandState& island, Model& model, double t0, double t1, StepReport& report,
                std::span<double> rates) noexcept;

} // namespace substep::detail
