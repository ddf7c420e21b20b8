// Heaps and clouds of spheres that are hit, pushed together, put into one another and rolled back.
#pragma once

#include <cstdint>

#include "script.h"

namespace hostile {

/// Lives a swarm of 2 to 500 spheres with that seed: at up to 1000 m/s, of radii over four decades, at the origin or a
/// million metres away, under any method, budget and boundary; bodies come, go, are put into others, and the world is
/// rolled back. The same steps are carried out with 1, 2 and 8 threads, and again after a rollback. Every promise of
/// promises.h is checked, and that all hashes agree.
Outcome live_swarm(std::uint64_t seed);

} // namespace hostile
