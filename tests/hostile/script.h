// A hostile life of a world: a list of steps, each with random numbers of its own, so that any of them can be left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hostile {

/// What a step does to the world. Whom it concerns and how much follows from the step's seed.
enum class Action {
    CreateBody,
    DestroyBody,
    CreateJoint,
    DestroyJoint,
    AddField,
    RemoveField,
    ChangeSettings,
    ChangeBody, ///< teleport, velocity, force, impulse
    Advance,
    AdvanceTwice, ///< from a snapshot: both futures must have the same bits
    Snapshot,
    Restore,
    Sample,
    kCount
};

struct Step {
    Action action = Action::Advance;
    std::uint64_t seed = 0;
};

/// Returns the life with that seed: a few dozen steps that begin with bodies and joints.
std::vector<Step> make_script(std::uint64_t seed);

/// What a life came to.
struct Outcome {
    std::string complaint;  ///< the first broken promise, in one sentence; empty if all were kept
    std::uint64_t hash = 0; ///< of everything that was seen on the way
    int advances = 0;
    int refused = 0;  ///< steps that the world refused in a sentence
    int troubled = 0; ///< advances that ended with a status other than success
};

/// Lives it. Checks after every step that no state is not finite, no budget exceeded, a refusal changes nothing, and a
/// replay from a snapshot gives the same bits.
Outcome live(const std::vector<Step>& script);

/// Returns the shortest script found that still breaks a promise: steps are left out while the complaint stays.
std::vector<Step> minimise(std::vector<Step> script);

/// A script that broke a promise before it was mended.
struct FoundWorld {
    std::string promise;
    std::vector<Step> script;
};

/// All of them. The list is found_worlds.cpp.
std::vector<FoundWorld> found_worlds();

/// Returns a script as the text in which a named test keeps it: one line a step.
std::string to_text(const std::vector<Step>& script);

} // namespace hostile
