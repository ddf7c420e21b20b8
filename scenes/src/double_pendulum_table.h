// The exact motion of scene `double_pendulum`, stored.
#pragma once

#include <array>
#include <span>

#include "substep/scenes/double_pendulum_motion.h"

namespace substep::detail {

/// The two boxes of the scene as links, and how they start: horizontal, at rest.
DoublePendulumMotion double_pendulum_motion();
DoublePendulumMotion::State double_pendulum_start();

/// Seconds between the stored states, and their number: 0 to 10 s.
inline constexpr double kDoublePendulumInterval = 0.1;
inline constexpr std::size_t kDoublePendulumNodes = 101;

/// Tolerance of the stored solution; at ten times as much it differs by less than 1e-12.
inline constexpr double kDoublePendulumTolerance = 1e-18;

/// The states, as `substep_double_pendulum_table` writes them.
std::span<const DoublePendulumMotion::State> double_pendulum_table();

} // namespace substep::detail
