// The worlds of a scene that take the same steps, and what a step of them did.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "reference.h"
#include "substep/engine/world.h"

namespace substep {

/// What one world's step did.
struct WorldStep {
    StepReport report;
    std::string message; ///< what `report.message` says, for it belongs to the world
    double microseconds = 0.0;
};

/// The simulated world, its twin, and the references that both are measured against. They are moved in and out, or made
/// again of what was saved of them: a step is then made beside those that are shown.
struct Lockstep {
    World world;
    std::optional<World> twin;
    std::optional<Reference> run;    ///< since the scene was touched
    std::optional<Reference> method; ///< since the method was chosen

    WorldStep outcome;
    WorldStep twin_outcome;

    /// Takes a step of dt (s). False where it was interrupted: `restore` then takes the worlds back.
    bool advance(double dt, const std::atomic<bool>& interrupt);

    /// The states of all worlds.
    struct Saved {
        WorldSnapshot world;
        std::optional<WorldSnapshot> twin;
        std::optional<Reference::Saved> run;
        std::optional<Reference::Saved> method;
    };
    Saved save() const;
    /// The way back to them.
    void restore(const Saved& saved);
    /// Other worlds in these states, on any thread: those of a thousand bodies take some 50 ms, longer than a frame
    /// should wait. They mean nothing where that was interrupted.
    static Lockstep made_of(const Saved& saved, const std::atomic<bool>& interrupt);
};

} // namespace substep
