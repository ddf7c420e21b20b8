// The jobs of parked islands, and what is lent to edits and queries.
#include "islands/parked_islands.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "archive/prefetch.h"

namespace substep::detail {
namespace {

// Bytes of a memory with a segment that ran ahead, and a little more: one that grows to that allocates nothing.
constexpr std::size_t kUsualMemory = 224;

// Bodies ahead of the one being made whose parts are fetched: they lie apart in memory.
constexpr std::size_t kParkedAhead = 2;

} // namespace

LentIsland& ParkedIslands::lent_to_queries() const {
    if (of_queries_ == nullptr) {
        of_queries_ = std::make_unique<LentIsland>();
    }
    return *of_queries_;
}

bool ParkedIslands::park(const Model& model, Island& island, BodyId id, const FreeBodyRule& rule) {
    std::unique_ptr<ParkedIsland>& parked = parked_[id.index];
    if (parked == nullptr) {
        parked = std::make_unique<ParkedIsland>();
        parked->memory.reserve(kUsualMemory);
    }
    return island.park(model, rule, lent_to_queries(), *parked);
}

Island& ParkedIslands::lend(const Model& model, BodyId id) const {
    Island& island = lend();
    island.unpark(model, id, (*this)[id], 0);
    return island;
}

void ParkedIslands::begin(std::size_t jobs) {
    while (lent_.size() < jobs) {
        lent_.push_back(std::make_unique<LentIsland>());
    }
    for (const std::unique_ptr<LentIsland>& lent : lent_) {
        lent->most_attempts = 0;
    }
}

FreeAdvance ParkedIslands::advance(Model& model, const FreeStep& step, std::span<FreeBody> free,
                                   std::span<const std::uint32_t> numbers, std::size_t job) noexcept {
    FreeAdvance done;
    done.report.requested = done.report.simulated = step.t1 - step.t0;
    done.report.boundary = Boundary::RunAhead; // unless one of them does not
    LentIsland& lent = *lent_[job];
    const FreeBodyRule* made_by = nullptr; // the lent island has the settings of this rule
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i + kParkedAhead < numbers.size()) {
            const std::uint32_t later = numbers[i + kParkedAhead];
            prefetch_record(model.bodies[free[later].body]);
            prefetch(parked_[later]->memory.data(), kUsualMemory);
        }
        FreeBody& body = free[numbers[i]];
        ParkedIsland& parked = *parked_[numbers[i]];
        Island& island = *lent.island;
        if (made_by == body.rule && parked.rule == body.rule) {
            island.unpark_next(model, body.body, parked);
        } else {
            island.unpark(model, body.body, parked, 0);
        }
        made_by = nullptr;
        island.choose_pile(model); // a method may name one
        if (model.settings.shared_budget > 0) {
            island.limit(parked.granted);
        }
        island.advance(model, step.t0, step.t1, {});
        if (!island.park(model, *body.rule, lent, parked)) {
            lent.kept.push_back(std::move(lent.island));
            lent.island = std::make_unique<Island>();
            continue;
        }
        island.end_step();
        body.demand = static_cast<std::uint32_t>(island.demand());
        made_by = body.rule;
        done.report.merge(parked.report);
        done.report.simulated = std::min(done.report.simulated, parked.report.simulated);
        if (parked.attempts > lent.most_attempts) {
            lent.most_attempts = parked.attempts;
            std::swap(lent.island, lent.busiest);
            made_by = nullptr;
        }
    }
    return done;
}

void ParkedIslands::take_kept(std::vector<std::unique_ptr<Island>>& kept) noexcept {
    for (const std::unique_ptr<LentIsland>& lent : lent_) {
        std::ranges::move(lent->kept, std::back_inserter(kept));
        lent->kept.clear();
    }
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
