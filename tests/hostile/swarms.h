// Heaps and clouds of solids that are hit, pushed together, put into one another and rolled back.
#pragma once

#include <cstdint>
#include <string>

#include "script.h"

namespace hostile {

/// Lives a swarm of 2 to 500 solids with that seed: at up to 1000 m/s, of sizes over four decades, at the origin or a
/// million metres away, under any method, budget and boundary. Bodies come, go, are put into others, hit, and given
/// other masses, shapes, surfaces, filters and gravity factors; the world is rolled back across all of that. The same
/// is carried out with 1, 2 and 8 threads, again after a rollback, and, where `program` is that of
/// substep_hostile_worlds, in processes of their own. Every promise of promises.h is checked, and that all hashes
/// agree.
Outcome live_swarm(std::uint64_t seed, const std::string& program);

/// Builds the swarm of that seed as it is in that step, restores the snapshot in `file` and goes on from there. Returns
/// the hash that it arrives at.
std::string swarm_goes_on(std::uint64_t seed, int step, const std::string& file);

} // namespace hostile
