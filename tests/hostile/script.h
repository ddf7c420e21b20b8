// A hostile life of a world: a list of steps, each with random numbers of its own, so that any of them can be left out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace substep {
class World;
struct StepReport;
} // namespace substep

namespace hostile {

/// What a step does to the world. Whom it concerns and how much is drawn, or stored (draws.h).
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
    CreateSpecialBody,   ///< of any shape, on a path, with an integrator of its own
    CreateSpecialJoint,  ///< rods, ropes, curves, swings and twists
    CreateActuatedJoint, ///< any joint, with limits, drives and friction
    CreateCoupling,      ///< gears, pulleys, racks, any two coordinates
    RepeatJoint,         ///< once more: all its rows are redundant
    CreateStructure,     ///< chains, closed rings, hubs
    ChangeDrive,
    AddLibraryField,
    ChangeIntegrator, ///< of one body
    ChangeMass,       ///< mass, inertia, shape
    ChangeWorld,      ///< sleep, the world's budget, `auto`, any setting of the integrator
    SwitchLedger,     ///< on or off, while time moves
    Finalize,         ///< assembles the world
    Replay,           ///< as AdvanceTwice, with other threads, a host's job runner, pushes and questions in between
    MoveToTwin,       ///< bytes alone into a world that was built the same way
    DamageSnapshot,   ///< bytes that were cut, turned or lengthened
    CloseBooks,       ///< a calm moment under a tight tolerance: the energy ledger closes
    HostBodies,       ///< a few bodies of a host under BodyIntegrator
    OddInput,         ///< one call with numbers, handles or choices that make no sense
    ReplaceJoint,     ///< another kind between the same bodies, or the same with other drives
    ReplaceField,
    ChangeMaterial,
    CreateStoppedJoint, ///< any joint with hard limits, dry friction, drives at their limit; or a cone
    CreateCurveJoint,   ///< curves of all kinds
    CreateLoop,         ///< closed mechanisms with more rows than freedoms
    CreatePile,         ///< balls that touch
    AddOwnField,        ///< stiff, with switches between two bodies, with jumps in time
    PushBody,           ///< forces and impulses at the centre, other shapes
    ChangeControl,      ///< the step controller's constants
    MoveWorld,          ///< into another object and back
    Ask,                ///< everything: answers change nothing
    Settle,             ///< half a second, asleep where it may be
    HeldForces,         ///< BodyIntegrator with forces that are held
    TickClock,          ///< FrameClock
    SetPairRule,        ///< whom bodies touch and how, by a host's rule; or a rule that throws
    EditCollider,       ///< one more, one less, or another filter, place or shape
    LimitBudget,        ///< the first step: without one a tight tolerance may take a day
    Count
};

struct Step {
    Action action = Action::Advance;
    std::uint64_t seed = 0;                         ///< its values are drawn with
    std::shared_ptr<const nlohmann::json> values{}; ///< or rather stored here
};

/// Returns the life with that seed: steps that begin with bodies and joints; a few, or in one life of ten some dozens.
std::vector<Step> make_script(std::uint64_t seed);

/// Is told what a life shows, as it happens.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void advanced(const substep::World& world, const substep::StepReport& report) = 0;
    virtual void refused(Action action, std::string_view sentence) = 0;
};

class FrameMeter;

/// What may be different in a life without changing a bit of it.
struct Circumstances {
    bool ledger = false;      ///< the energy ledger, from the start
    int threads = 1;          ///< that islands are advanced on
    bool host_runner = false; ///< or rather by a host's own job runner, last job first
    bool questions = false;   ///< everything is asked after every step
    Observer* observer = nullptr;
    FrameMeter* meter = nullptr; ///< advances, under a budget of its own
};

/// What a life came to.
struct Outcome {
    std::string complaint;  ///< the first broken promise, in one sentence; empty if all were kept
    std::uint64_t hash = 0; ///< of everything that was seen on the way
    int advances = 0;
    int refused = 0;      ///< steps that the world refused in a sentence
    int troubled = 0;     ///< advances that ended with a status other than success
    int closed = 0;       ///< energy ledgers that had to close
    bool blew_up = false; ///< and ended there: an unstable method is allowed that
};

/// Lives it, and checks every promise after every step (promises.h, life_trials.cpp).
Outcome live(const std::vector<Step>& script, const Circumstances& circumstances = {});

/// Lives it once, and returns what it was made of: the same steps with values in place of seeds, as far as it came.
std::vector<Step> resolved(const std::vector<Step>& script);

/// Lives it twice, the second time under other circumstances, which `seed` chooses: both must have the same bits.
Outcome examine(const std::vector<Step>& script, std::uint64_t seed);

/// Returns the shortest script found that still breaks the promise: steps are left out while the complaint stays.
std::vector<Step> minimise(std::vector<Step> script, std::uint64_t seed);

/// A script that broke a promise before it was mended.
struct FoundWorld {
    std::string promise;
    std::vector<Step> script;
};

/// All of them, with values: those of found_worlds.json. Throws std::runtime_error if that is not readable.
std::vector<FoundWorld> found_worlds();

/// Reads such a list.
std::vector<FoundWorld> read_worlds(const nlohmann::json& list);

/// Returns a world as it stands in found_worlds.json, one line a step.
std::string to_text(const FoundWorld& world);

/// Returns an action's name as it is written in found_worlds.json.
std::string_view to_string(Action action) noexcept;

} // namespace hostile
