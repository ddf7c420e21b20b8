// The triggers of a world: who is within them, and who came and went during the last step.
#pragma once

#include <span>
#include <vector>

#include "bodies/body_step.h"
#include "bodies/body_store.h"
#include "pairs/collider_way.h"
#include "pairs/contact_table.h"
#include "substep/engine/contact.h"

namespace substep::detail {

/// Pairs of a trigger and what may come into it. They connect no bodies and answer nothing: a step is made without
/// them, and then they are looked for along the ways that the bodies went. Who is within is state of the world.
class TriggerTable {
public:
    /// Begins a step with the pairs that could meet in it. Says which dynamic bodies are to be recorded.
    void begin(const BodyTable& bodies, std::span<const ContactPair> found, BodySteps& steps);
    /// Finds who came and went: of the pairs that it began with, and of those that met although nobody expected it, in
    /// the order of their keys. Prescribed motions are still those of the step. What leaves is `parts` (m) away.
    void locate(const BodyTable& bodies, const ContactTable& contacts, const BodySteps& steps, double t0, double t1,
                double parts);
    /// Forgets what happened in the last step.
    void forget_events() noexcept { events_.clear(); }
    /// Forgets the pairs of a body that is destroyed, or of one of its colliders.
    void forget(BodyId body) {
        std::erase_if(overlapping_, [&](const ContactPair& pair) { return pair.a == body || pair.b == body; });
    }
    void forget(const ColliderId& id) {
        std::erase_if(overlapping_, [&](const ContactPair& pair) {
            return ColliderId{pair.a, pair.collider_a} == id || ColliderId{pair.b, pair.collider_b} == id;
        });
    }
    /// Forgets pairs that filters or joints keep apart now.
    void drop_gone(const BodyTable& bodies, const ContactTable& contacts);

    /// Comings and goings in the last step: by pairs in the order of their keys, within each by time.
    std::span<const TouchEvent> events() const noexcept { return events_; }
    /// The pairs that overlap, in the order of their keys.
    std::span<const ContactPair> overlapping() const noexcept { return overlapping_; }
    void set_overlapping(std::span<const ContactPair> pairs) { overlapping_.assign(pairs.begin(), pairs.end()); }

private:
    std::vector<ContactPair> overlapping_;
    std::vector<TouchEvent> events_;
    std::vector<ContactPair> pairs_; ///< scratch space, like the following ones
    std::vector<ContactPair> overlap_then_;
    std::vector<OverlapChange> changes_;
};

} // namespace substep::detail
