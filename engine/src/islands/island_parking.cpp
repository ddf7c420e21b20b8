// An island of one body is parked, and made again.
#include "islands/island.h"
#include "islands/island_snapshot.h"
#include "islands/parked_island.h"

namespace substep::detail {

LentIsland::LentIsland() : island(std::make_unique<Island>()), busiest(std::make_unique<Island>()) {}
LentIsland::~LentIsland() = default;

bool Island::park(const Model& model, const FreeBodyRule& rule, LentIsland& lent, ParkedIsland& parked) {
    const ContactRegime& regime = state_.system.regime();
    const bool is_by_others = regime.takeover_count() > 0 || regime.has_taken_over() || regime.pile_count() > 0;
    const bool holds_more = !state_.system.contacts().empty() || has_contacts() || asleep() ||
                            state_.books.are_kept() || feels_fields() ||
                            state_.forces.window() != IslandForces::Window{};
    // A message belongs to the island that says it.
    if (is_by_others || holds_more || !report_.message.empty() || !succeeded(report_.status)) {
        return false;
    }
    lent.bytes.clear();
    save_island(state_, model, lent.writer);
    static_cast<void>(lent.writer.finish());
    parked.memory.assign(lent.bytes.begin(), lent.bytes.end());
    parked.rule = &rule;
    parked.model_changed = false;
    parked.ran_ahead = state_.ran_ahead;
    parked.report = report_;
    parked.cost = state_.cost;
    const std::span<const SubstepAttempt> attempts = substep_attempts();
    parked.last_substep = attempts.empty() ? 0.0 : attempts.back().h;
    parked.attempts = attempts.size();
    parked.heritage = state_.heritage();
    parked.before = heritage_;
    return true;
}

void Island::unpark(const Model& model, BodyId body, const ParkedIsland& parked, std::size_t contacts) {
    make(model, {std::span(&body, 1), {}, {}}, contacts);
    // What came since it was parked comes behind what it remembers, as it would to an island that was there.
    const bool has_others = feels_fields() || model.settings.energy_ledger;
    if (has_others) {
        const FieldTable none;
        state_.forces.build(model.bodies, none, state_.parts.numbered, state_.parts.body_count);
        state_.system.refresh_stiffness();
        state_.set_ledger(false);
    }
    const bool is_configured_anew = has_others || state_.method.combined() != parked.rule->settings();
    if (is_configured_anew) {
        state_.configure_as(model, parked.rule->settings());
    }
    take_parked(model, parked);
    if (has_others) {
        refresh_fields(model);
    }
    if (is_configured_anew) {
        configure(model);
    }
}

// Nothing but the body is other: to make all of the island anew took a third of a body's step.
void Island::unpark_next(const Model& model, BodyId body, const ParkedIsland& parked) {
    forget_steps();
    state_.parts.numbered.front() = body;
    state_.system.set_inertia(0, model.bodies[body].inertia);
    state_.forces.build(model.bodies, model.fields, state_.parts.numbered, state_.parts.body_count);
    take_parked(model, parked);
}

void Island::take_parked(const Model& model, const ParkedIsland& parked) {
    ArchiveReader reader;
    reader.bytes = parked.memory;
    restore_parked(state_, model, reader);
    report_ = parked.report;
    if (parked.model_changed) {
        state_.system.model_changed();
    }
}

} // namespace substep::detail
