// An island of one free body that is made only while it is advanced.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "archive/archive.h"
#include "bodies/body_step.h"
#include "free_bodies/free_body.h"
#include "islands/island_heritage.h"
#include "substep/integrators/integrator_service.h"

namespace substep::detail {

class Island;

/// What an island of one free body remembers between two steps, and what its last step told: a thirtieth of what the
/// island takes while it is made.
struct ParkedIsland {
    std::vector<std::byte> memory;      ///< as a snapshot holds it
    const FreeBodyRule* rule = nullptr; ///< whose settings it had when that was written
    bool model_changed = false;         ///< since then: its forces are others
    bool ran_ahead = false;             ///< the last step did
    StepReport report;                  ///< of the last step; without a message
    StepCost cost;                      ///< likewise
    double last_substep = 0.0;          ///< s
    std::size_t attempts = 0;           ///< at substeps in the last step
    IslandHeritage heritage;            ///< that it hands on
    IslandHeritage before;              ///< the same where the last step began
};

/// An island that is made that of one parked body after the other, and the room to write them to.
struct LentIsland {
    LentIsland();
    ~LentIsland();

    std::unique_ptr<Island> island;
    std::unique_ptr<Island> busiest;           ///< that of the last job with most attempts at substeps, as it was then
    std::size_t most_attempts = 0;             ///< of that
    std::vector<std::unique_ptr<Island>> kept; ///< those of the last job that could not be parked again
    std::vector<std::byte> bytes;
    ArchiveWriter writer{bytes};
};

} // namespace substep::detail
