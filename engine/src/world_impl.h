// What stands behind World: its model and the islands that advance it.
#pragma once

#include "islands.h"
#include "model.h"
#include "substep/engine/world.h"

namespace substep {

struct World::Impl {
    detail::Model model;
    detail::Islands islands;

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

} // namespace detail
} // namespace substep
