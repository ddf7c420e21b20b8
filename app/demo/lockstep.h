// The worlds of a scene that take the same steps, and what a step of them did.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "reference.h"
#include "substep/engine/world.h"

namespace substep {

/// What one world's step did.
struct WorldStep {
    StepReport report;
    std::string message; ///< what `report.message` says, for it belongs to the world
    double microseconds = 0.0;
};

/// The simulated world, its twin, and the references that both are measured against. They are moved in and out, or
/// cloned: a step is then made beside those that are shown.
struct Lockstep {
    World world;
    std::optional<World> twin;
    std::optional<Reference> run;    ///< since the scene was touched
    std::optional<Reference> method; ///< since the method was chosen

    WorldStep outcome;
    WorldStep twin_outcome;

    /// Takes a step of dt (s). False where it was interrupted: `restore` then takes the worlds back.
    bool advance(double dt, const std::atomic<bool>& interrupt);

    /// The states of all worlds, and the way back to them.
    std::vector<WorldSnapshot> save() const;
    void restore(const std::vector<WorldSnapshot>& saved);
};

} // namespace substep
