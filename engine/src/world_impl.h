// What stands behind World: its model and the islands that advance it.
#pragma once

#include <vector>

#include "islands.h"
#include "model.h"
#include "substep/engine/world.h"

namespace substep {

struct World::Impl {
    detail::Model model;
    detail::Islands islands;
    std::vector<Contact> contacts; ///< of the last step
    std::vector<Impact> impacts;

    /// Says that bodies or joints changed.
    void outdate() noexcept {
        islands.outdate();
        model.contacts.outdate();
    }

    /// Copies what the islands report of their contacts.
    void collect_contacts() {
        contacts.clear();
        impacts.clear();
        for (std::size_t i = 0; !model.contacts.records().empty() && i < islands.size(); ++i) {
            const auto touched = islands[i].contact_reports();
            const auto collided = islands[i].impacts();
            contacts.insert(contacts.end(), touched.begin(), touched.end());
            impacts.insert(impacts.end(), collided.begin(), collided.end());
        }
    }

    /// The island that made most attempts at substeps in the last step; null in an empty world.
    detail::Island* busiest_island() const noexcept {
        detail::Island* busiest = nullptr;
        for (const auto& island : islands) {
            if (busiest == nullptr || island->substep_attempts().size() > busiest->substep_attempts().size()) {
                busiest = island.get();
            }
        }
        return busiest;
    }
};

namespace detail {

/// Returns the record of a body; throws std::invalid_argument for a stale handle.
BodyRecord& require_body(Model& model, BodyId id);

/// The same for a joint.
JointRecord& require_joint(Model& model, JointId id);

} // namespace detail
} // namespace substep
