// Settings of a world as a user gives them, or a snapshot has them.
#pragma once

#include "substep/engine/world.h"

namespace substep::detail {

/// Throws std::invalid_argument unless every setting is usable.
void require_settings(const WorldSettings& settings);

} // namespace substep::detail
