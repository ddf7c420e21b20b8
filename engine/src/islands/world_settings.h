// Settings of a world as a user gives them, or a snapshot has them.
#pragma once

#include "bodies/world_scale.h"
#include "substep/engine/world.h"

namespace substep::detail {

/// Throws std::invalid_argument unless every setting is usable.
void require_settings(const WorldSettings& settings);

/// The units that follow from a world's length and gravity: of its lengths, and of its times.
WorldScale scale_of(const WorldSettings& settings) noexcept;

/// The speeds and the time of rest in these units.
SleepSettings sleep_limits(const WorldSettings& settings) noexcept;

} // namespace substep::detail
