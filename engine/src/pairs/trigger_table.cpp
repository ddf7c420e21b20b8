// Triggers: pairs of a step, whom it records, and the changes of their overlaps.
#include "pairs/trigger_table.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace substep::detail {

void TriggerTable::begin(const BodyTable& bodies, std::span<const ContactPair> found, BodySteps& steps) {
    events_.clear();
    steps.forget_records();
    for (const std::span<const ContactPair> pairs : {found, std::span<const ContactPair>(overlapping_)}) {
        for (const ContactPair& pair : pairs) {
            for (const BodyId id : {pair.a, pair.b}) {
                if (bodies[id].is_dynamic()) {
                    steps.begin_record(id.index, bodies[id].now);
                }
            }
        }
    }
}

void TriggerTable::locate(const BodyTable& bodies, const ContactTable& contacts, const BodySteps& steps, double t0,
                          double t1, double parts) {
    const auto before = [&](const ContactPair& x, const ContactPair& y) { return contacts.key(x) < contacts.key(y); };
    const std::span<const ContactPair> found = contacts.triggers_found();
    pairs_.clear();
    std::set_union(found.begin(), found.end(), overlapping_.begin(), overlapping_.end(), std::back_inserter(pairs_),
                   before);
    overlap_then_.clear();
    std::array<std::array<RecordedState, 2>, 2> ends;
    const auto states_of = [&](BodyId id, std::array<RecordedState, 2>& its_ends) -> std::span<const RecordedState> {
        const std::span<const RecordedState> recorded = steps.recorded(id.index);
        if (!recorded.empty() || !bodies[id].is_dynamic()) {
            return recorded;
        }
        its_ends = {{{t0, bodies[id].step_begin}, {t1, bodies[id].now}}}; // nobody expected that it would come here
        return its_ends;
    };
    for (const ContactPair& pair : pairs_) {
        const BodyRecord& body_a = bodies[pair.a];
        const BodyRecord& body_b = bodies[pair.b];
        const ColliderWay a(body_a, body_a.colliders[pair.collider_a], states_of(pair.a, ends[0]));
        const ColliderWay b(body_b, body_b.colliders[pair.collider_b], states_of(pair.b, ends[1]));
        bool overlaps = std::binary_search(overlapping_.begin(), overlapping_.end(), pair, before);
        changes_.clear();
        find_overlap_changes(a, b, t0, t1, parts, overlaps, changes_);
        for (const OverlapChange& change : changes_) {
            overlaps = change.overlaps;
            events_.push_back({change.t, {pair.a, pair.collider_a}, {pair.b, pair.collider_b}, overlaps, true});
        }
        if (overlaps) {
            overlap_then_.push_back(pair);
        }
    }
    std::swap(overlapping_, overlap_then_);
}

void TriggerTable::drop_gone(const BodyTable& bodies, const ContactTable& contacts) {
    std::erase_if(overlapping_, [&](const ContactPair& pair) {
        return !contacts.lets_touch(bodies, pair) || !is_of_trigger(bodies, pair);
    });
}

} // namespace substep::detail
