// An island of one body takes over a free body, and hands it over again.
#include "islands/island.h"

#include <algorithm>

#include "bodies/state_layout.h"
#include "islands/island_settings.h"

namespace substep::detail {

void Island::make_of(const Model& model, const FreeBody& body, std::size_t contacts) {
    make(model, {std::span(&body.body, 1), {}, {}}, contacts);
    AdvanceMemory memory = body.memory;
    const IntegratorSettings& settings = state_.service.settings();
    memory.settings_changed |=
        settings.method != body.rule->method().name || !is_same_trajectory(body.rule->settings(), settings);
    memory.settings_changed |= model.settings.energy_ledger; // that has been switched on: see IslandState::set_ledger
    write_body(0, model.bodies[body.body].step_end, state_.y);
    state_.has_step_forces = body.has_step_forces();
    state_.forces.step_wrenches()[0] = body.step_wrench;
    state_.demand = body.demand;
    state_.service.set_advance_memory(state_.system, memory, state_.y);
    state_.note_whether_handed_out();
    if (memory.has_memory) {
        state_.advanced_revision = state_.system.revision();
        if (body.model_changed) {
            state_.system.model_changed();
        }
    }
}

bool Island::hand_over(FreeBody& body) const noexcept {
    const std::optional<AdvanceMemory> memory = state_.service.advance_memory();
    const ContactRegime& regime = state_.system.regime();
    const bool holds_more = !state_.system.contacts().empty() || regime.takeover_count() > 0 ||
                            regime.has_taken_over() || state_.has_extras || state_.ran_ahead || asleep() ||
                            state_.rest.slow_time() > 0.0 || state_.rest.alike_time() > 0.0 ||
                            state_.forces.window() != IslandForces::Window{};
    // The state had works behind it while there was a ledger: without them, the next step begins anew.
    const std::span<const double> handed_out = state_.service.handed_out();
    const bool had_books = handed_out.size() > state_.y.size();
    const bool is_handed_out =
        state_.y_is_handed_out || (had_books && same_bits(state_.y.data(), handed_out.data(), state_.y.size()));
    if (!memory || holds_more || !is_handed_out) {
        return false;
    }
    body.memory = *memory;
    body.memory.settings_changed |= had_books;
    body.step_wrench = state_.has_step_forces ? state_.forces.step_wrenches()[0] : Wrench{};
    body.model_changed = state_.system.revision() != state_.advanced_revision;
    body.demand = static_cast<std::uint32_t>(state_.demand);
    return true;
}

void Island::repeat_step(const Model& model, const FreeBody& body, double t0, double t1) {
    FreeBody before = body;
    before.memory = body.before;
    before.model_changed = false;
    make_of(model, before, 0);
    write_body(0, model.bodies[body.body].step_begin, state_.y);
    before.memory.settings_changed |= body.has_restarted;
    state_.service.set_advance_memory(state_.system, before.memory, state_.y);
    (void)state_.service.advance(state_.system, t0, t1, state_.y);
}

} // namespace substep::detail
