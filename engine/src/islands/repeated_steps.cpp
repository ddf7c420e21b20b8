// Islands that came together unexpectedly within a step: taken back, and advanced together.
#include <algorithm>

#include "islands/islands.h"

namespace substep::detail {
namespace {

// After so many repetitions islands that meet still others are made by velocity steps.
constexpr std::uint32_t kMostRepeats = 3;

} // namespace

// What earlier attempts with the bodies of an island have spent, and whether there were too many.
StepAttempt Islands::attempt_of(const Model& model, const Island& island) const noexcept {
    StepAttempt attempt;
    attempt.usual_step = model.time.usual;
    if (model.steps.taken_back.empty()) {
        return attempt;
    }
    for (const BodyId id : island.bodies()) {
        attempt.spent.add(model.steps.spent[id.index]);
        attempt.by_velocity_steps |= model.steps.taken_back[id.index] > kMostRepeats;
    }
    return attempt;
}

// Evaluations times bodies of all attempts of this step.
std::int64_t Islands::spent_so_far(const Model& model) const noexcept {
    std::int64_t spent = free_.spent_of_shared_budget();
    for (const auto& island : islands_) {
        if (island != nullptr && island->has_advanced()) {
            spent += island->cost().of_shared_budget;
        }
    }
    for (const StepCost& cost : model.steps.spent) {
        spent += cost.of_shared_budget;
    }
    return spent;
}

// Whether a pair that was missed would have made no difference to the pile that both bodies are of: in one interval its
// contacts are those of where it began and of the ways from there.
bool Islands::is_needless(const Model& model, const ContactPair& pair) {
    std::size_t number = kNoIsland;
    for (const BodyId id : {pair.a, pair.b}) {
        const BodyRecord& body = model.bodies[id];
        if (body.is_dynamic()) {
            if (number != kNoIsland && body.island != number) {
                return false;
            }
            number = body.island;
        }
    }
    const Island* const island = islands_[number].get();
    return island != nullptr && island->has_advanced() && !island->is_retired() && island->is_soft_pile() &&
           island->report().accepted == 1 && pile_boxes_.was_needless(model, pair);
}

void Islands::repeat_missed(Model& model, double t0, double t1, JobRunner* runner, StageTimes& times) {
    int repeats = 0;
    for (;; ++repeats) {
        repeated_.interrupted = is_interrupted(model);
        if (repeated_.interrupted || !take_back_missed(model, repeats)) {
            break;
        }
        update(model, Moment::StepRepeats);
        distribute_contacts(model);
        choose_piles(model, true);
        find_far_pairs(model, runner, true);
        schedule_.choose(islands_, [](const Island& island) { return !island.asleep() && !island.has_advanced(); });
        if (model.settings.shared_budget > 0) {
            divide_budget(std::max<std::int64_t>(model.settings.shared_budget - spent_so_far(model), 0), false);
        }
        advance_chosen(model, t0, t1, runner, false, times);
    }
    if (repeats > 0) {
        schedule_.choose(islands_, [](const Island& island) { return island.has_advanced(); });
        free_.merge_anew();  // some of them have become islands
        schedule_.outdate(); // islands that fell asleep are listed, for their reports
    }
}

// Finds the islands that came together unexpectedly, takes them back, and adds the pairs. Returns whether there are
// any.
bool Islands::take_back_missed(Model& model, int repeats) {
    const bool far = repeats > 0; // what one repetition does not end may be a chain of hits
    const SweptStep step = swept_step(model);
    const auto find = [&](bool with_chains) {
        const std::span<const ContactPair> missed =
            model.contacts.find_missed(model.bodies, step, model.steps, with_chains);
        const bool is_asked = step.rule != nullptr; // a host that has answered for a pair is to see it
        return is_asked ? missed
                        : model.contacts.drop_missed([&](const ContactPair& pair) { return is_needless(model, pair); });
    };
    std::span<const ContactPair> missed = find(far && step.rule != nullptr);
    if (far && step.rule == nullptr && !missed.empty()) {
        missed = find(true);
    }
    if (missed.empty()) {
        return false;
    }
    model.steps.taken_back.resize(model.steps.paths.size());
    model.steps.spent.resize(model.steps.paths.size());
    for (const ContactPair& pair : missed) {
        for (const BodyId id : {pair.a, pair.b}) {
            const std::size_t number = model.bodies[id].island;
            if (!model.bodies[id].is_dynamic() || is_retired(number)) {
                continue;
            }
            if (islands_[number] == nullptr) {
                ++model.steps.taken_back[id.index];
                repeated_.evaluations += free_.report(id).evaluations;
                model.steps.spent[id.index].add(free_.take_back(id, model));
                continue;
            }
            Island& island = *islands_[number];
            const BodyId first = island.bodies().front();
            for (const BodyId each : island.bodies()) {
                ++model.steps.taken_back[each.index];
            }
            if (island.has_advanced()) {
                repeated_.evaluations += island.report().evaluations;
                repeated_.work += island.report().contact_work;
                model.steps.spent[first.index].add(island.cost());
            }
            island.take_back(model);
        }
    }
    model.contacts.add_missed(model.bodies, [&](BodyId id) {
        const BodyRecord& body = model.bodies[id];
        return body.is_dynamic() && is_retired(body.island);
    });
    are_outdated_ = true;
    return true;
}

} // namespace substep::detail
