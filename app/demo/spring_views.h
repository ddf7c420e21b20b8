// Which springs a picture shows.
#pragma once

#include <vector>

#include "renderer.h"
#include "simulation.h"

namespace substep {

/// Returns the springs of the simulated world between the bodies as `graph` has them; that by which the mouse drags a
/// body is none of them. Coils are `stage_radius` (m) over 40 thick, or less where a spring is short.
std::vector<SpringView> springs_of(const Simulation& simulation, const SceneGraph& graph, Look look,
                                   float stage_radius);

} // namespace substep
