// Whether a slow island has reason to move on.
#include <algorithm>
#include <limits>

#include "islands/island_step.h"
#include "islands/world_settings.h"

namespace substep::detail {
namespace {

// Bodies that are pushed, held by something that moves, or subject to forces that change with time must not sleep.
bool may_rest(const IslandState& island, const Model& model) noexcept {
    const auto moves = [&](BodyId id) {
        const BodyRecord* const body = model.bodies.find(id);
        return body != nullptr && !body->is_dynamic() && body->prescribed().moves();
    };
    return !island.has_step_forces && island.forces.steady() &&
           std::ranges::none_of(island.parts.prescribed(), moves) && !island.candidates.any_touched_moves(model);
}

bool is_made_by_velocity_steps(const IslandState& island) noexcept {
    return island.system.regime().has_taken_over() || island.is_by_velocity_steps();
}

// The largest acceleration at the end of the step, in units of the limits per second. A velocity step is more than its
// derivative, so there its change of the velocities counts.
double largest_acceleration(IslandState& island, const Model& model, const SleepSettings& limits, double t0, double t1,
                            StepReport& report, std::span<double> rates) noexcept {
    const bool by_step = is_made_by_velocity_steps(island);
    if (!by_step) {
        const int budget = island.service.settings().budget;
        if (budget > 0 && report.evaluations >= budget) {
            return std::numeric_limits<double>::infinity(); // looked at again after the next window
        }
        island.system.derivative(t1, island.y, rates);
        ++report.evaluations;
    }
    double largest = 0.0;
    const std::span<const BodyId> bodies = island.parts.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const BodyRecord& body = model.bodies[bodies[i]];
        const Twist acceleration =
            by_step ? acceleration_over_step(body, t1 - t0) : acceleration_of(body, read_body(i, rates));
        largest = larger_in_limits(largest, acceleration, limits);
    }
    return largest;
}

} // namespace

void watch_rest(IslandState& island, Model& model, double t0, double t1, StepReport& report,
                std::span<double> rates) noexcept {
    if (report.status != StepStatus::ReachedTarget || !may_rest(island, model)) {
        island.rest.restart_window();
        return;
    }
    const std::span<const BodyId> bodies = island.parts.bodies();
    const SleepSettings limits = sleep_limits(model.settings);
    const double speed = fastest_speed(model, bodies, limits);
    if (!island.rest.note_step(t1 - t0, speed, limits.time, is_made_by_velocity_steps(island))) {
        return;
    }
    const double time = scale_of(model.settings).time();
    const double acceleration = largest_acceleration(island, model, limits, t0, t1, report, rates);
    const bool trembles = island.rest.trembles(acceleration, kTrembling * time);
    island.rest.decide(trembles ? 0.0 : acceleration, kForesight * time);
    if (island.rest.is_asleep()) {
        island.ran_ahead = false;
        for (const BodyId id : bodies) {
            model.bodies[id].step_begin = model.bodies[id].step_end;
        }
    }
}

} // namespace substep::detail
