// Which islands are piles, and how all threads make a large one together.
#include "islands/islands.h"

#include "bodies/stopwatch.h"

namespace substep::detail {
namespace {

// A smaller pile is made by one thread in less time than it takes threads to come together some hundred times.
constexpr std::size_t kFewestBodiesOfTeam = 300;
constexpr std::size_t kMostOfTeam = 16;

} // namespace

// Where some have made the step already they are listed no more. They stay what they were when they made it: they may
// be saved as that.
template <class Take>
void Islands::for_awake(bool again, const Take& take) {
    for (std::size_t i = 0; again && i < islands_.size(); ++i) {
        if (islands_[i] != nullptr && !islands_[i]->asleep() && !islands_[i]->has_advanced()) {
            take(*islands_[i]);
        }
    }
    for (Island* const island : again ? std::span<Island* const>() : schedule_.all()) {
        take(*island);
    }
}

// The pairs of piles remember as soft steps do, all others as modes and impulses do.
void Islands::choose_piles(Model& model, bool again) {
    if (!again) {
        schedule_.choose_awake(islands_);
    }
    for_awake(again, [&](Island& island) {
        const bool was_pile = island.is_pile();
        island.choose_pile(model);
        are_piles_known_ &= island.is_pile() == was_pile;
    });
    if (!are_piles_known_) {
        const std::span<const ContactPair> pairs = model.contacts.pairs();
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const BodyId moved = model.bodies[pairs[i].a].is_dynamic() ? pairs[i].a : pairs[i].b;
            const Island* const island = islands_[model.bodies[moved].island].get();
            const bool is_pile = island != nullptr && island->is_pile();
            if (is_pile != pairs[i].is_of_pile()) {
                model.contacts.hand_over(model.bodies, i, is_pile, model.time.now());
            }
        }
        are_piles_known_ = true;
    }
}

void Islands::find_far_pairs(Model& model, JobRunner* runner, bool again) {
    if (!again) {
        pile_boxes_.begin();
    }
    for_awake(again, [&](const Island& island) {
        if (!island.is_pile()) {
            return;
        }
        const std::span<const std::size_t> records = island.contact_records();
        if (!island.is_soft_pile()) {
            // Convex steps look for whom those meet that were hit: there is nobody who is too far to matter.
            std::ranges::for_each(records, [&](std::size_t number) { model.contacts.set_far(number, false); });
            return;
        }
        const auto find = [&](ThreadTeam* team) {
            const std::span<const std::uint8_t> far = pile_boxes_.find_far(model, island.bodies(), records, team);
            for (std::size_t i = 0; i < records.size(); ++i) {
                model.contacts.set_far(records[i], far[i] != 0);
            }
        };
        if (is_by_team(island, runner)) {
            team_.run(*runner, kMostOfTeam, [&]() noexcept { find(&team_); });
        } else {
            find(nullptr);
        }
    });
}

// Large piles, behind the other islands, each by all threads together.
void Islands::advance_by_team(Model& model, double t0, double t1, JobRunner& runner, StageTimes& times) {
    for (Island* const island : schedule_.all()) {
        if (is_by_team(*island, &runner)) {
            StepAttempt attempt = attempt_of(model, *island);
            attempt.team = &team_;
            Stopwatch watch;
            team_.run(runner, kMostOfTeam, [&]() noexcept { island->advance(model, t0, t1, attempt); });
            island->add_times_of_pile(watch.lap(), times);
        }
    }
}

bool Islands::is_by_team(const Island& island, const JobRunner* runner) const noexcept {
    return runner != nullptr && island.is_soft_pile() && island.bodies().size() >= kFewestBodiesOfTeam;
}

} // namespace substep::detail
