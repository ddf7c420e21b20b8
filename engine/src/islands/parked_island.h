// An island of one free body that is made only while it is advanced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "archive/archive.h"
#include "bodies/body_step.h"
#include "free_bodies/free_body.h"
#include "islands/island_books.h"
#include "islands/island_heritage.h"
#include "substep/engine/world.h"
#include "substep/integrators/integrator_service.h"

namespace substep::detail {

class Island;

/// The works of the last step of a parked island, until the world's accounts have them, and its energies.
struct ParkedBooks {
    std::array<double, kLedgerTerms> works{}; ///< J
    StepEnergy energy;
};

/// What an island of one free body remembers between two steps, and what its last step told: a thirtieth of what the
/// island takes while it is made.
struct ParkedIsland {
    std::vector<std::byte> memory;      ///< as a snapshot holds it
    const FreeBodyRule* rule = nullptr; ///< whose settings it had when that was written
    bool model_changed = false;         ///< since then: its forces are others
    bool ran_ahead = false;             ///< the last step did
    IslandRegime regime = IslandRegime::Free;
    StepReport report;                  ///< of the last step
    std::string message;                ///< of that report
    StepCost cost;                      ///< likewise
    double last_substep = 0.0;          ///< s
    std::size_t attempts = 0;           ///< at substeps in the last step
    int budget = 0;                     ///< evaluations that the last step was given; 0: any number
    std::int64_t granted = 0;           ///< evaluations of a shared budget that the next one may make
    std::unique_ptr<ParkedBooks> books; ///< if the world has a ledger
    IslandHeritage heritage;            ///< that it hands on
    IslandHeritage before;              ///< the same where the last step began
    bool has_books() const noexcept { return books != nullptr; }

    mutable std::unique_ptr<IntegratorSettings> shown; ///< those of the last step, if somebody looked at them
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
