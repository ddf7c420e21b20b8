// Triggers: pairs of a step, whom it records, and the changes of their overlaps.
#include "pairs/trigger_table.h"

#include <algorithm>
#include <iterator>

namespace substep::detail {

void TriggerTable::begin(const BodyTable& bodies, std::span<const ContactPair> found, BodySteps& steps) {
    events_.clear();
    steps.record_of.clear();
    steps.records.clear();
    if (found.empty() && overlapping_.empty()) {
        return;
    }
    steps.record_of.assign(bodies.index_limit(), 0);
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
    for (const ContactPair& pair : pairs_) {
        const BodyRecord& body_a = bodies[pair.a];
        const BodyRecord& body_b = bodies[pair.b];
        const ColliderWay a(body_a, body_a.colliders[pair.collider_a], steps.recorded(pair.a.index));
        const ColliderWay b(body_b, body_b.colliders[pair.collider_b], steps.recorded(pair.b.index));
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
