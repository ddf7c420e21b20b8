// The jobs of parked islands, and what is lent to edits and queries.
#include "islands/parked_islands.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "archive/prefetch.h"

namespace substep::detail {
namespace {

// Bodies ahead of the one being made whose parts are fetched: they lie apart in memory.
constexpr std::size_t kParkedAhead = 2;

// What a step started from is still known behind it, but for this.
void note_start(const StepStart& start, ParkedIsland& parked) {
    parked.step_before = start.remembered_step;
    parked.was_edited = start.edited;
    parked.was_pushed = acts(start.wrench);
    if (parked.was_pushed && parked.wrench == nullptr) {
        parked.wrench = std::make_unique<Wrench>();
    }
    if (parked.was_pushed) {
        *parked.wrench = start.wrench;
    }
}

// What a body remembers of its island before its first step, as another one's that was made by the same settings. What
// `parked` has room for stays, its `wrench` too: a motion that is run again allocates nothing.
void begin_as(const ParkedIsland& other, BodyId id, ParkedIsland& parked) {
    parked.body = id;
    parked.demand = other.demand;
    parked.rule = other.rule;
    parked.made_by = other.made_by;
    parked.memory.assign(other.memory.begin(), other.memory.end());
    parked.report = other.report;
    parked.cost = other.cost;
    parked.last_substep = parked.step_before = 0.0;
    parked.granted = 0;
    parked.attempts = 0;
    parked.budget = other.budget;
    parked.heritage = other.heritage;
    parked.before = other.before;
    parked.books.reset();
    parked.message.reset();
    parked.shown.reset();
    parked.regime = other.regime;
    parked.model_changed = parked.ran_ahead = parked.retired = parked.was_edited = parked.was_pushed = false;
}

} // namespace

LentIsland& ParkedIslands::lent_to_queries() const {
    if (of_queries_ == nullptr) {
        of_queries_ = std::make_unique<LentIsland>();
    }
    return *of_queries_;
}

ParkedIsland& ParkedIslands::place_for(BodyId id) {
    std::unique_ptr<ParkedIsland>& parked = parked_[id.index];
    if (parked == nullptr) {
        parked = std::make_unique<ParkedIsland>();
    }
    return *parked;
}

bool ParkedIslands::park(const Model& model, Island& island, BodyId id, const FreeBodyRule& rule) {
    return island.park(model, rule, lent_to_queries(), place_for(id));
}

bool ParkedIslands::begin_alike(const Model& model, BodyId id, const FreeBodyRule& rule) {
    const bool knows_energy = model.settings.energy_ledger; // of each body its own
    if (begun_ == BodyId{} || knows_energy || (*this)[begun_].made_by != &rule) {
        return false;
    }
    begin_as((*this)[begun_], id, place_for(id));
    return true;
}

Island& ParkedIslands::lend(const Model& model, BodyId id) const {
    Island& island = lend();
    island.unpark(model, id, (*this)[id], 0);
    return island;
}

bool ParkedIslands::uses(const FreeBodyRule& rule) const noexcept {
    return std::ranges::any_of(parked_, [&](const std::unique_ptr<ParkedIsland>& parked) {
        return parked != nullptr && (parked->rule == &rule || parked->made_by == &rule);
    });
}

void ParkedIslands::begin(std::size_t jobs) {
    while (lent_.size() < jobs) {
        lent_.push_back(std::make_unique<LentIsland>());
    }
    for (const std::unique_ptr<LentIsland>& lent : lent_) {
        lent->most_attempts = 0;
    }
}

FreeAdvance ParkedIslands::advance(Model& model, const FreeStep& step, std::span<const std::uint32_t> indices,
                                   std::size_t job) noexcept {
    FreeAdvance done;
    done.report.requested = done.report.simulated = step.t1 - step.t0;
    done.report.boundary = Boundary::RunAhead; // unless one of them does not
    LentIsland& lent = *lent_[job];
    const FreeBodyRule* made_by = nullptr; // the lent island has the settings of this rule
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (i + kParkedAhead < indices.size()) {
            const ParkedIsland& later = *parked_[indices[i + kParkedAhead]];
            prefetch_record(model.bodies[later.body]);
            prefetch(later.memory.data(), later.memory.size());
        }
        ParkedIsland& parked = *parked_[indices[i]];
        Island& island = *lent.island;
        if (made_by == parked.rule && parked.made_by == parked.rule) {
            island.unpark_next(model, parked.body, parked);
        } else {
            island.unpark(model, parked.body, parked, 0);
        }
        made_by = nullptr;
        island.choose_pile(model); // a method may name one
        if (model.settings.shared_budget > 0) {
            island.limit(parked.granted);
        }
        const StepStart start = start_of(model.bodies[parked.body]);
        island.advance(model, step.t0, step.t1, {});
        if (!island.park(model, *parked.rule, lent, parked)) {
            lent.kept.push_back({std::move(lent.island), start});
            lent.island = std::make_unique<Island>();
            continue;
        }
        island.end_step();
        note_start(start, parked);
        made_by = parked.rule;
        const StepReport report = parked.told();
        done.report.merge(report);
        done.report.simulated = std::min(done.report.simulated, report.simulated);
        if (parked.attempts > lent.most_attempts) {
            lent.most_attempts = parked.attempts;
            std::swap(lent.island, lent.busiest);
            made_by = nullptr;
        }
    }
    return done;
}

void ParkedIslands::take_kept(std::vector<KeptIsland>& kept) noexcept {
    for (const std::unique_ptr<LentIsland>& lent : lent_) {
        std::ranges::move(lent->kept, std::back_inserter(kept));
        lent->kept.clear();
    }
}

void ParkedIslands::take_back(BodyRecord& body, BodyId id) noexcept {
    ParkedIsland& parked = (*this)[id];
    parked.retired = true;
    begin_at({body.step_begin, parked.was_pushed ? *parked.wrench : Wrench{}, parked.step_before, parked.was_edited},
             body);
}

Island* ParkedIslands::as_stepped(BodyId id) const noexcept {
    for (const std::unique_ptr<LentIsland>& lent : lent_) {
        if (lent->most_attempts > 0 && lent->busiest->bodies().front() == id) {
            return lent->busiest.get();
        }
    }
    return nullptr;
}

} // namespace substep::detail
