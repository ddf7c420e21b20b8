// The reference behind scene `figure_eight`, for its tests.
#pragma once

#include "substep/scenes/reference_motion.h"
#include "substep/scenes/scene.h"

namespace substep::detail {

/// Returns the motion of three equal bodies on a figure of eight: positions (x, z) of the first two about the common
/// centre, then their velocities, with mass, G and the unit of length one.
ReferenceMotion figure_eight_motion();

} // namespace substep::detail
