// An island of one body is parked, and made again.
#include "islands/island.h"
#include "islands/island_snapshot.h"
#include "islands/parked_island.h"

namespace substep::detail {

LentIsland::LentIsland() : island(std::make_unique<Island>()), busiest(std::make_unique<Island>()) {}
LentIsland::~LentIsland() = default;

bool Island::park(const Model& model, const FreeBodyRule& rule, LentIsland& lent, ParkedIsland& parked) {
    const ContactRegime& contacts = state_.system.regime();
    const bool is_of_pile = contacts.pile_count() > 0 && state_.named_pile() == PileKind::None;
    const bool is_by_others = contacts.takeover_count() > 0 || contacts.has_taken_over() || is_of_pile;
    const bool holds_more = !state_.system.contacts().empty() || has_contacts() || asleep() || feels_fields() ||
                            state_.forces.window() != IslandForces::Window{};
    if (is_by_others || holds_more || !succeeded(report_.status) || !ParkedReport::fits(report_)) {
        return false;
    }
    lent.bytes.clear();
    save_island(state_, model, lent.writer);
    static_cast<void>(lent.writer.finish());
    parked.memory.assign(lent.bytes.begin(), lent.bytes.end());
    parked.body = bodies().front();
    parked.demand = static_cast<std::uint32_t>(demand());
    parked.made_by = &rule;
    parked.model_changed = false;
    parked.ran_ahead = state_.ran_ahead;
    parked.regime = static_cast<std::uint8_t>(regime());
    parked.report = ParkedReport(report_);
    parked.message = report_.message.empty() ? nullptr : std::make_unique<std::string>(report_.message);
    parked.cost = state_.cost;
    const std::span<const SubstepAttempt> attempts = substep_attempts();
    parked.last_substep = attempts.empty() ? 0.0 : attempts.back().h;
    parked.attempts = static_cast<std::uint32_t>(attempts.size());
    parked.budget = state_.service.settings().budget;
    parked.heritage = ParkedHeritage(state_.heritage());
    parked.before = ParkedHeritage(heritage_);
    if (!state_.books.are_kept()) {
        parked.books.reset();
        return true;
    }
    if (parked.books == nullptr) {
        parked.books = std::make_unique<ParkedBooks>();
    }
    LedgerAccounts accounts;
    parked.books->energy = settle_accounts(accounts);
    parked.books->works = accounts.works;
    return true;
}

void Island::unpark(const Model& model, BodyId body, const ParkedIsland& parked, std::size_t contacts) {
    make(model, {std::span(&body, 1), {}, {}}, contacts);
    // What came since it was parked comes behind what it remembers, as it would to an island that was there.
    const bool has_fields = feels_fields();
    const bool has_other_books = model.settings.energy_ledger != parked.has_books();
    if (has_fields) {
        const FieldTable none;
        state_.forces.build(model.bodies, none, state_.parts.numbered, state_.parts.body_count);
        state_.system.refresh_stiffness();
    }
    if (has_fields || has_other_books) {
        state_.set_ledger(parked.has_books());
        state_.note_extras();
    }
    const bool is_configured_anew =
        has_fields || has_other_books || state_.method.combined() != parked.made_by->settings();
    if (is_configured_anew) {
        state_.configure_as(model, parked.made_by->settings());
    }
    take_parked(model, parked);
    if (has_fields) {
        refresh_fields(model);
    }
    if (is_configured_anew) {
        configure(model);
    }
}

// Nothing but the body is other: to make all of the island anew took a third of a body's step.
void Island::unpark_next(const Model& model, BodyId body, const ParkedIsland& parked) {
    forget_steps();
    state_.candidates.forget_constraints(); // a pile knows its bodies
    state_.parts.numbered.front() = body;
    state_.system.set_inertia(0, model.bodies[body].inertia);
    state_.forces.build(model.bodies, model.fields, state_.parts.numbered, state_.parts.body_count);
    take_parked(model, parked);
}

void Island::take_parked(const Model& model, const ParkedIsland& parked) {
    ArchiveReader reader;
    reader.bytes = parked.memory;
    restore_parked(state_, model, reader);
    if (parked.has_books()) {
        state_.books.resume(state_.works(), parked.books->energy.after);
    }
    report_ = parked.report.report();
    if (parked.message != nullptr) { // what is parked may be gone before the next step
        report_.message = keep(*parked.message);
    }
    if (parked.model_changed) {
        state_.system.model_changed();
    }
}

} // namespace substep::detail
