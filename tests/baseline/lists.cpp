// Stored lists.
#include "lists.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace baseline {

namespace {

std::string path_of(const std::string& name) { return std::string(SUBSTEP_BASELINE_LISTS) + '/' + name + ".txt"; }

std::ofstream open_to_write(const std::string& name) {
    std::ofstream file(path_of(name));
    if (!file) {
        throw std::runtime_error("The list " + path_of(name) + " cannot be written.");
    }
    return file;
}

/// A number as C writes it in hexadecimal, with every bit.
std::string exact(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%a", x);
    return text;
}

/// The lines of a file that are no comments, as words.
std::vector<std::vector<std::string>> lines_of(const std::string& name) {
    std::ifstream file(path_of(name));
    std::vector<std::vector<std::string>> lines;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        std::istringstream in(line);
        lines.emplace_back();
        for (std::string word; in >> word;) {
            lines.back().push_back(word);
        }
    }
    return lines;
}

} // namespace

StoredScenes read_scenes() {
    StoredScenes stored;
    StoredScene* scene = nullptr;
    for (const std::vector<std::string>& line : lines_of("starts")) {
        if (line[0] == "c_library") {
            stored.c_library = std::stoull(line.at(1), nullptr, 16);
        } else if (line[0] == "scene") {
            scene = &stored.scenes[line.at(1)];
            scene->inputs = std::stoull(line.at(2), nullptr, 16);
        } else if (scene != nullptr) {
            Start& start = scene->starts.emplace_back();
            for (std::size_t i = 0; i < start.size(); ++i) {
                start[i] = std::strtod(line.at(i).c_str(), nullptr);
            }
        }
    }
    return stored;
}

void write_scenes(const StoredScenes& stored) {
    std::ofstream file = open_to_write("starts");
    file << "# Where scenes start: a digest of their other inputs, and of each dynamic body position, orientation,\n"
            "# velocity and angular velocity. Written by `substep_baseline write`.\n"
         << "c_library " << to_hex(stored.c_library) << '\n';
    for (const auto& [name, scene] : stored.scenes) {
        file << "scene " << name << ' ' << to_hex(scene.inputs) << '\n';
        for (const Start& start : scene.starts) {
            for (const double x : start) {
                file << ' ' << exact(x);
            }
            file << '\n';
        }
    }
}

List read_list(const std::string& name) {
    List list;
    for (std::vector<std::string>& line : lines_of(name)) {
        list[line[0]] = {line.begin() + 1, line.end()};
    }
    return list;
}

void write_list(const std::string& name, const std::string& title, const List& list) {
    std::ofstream file = open_to_write(name);
    file << "# " << title << " Written by `substep_baseline write`.\n";
    for (const auto& [run, values] : list) {
        file << run;
        for (const std::string& value : values) {
            file << ' ' << value;
        }
        file << '\n';
    }
}

std::string difference(const List& list, const std::string& run, const std::vector<Value>& values) {
    const auto stored = list.find(run);
    if (stored == list.end()) {
        return values.empty() ? "" : "not in the list";
    }
    if (stored->second.size() != values.size()) {
        return "another kind of result than in the list";
    }
    std::string what;
    bool motion_differs = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_motion = values[i].name.starts_with("frame_");
        if (values[i].text != stored->second[i] && !(is_motion && motion_differs)) {
            what += what.empty() ? "" : ", ";
            what += is_motion ? "motion, first seen at " + values[i].name : values[i].name;
            motion_differs = motion_differs || is_motion;
        }
    }
    return what;
}

} // namespace baseline
