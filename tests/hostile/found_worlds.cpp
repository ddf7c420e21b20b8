// The list of found worlds, found_worlds.json: an object for each, with the promise that it once broke and its steps,
// each the action's name with the values that it was made of. Bodies, joints and fields go by their number among all
// that were created before; null is the ground.
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "script.h"

namespace hostile {

using Json = nlohmann::json;

namespace {

Action action_of(const std::string& name) {
    for (int i = 0; i < static_cast<int>(Action::Count); ++i) {
        if (to_string(static_cast<Action>(i)) == name) {
            return static_cast<Action>(i);
        }
    }
    throw std::runtime_error("there is no action '" + name + "'");
}

Step read_step(const Json& step) {
    if (!step.is_object() || step.size() != 1) {
        throw std::runtime_error("a step is one action with its values");
    }
    return {action_of(step.begin().key()), 0, std::make_shared<Json>(step.begin().value())};
}

} // namespace

std::vector<FoundWorld> read_worlds(const Json& list) {
    std::vector<FoundWorld> worlds;
    for (const Json& entry : list) {
        if (!entry.is_object() || entry.size() != 2 || !entry.contains("promise") || !entry.contains("steps")) {
            throw std::runtime_error("a world has a 'promise' and 'steps', and nothing else");
        }
        FoundWorld world{entry["promise"].get<std::string>(), {}};
        for (const Json& step : entry["steps"]) {
            world.script.push_back(read_step(step));
        }
        worlds.push_back(std::move(world));
    }
    return worlds;
}

std::vector<FoundWorld> found_worlds() {
    try {
        std::ifstream file(SUBSTEP_FOUND_WORLDS);
        return read_worlds(Json::parse(file));
    } catch (const std::exception& error) {
        throw std::runtime_error(SUBSTEP_FOUND_WORLDS ": " + std::string(error.what()));
    }
}

std::string to_text(const FoundWorld& world) {
    std::string text = "{\"promise\": " + Json(world.promise).dump() + ", \"steps\": [";
    for (const Step& step : world.script) {
        text += text.back() == '[' ? "\n" : ",\n";
        text += Json::object({{std::string(to_string(step.action)), *step.values}}).dump();
    }
    return text + "\n]}";
}

} // namespace hostile
