// What an include path cannot enforce: which libraries a layer names, and that no include climbs out of its module.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Line {
    std::string where; // file and line
    std::string text;
};

// Every line of the sources below a folder of the repository.
std::vector<Line> lines_below(const std::string& folder) {
    std::vector<Line> found;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SUBSTEP_SOURCE_DIR) / folder)) {
        const std::string extension = entry.path().extension().string();
        if (extension != ".h" && extension != ".cpp") continue;
        std::ifstream file(entry.path());
        const std::string name = fs::relative(entry.path(), SUBSTEP_SOURCE_DIR).string();
        std::string line;
        for (int number = 1; std::getline(file, line); ++number) {
            found.push_back({name + ":" + std::to_string(number), line});
        }
    }
    REQUIRE(found.size() > 1000); // a scan that finds nothing proves nothing
    return found;
}

struct Include {
    std::string where; // file and line
    std::string name;  // as written, with its quotes or brackets
};

std::vector<Include> includes_below(const std::string& folder) {
    std::vector<Include> found;
    for (const Line& line : lines_below(folder)) {
        if (line.text.rfind("#include ", 0) == 0) {
            found.push_back({line.where, line.text.substr(9)});
        }
    }
    REQUIRE(found.size() > 10);
    return found;
}

// A header of the standard library: angle brackets, no folder, no extension.
bool is_standard(const std::string& name) {
    return name.front() == '<' && name.find('/') == std::string::npos && name.find('.') == std::string::npos;
}

bool starts_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

} // namespace

TEST_CASE("integrators include the standard library and themselves; Highway in private sources alone") {
    for (const Include& include : includes_below("integrators")) {
        CAPTURE(include.where);
        CAPTURE(include.name);
        const bool is_private = starts_with(include.where, "integrators/src/");
        const bool is_compiler =
            include.name == "<immintrin.h>"; // comes with the compiler, as the standard library does
        CHECK((is_standard(include.name) || is_compiler || include.name.front() == '"' ||
               (is_private && starts_with(include.name, "<hwy/"))));
    }
}

TEST_CASE("engine includes GLM and no other library") {
    for (const Include& include : includes_below("engine")) {
        CAPTURE(include.where);
        CAPTURE(include.name);
        CHECK((is_standard(include.name) || include.name.front() == '"' || starts_with(include.name, "<glm/")));
    }
}

TEST_CASE("scenes include neither graphics nor GUI") {
    for (const Include& include : includes_below("scenes")) {
        CAPTURE(include.where);
        CAPTURE(include.name);
        for (const char* library : {"imgui", "GLFW", "glad", "EGL", "GL/"})
            CHECK(include.name.find(library) == std::string::npos);
    }
}

TEST_CASE("no include climbs out of its folder") {
    for (const char* folder : {"integrators", "engine", "scenes", "app"}) {
        for (const Include& include : includes_below(folder)) {
            CAPTURE(include.where);
            CHECK(include.name.find("..") == std::string::npos);
        }
    }
}

TEST_CASE("nothing that steps calls a function whose last bits differ from one C library to the next") {
    // Square roots and remainders are exact to half a unit in the last place everywhere; these are not.
    const std::regex inexact(
        R"(\b(std|glm)::(a?(sin|cos|tan)h?|atan2|exp|exp2|expm1|log|log2|log10|log1p|pow|hypot|cbrt|)"
        R"(slerp|angleAxis|angle|axis|eulerAngles)\()");
    CHECK(std::regex_search("glm::length(x) + std::hypot(a, b)", inexact));
    for (const std::string folder : {"integrators", "engine"}) {
        for (const Line& line : lines_below(folder)) {
            const bool is_message = line.text.find("std::to_string(std::acos(") != std::string::npos;
            if (std::regex_search(line.text, inexact) && !is_message) {
                FAIL_CHECK(line.where << ": " << line.text);
            }
        }
    }
}
