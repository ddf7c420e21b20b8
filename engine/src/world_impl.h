// What stands behind World: its model and the islands that advance it.
#pragma once

#include "islands.h"
#include "model.h"
#include "substep/engine/world.h"

namespace substep {

struct World::Impl {
    detail::Model model;
    detail::Islands islands;
};

namespace detail {

/// Returns the record of a body; throws std::invalid_argument for a stale handle.
BodyRecord& require_body(Model& model, BodyId id);

} // namespace detail
} // namespace substep
