// The stored lists: where scenes start, and what runs came to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results.h"
#include "scene_runs.h"

namespace baseline {

/// What a scene starts from, as it was when the lists were written.
struct StoredScene {
    std::uint64_t inputs = 0; ///< see `inputs_of`
    std::vector<Start> starts;
};

/// The scenes of lists/starts.txt by name, and the digest of the C library that they were computed with.
struct StoredScenes {
    std::uint64_t c_library = 0;
    std::map<std::string, StoredScene> scenes;
};

StoredScenes read_scenes();
void write_scenes(const StoredScenes& scenes);

/// Digests by the name of their run.
using List = std::map<std::string, std::vector<std::string>>;

/// Reads lists/NAME.txt; an empty list if there is no such file.
List read_list(const std::string& name);
void write_list(const std::string& name, const std::string& title, const List& list);

/// Returns what differs from a list, in words; empty if nothing does.
std::string difference(const List& list, const std::string& run, const std::vector<Value>& values);

} // namespace baseline
