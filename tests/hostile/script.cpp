// How a script is made and shortened.
#include "script.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "random.h"

namespace hostile {
namespace {

struct Row {
    const char* name;
    int weight; ///< how often it comes, relative to the others, after the first bodies and joints
};

constexpr std::array kRows{
    Row{"CreateBody", 3},
    Row{"DestroyBody", 2},
    Row{"CreateJoint", 3},
    Row{"DestroyJoint", 2},
    Row{"AddField", 1},
    Row{"RemoveField", 2},
    Row{"ChangeSettings", 2},
    Row{"ChangeBody", 4},
    Row{"Advance", 14},
    Row{"AdvanceTwice", 2},
    Row{"Snapshot", 2},
    Row{"Restore", 2},
    Row{"Sample", 2},
    Row{"CreateSpecialBody", 2},
    Row{"CreateSpecialJoint", 2},
    Row{"CreateActuatedJoint", 3},
    Row{"CreateCoupling", 2},
    Row{"RepeatJoint", 1},
    Row{"CreateStructure", 1},
    Row{"ChangeDrive", 1},
    Row{"AddLibraryField", 4},
    Row{"ChangeIntegrator", 2},
    Row{"ChangeMass", 2},
    Row{"ChangeWorld", 2},
    Row{"SwitchLedger", 0},
    Row{"Finalize", 1},
    Row{"Replay", 4},
    Row{"MoveToTwin", 1},
    Row{"DamageSnapshot", 1},
    Row{"CloseBooks", 2},
    Row{"HostBodies", 1},
    Row{"OddInput", 3},
    Row{"ReplaceJoint", 2},
    Row{"ReplaceField", 1},
    Row{"ChangeMaterial", 1},
    Row{"CreateStoppedJoint", 4},
    Row{"CreateCurveJoint", 2},
    Row{"CreateLoop", 1},
    Row{"CreatePile", 1},
    Row{"AddOwnField", 2},
    Row{"PushBody", 2},
    Row{"ChangeControl", 1},
    Row{"MoveWorld", 1},
    Row{"Ask", 2},
    Row{"Settle", 1},
    Row{"HeldForces", 1},
    Row{"TickClock", 1},
    Row{"SetPairRule", 2},
    Row{"EditCollider", 2},
    Row{"LimitBudget", 0},
};
static_assert(kRows.size() == static_cast<std::size_t>(Action::Count));

Action draw(Random& random) {
    int sum = 0;
    for (const Row& row : kRows) {
        sum += row.weight;
    }
    int at = static_cast<int>(random.one_of(static_cast<std::size_t>(sum)));
    std::size_t action = 0;
    while (at >= kRows[action].weight) {
        at -= kRows[action++].weight;
    }
    return static_cast<Action>(action);
}

} // namespace

std::vector<Step> make_script(std::uint64_t seed) {
    Random random(seed);
    std::vector<Step> script;
    const auto add = [&](Action action) { script.push_back({action, random.bits(), {}}); };
    const auto one_of = [&](std::initializer_list<Action> actions) {
        add(actions.begin()[random.one_of(actions.size())]);
    };

    // Something to begin with, mostly joined.
    add(Action::LimitBudget);
    add(random.chance(0.7) ? Action::ChangeSettings : Action::ChangeWorld);
    if (random.chance(0.3)) {
        one_of({Action::CreateStructure, Action::CreateLoop, Action::CreatePile});
    } else {
        const std::size_t bodies = 1 + random.one_of(6);
        for (std::size_t i = 0; i < bodies; ++i) {
            one_of({Action::CreateBody, Action::CreateBody, Action::CreateBody, Action::CreateSpecialBody});
            if (i > 0 && random.chance(0.8)) {
                one_of({Action::CreateJoint, Action::CreateSpecialJoint, Action::CreateActuatedJoint,
                        Action::CreateStoppedJoint, Action::CreateCurveJoint});
            }
        }
    }
    for (std::size_t i = random.one_of(3); i > 0; --i) {
        one_of({Action::CreateJoint, Action::CreateSpecialJoint, Action::CreateActuatedJoint, Action::CreateCoupling,
                Action::CreateStoppedJoint, Action::RepeatJoint, Action::AddLibraryField,
                Action::AddOwnField}); // loops, and what moves them
    }

    // Most lives are short, so that there may be many; one in ten is long.
    const std::size_t steps = random.chance(0.9) ? 4 + random.one_of(12) : 20 + random.one_of(30);
    for (std::size_t i = 0; i < steps; ++i) {
        add(draw(random));
    }
    if (random.chance(0.1)) {
        script.insert(script.begin() + static_cast<std::ptrdiff_t>(random.one_of(script.size())),
                      {Action::SwitchLedger, random.bits(), {}});
    }
    return script;
}

std::vector<Step> minimise(std::vector<Step> script, std::uint64_t seed) {
    // The same promise, by its first words: numbers in a complaint may change on the way.
    const auto promise_of = [&](const std::vector<Step>& steps) {
        return examine(steps, seed).complaint.substr(0, 16);
    };
    const std::string promise = promise_of(script);

    // Leave out ever smaller parts for as long as it stays broken, and for half a minute: some worlds are slow.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (std::size_t part = std::max<std::size_t>(1, script.size() / 2); part >= 1; part /= 2) {
        for (std::size_t begin = 0; begin < script.size() && std::chrono::steady_clock::now() < deadline;) {
            std::vector<Step> shorter = script;
            const auto from = shorter.begin() + static_cast<std::ptrdiff_t>(begin);
            shorter.erase(from, from + static_cast<std::ptrdiff_t>(std::min(part, script.size() - begin)));
            if (promise_of(shorter) == promise) {
                script = std::move(shorter);
            } else {
                begin += part;
            }
        }
    }
    return script;
}

std::string_view to_string(Action action) noexcept { return kRows[static_cast<std::size_t>(action)].name; }

} // namespace hostile
