// The reference behind scene `quadratic_drag`, for its tests.
#pragma once

#include "substep/scenes/reference_motion.h"
#include "substep/scenes/scene.h"

namespace substep::detail {

/// Returns the flight of a ball against drag as the square of its speed: speed (m/s), slope angle (rad), x and y (m).
/// Speeds in m/s; speed_along and terminal_speed positive.
ReferenceMotion drag_flight_motion(double speed_along, double speed_up, double terminal_speed);

} // namespace substep::detail
