// Pairs that met unexpectedly: they are looked for where a step ends, and are candidates of the next attempt at it.
#include "pairs/contact_table.h"

#include <algorithm>
#include <cstddef>

namespace substep::detail {
namespace {

// Of two lists in order the longer one is walked through where the other one is no shorter than by this factor.
constexpr std::size_t kWorthWalking = 16;

} // namespace

std::span<const ContactPair> ContactTable::find_missed(const BodyTable& bodies, const SweptStep& step,
                                                       const BodySteps& steps, bool far) {
    found_colliders_.clear();
    missed_pairs_.clear();
    broad_phase_.find_missed(bodies, step, steps, found_colliders_);
    part_from_triggers(bodies);
    if (found_colliders_.empty()) {
        return {};
    }
    const auto drop_known = [&] {
        sort(missed_pairs_);
        if (missed_pairs_.size() < pairs_.size() / kWorthWalking) {
            std::erase_if(missed_pairs_,
                          [&](const ContactPair& pair) { return std::ranges::binary_search(pairs_, pair, before()); });
        } else {
            auto known = pairs_.begin();
            auto kept = missed_pairs_.begin(); // in place: there may be no room for another list
            for (const ContactPair& pair : missed_pairs_) {
                known = std::find_if_not(known, pairs_.end(),
                                         [&](const ContactPair& each) { return comes_before(each, pair); });
                if (known == pairs_.end() || comes_before(pair, *known)) {
                    *kept++ = pair;
                }
            }
            missed_pairs_.erase(kept, missed_pairs_.end());
        }
        if (step.rule != nullptr) {
            answers_.decide_missed(*step.rule, bodies, step.t0, missed_pairs_, before());
        }
    };
    take_pairs(found_colliders_, missed_pairs_);
    drop_known();
    if (far && !missed_pairs_.empty()) {
        spread_colliders_.clear();
        for (const ContactPair& pair : missed_pairs_) {
            spread_colliders_.push_back(pair);
        }
        found_colliders_ = spread_colliders_;
        broad_phase_.spread(bodies, step, steps.paths, spread_colliders_, found_colliders_);
        part_from_triggers(bodies);
        take_pairs(found_colliders_, missed_pairs_);
        drop_known();
    }
    return missed_pairs_;
}

// Joins the missed pairs to the candidates, with points that remember nothing; the points of the others stay.
void ContactTable::merge_missed(const BodyTable& bodies) {
    found_pairs_.assign(pairs_.begin(), pairs_.end());
    for (ContactPair& pair : missed_pairs_) {
        pair.first_point = static_cast<std::uint32_t>(points_.size());
        pair.point_count = add_points(bodies, pair, points_);
        found_pairs_.push_back(pair);
    }
    std::ranges::sort(found_pairs_, before());
    std::swap(pairs_, found_pairs_);
    ++changes_.of_pairs;
}

} // namespace substep::detail
