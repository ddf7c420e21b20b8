// The parts of the collision bench.
#pragma once

#include "report.h"

namespace substep_bench {

/// Races all bodies of piles, broad and narrow phase, against Bullet and ODE.
void race_collision(Report& report);

/// Times rays and overlaps in worlds of 100 to 10 000 bodies.
void race_rays(Report& report);

} // namespace substep_bench
