// How a script is made, shortened and written down.
#include "script.h"

#include <algorithm>

#include "random.h"

namespace hostile {
namespace {

/// How often each action comes, relative to the others, after the first bodies and joints.
constexpr int kWeights[] = {
    3,  // CreateBody
    1,  // DestroyBody
    4,  // CreateJoint
    2,  // DestroyJoint
    1,  // AddField
    1,  // RemoveField
    2,  // ChangeSettings
    4,  // ChangeBody
    12, // Advance
    4,  // AdvanceTwice
    2,  // Snapshot
    2,  // Restore
    2,  // Sample
};
static_assert(std::size(kWeights) == static_cast<std::size_t>(Action::kCount));

constexpr const char* kNames[] = {"create_body",  "destroy_body",    "create_joint", "destroy_joint", "add_field",
                                  "remove_field", "change_settings", "change_body",  "advance",       "advance_twice",
                                  "snapshot",     "restore",         "sample"};
static_assert(std::size(kNames) == std::size(kWeights));

Action draw(Random& random) {
    int sum = 0;
    for (const int weight : kWeights) {
        sum += weight;
    }
    int at = static_cast<int>(random.one_of(static_cast<std::size_t>(sum)));
    std::size_t action = 0;
    while (at >= kWeights[action]) {
        at -= kWeights[action++];
    }
    return static_cast<Action>(action);
}

} // namespace

std::vector<Step> make_script(std::uint64_t seed) {
    Random random(seed);
    std::vector<Step> script;
    const auto add = [&](Action action) { script.push_back({action, random.bits()}); };

    // Something to begin with, mostly joined.
    add(Action::ChangeSettings);
    const std::size_t bodies = 1 + random.one_of(8);
    for (std::size_t i = 0; i < bodies; ++i) {
        add(Action::CreateBody);
        if (i > 0 && random.chance(0.8)) {
            add(Action::CreateJoint);
        }
    }
    for (std::size_t i = random.one_of(3); i > 0; --i) {
        add(Action::CreateJoint); // loops
    }

    const std::size_t steps = 10 + random.one_of(30);
    for (std::size_t i = 0; i < steps; ++i) {
        add(draw(random));
    }
    return script;
}

std::vector<Step> minimise(std::vector<Step> script) {
    // The same promise, by its first words: numbers in a complaint may change on the way.
    const auto promise_of = [](const std::string& complaint) { return complaint.substr(0, 12); };
    const std::string promise = promise_of(live(script).complaint);

    // Leave out ever smaller parts for as long as it stays broken.
    for (std::size_t part = std::max<std::size_t>(1, script.size() / 2); part >= 1; part /= 2) {
        for (std::size_t begin = 0; begin < script.size();) {
            std::vector<Step> shorter = script;
            const auto from = shorter.begin() + static_cast<std::ptrdiff_t>(begin);
            shorter.erase(from, from + static_cast<std::ptrdiff_t>(std::min(part, script.size() - begin)));
            if (promise_of(live(shorter).complaint) == promise) {
                script = std::move(shorter);
            } else {
                begin += part;
            }
        }
    }
    return script;
}

std::string to_text(const std::vector<Step>& script) {
    std::string text;
    for (const Step& step : script) {
        text += "    {Action::";
        bool upper = true;
        for (const char c : std::string(kNames[static_cast<std::size_t>(step.action)])) {
            if (c == '_') {
                upper = true;
                continue;
            }
            text += upper ? static_cast<char>(c - 'a' + 'A') : c;
            upper = false;
        }
        text += ", " + std::to_string(step.seed) + "u},\n";
    }
    return text;
}

} // namespace hostile
