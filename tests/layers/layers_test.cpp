// What an include path cannot enforce: which arrows there are between targets and between the folders of the engine,
// which libraries a layer names, and that no include climbs out of its module.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Line {
    std::string where; // file and line
    std::string text;
};

bool is_source(const fs::path& path) { return path.extension() == ".h" || path.extension() == ".cpp"; }

// The lines of a file, with its name as the repository has it.
std::vector<Line> lines_of(const fs::path& path) {
    std::vector<Line> found;
    std::ifstream file(path);
    const std::string name = fs::relative(path, SUBSTEP_SOURCE_DIR).string();
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        found.push_back({name + ":" + std::to_string(number), line});
    }
    return found;
}

// Every line of the sources below a folder of the repository.
std::vector<Line> lines_below(const std::string& folder) {
    std::vector<Line> found;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SUBSTEP_SOURCE_DIR) / folder)) {
        if (is_source(entry.path())) {
            std::ranges::copy(lines_of(entry.path()), std::back_inserter(found));
        }
    }
    REQUIRE(found.size() > 100); // a scan that finds nothing proves nothing
    return found;
}

struct Include {
    std::string where; // file and line
    std::string name;  // as written, with its quotes or brackets
};

std::vector<Include> includes_among(const std::vector<Line>& lines) {
    std::vector<Include> found;
    for (const Line& line : lines) {
        if (line.text.rfind("#include ", 0) == 0) {
            found.push_back({line.where, line.text.substr(9)});
        }
    }
    return found;
}

std::vector<Include> includes_below(const std::string& folder) {
    std::vector<Include> found = includes_among(lines_below(folder));
    REQUIRE(found.size() > 10);
    return found;
}

// The modules of a house with what each may use: the names on the right of its line, and what these may use. A line
// that names what does not stand above it is refused, so the arrows make no circle.
class Arrows {
public:
    explicit Arrows(const fs::path& table) {
        std::ifstream file(table);
        std::string text;
        while (std::getline(file, text)) {
            if (text.empty() || text.front() == '#') continue;
            const std::size_t colon = text.find(':');
            REQUIRE(colon != std::string::npos);
            const std::string name = text.substr(0, colon);
            std::set<std::string> reached{name};
            std::istringstream names(text.substr(colon + 1));
            for (std::string below; names >> below;) {
                CAPTURE(text);
                REQUIRE(has(below));
                reached.insert(reach_.at(below).begin(), reach_.at(below).end());
            }
            CHECK(reach_.emplace(name, reached).second); // one line each
        }
        REQUIRE(reach_.size() > 5);
    }

    bool has(const std::string& name) const { return reach_.contains(name); }
    bool may_use(const std::string& from, const std::string& to) const { return reach_.at(from).contains(to); }

private:
    std::map<std::string, std::set<std::string>> reach_; // with the module itself
};

Arrows arrows_between_targets() { return Arrows(fs::path(SUBSTEP_SOURCE_DIR) / "tests/layers/targets.txt"); }
Arrows arrows_between_folders() { return Arrows(fs::path(SUBSTEP_SOURCE_DIR) / "tests/layers/folders.txt"); }

// The module of a public header: "engine" of "substep/engine/world.h", quotes included; empty for other headers.
std::string module_of(const std::string& include) {
    static const std::regex public_header(R"(["<]substep/([a-z_]+)/.*)");
    std::smatch match;
    return std::regex_match(include, match, public_header) ? match[1].str() : std::string();
}

// What is wrong with an include in a folder of engine/src; empty if nothing is. Private headers are named from
// engine/src.
std::string fault_of(const std::string& include, const std::string& folder, const Arrows& arrows) {
    if (include.front() != '"') {
        return "";
    }
    std::string used = module_of(include);
    if (used == "collision") {
        return arrows.may_use(folder, used) ? "" : "an arrow that the table does not have";
    }
    if (!used.empty() || include == "\"substep/substep.h\"") {
        return ""; // a layer below, or the engine's own public headers, which belong to no folder
    }
    if (include == "\"highway_pack.h\"") {
        return ""; // of numerics: what sources of one instruction set share
    }
    const std::size_t slash = include.find('/');
    if (slash == std::string::npos) {
        return "a private header without its folder";
    }
    used = include.substr(1, slash - 1);
    if (!arrows.has(used)) {
        return "a folder that the table does not have";
    }
    return arrows.may_use(folder, used) ? "" : "an arrow that the table does not have";
}

// A header of the standard library: angle brackets, no folder, no extension.
bool is_standard(const std::string& name) {
    return name.front() == '<' && name.find('/') == std::string::npos && name.find('.') == std::string::npos;
}

// The libraries, each a folder of the repository and a folder of its public headers.
constexpr const char* kLayers[] = {"numerics", "integrators", "collision", "engine", "scenes"};

bool starts_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

} // namespace

TEST_CASE("the arrows of a house are those of its table and what follows from them") {
    const Arrows folders = arrows_between_folders();
    CHECK(folders.may_use("world", "linear"));
    CHECK(folders.may_use("contact", "joints"));
    CHECK_FALSE(folders.may_use("joints", "contact"));
    CHECK_FALSE(folders.may_use("pairs", "joints"));
    CHECK(fault_of("\"joints/joint_solver.h\"", "contact", folders).empty());
    CHECK(fault_of("\"contact/cone_problem.h\"", "contact", folders).empty());
    CHECK(fault_of("<vector>", "linear", folders).empty());
    CHECK(fault_of("\"substep/engine/world.h\"", "linear", folders).empty());
    CHECK_FALSE(fault_of("\"contact/cone_problem.h\"", "joints", folders).empty());
    CHECK_FALSE(fault_of("\"substep/collision/shape.h\"", "archive", folders).empty());
    CHECK_FALSE(fault_of("\"joint_solver.h\"", "joints", folders).empty());
    CHECK_FALSE(fault_of("\"elsewhere/joint_solver.h\"", "joints", folders).empty());
}

TEST_CASE("targets link only targets that the table lets them") {
    const Arrows targets = arrows_between_targets();
    std::ifstream links(SUBSTEP_LINKS);
    int arrows = 0;
    for (std::string line; std::getline(links, line);) {
        std::istringstream words(line);
        std::string target;
        words >> target;
        REQUIRE(targets.has(target));
        for (std::string library; words >> library;) {
            static const std::regex ours(R"(.*substep(::|_)([a-z_]+).*)");
            std::smatch match;
            if (std::regex_match(library, match, ours) && targets.has(match[2])) {
                CAPTURE(line);
                CHECK(targets.may_use(target, match[2]));
                ++arrows;
            }
        }
    }
    CHECK(arrows >= 5); // those of the libraries, which every build has
}

TEST_CASE("layers include only layers that they stand on") {
    const Arrows targets = arrows_between_targets();
    for (const std::string layer : kLayers) {
        REQUIRE(targets.has(layer));
        for (const Include& include : includes_below(layer)) {
            const std::string used = module_of(include.name);
            if (!used.empty()) {
                CAPTURE(include.where);
                CHECK(targets.may_use(layer, used));
            }
        }
    }
}

TEST_CASE("the folders of the engine include only what their table lets them") {
    const Arrows folders = arrows_between_folders();
    for (const auto& folder : fs::directory_iterator(fs::path(SUBSTEP_SOURCE_DIR) / "engine/src")) {
        if (!folder.is_directory()) continue;
        const std::string name = folder.path().filename().string();
        CAPTURE(name);
        REQUIRE(folders.has(name));
        for (const auto& file : fs::recursive_directory_iterator(folder)) {
            if (!is_source(file.path())) continue;
            for (const Include& include : includes_among(lines_of(file.path()))) {
                const std::string fault = fault_of(include.name, name, folders);
                if (!fault.empty()) {
                    FAIL_CHECK(include.where << ": " << include.name << ": " << fault);
                }
            }
        }
    }
}

TEST_CASE("numerics and integrators include the standard library and Substep; Highway in private sources alone") {
    for (const std::string layer : {"numerics", "integrators"}) {
        for (const Include& include : includes_below(layer)) {
            CAPTURE(include.where);
            CAPTURE(include.name);
            const bool is_private = starts_with(include.where, layer + "/src/");
            const bool is_compiler =
                include.name == "<immintrin.h>"; // comes with the compiler, as the standard library does
            CHECK((is_standard(include.name) || is_compiler || include.name.front() == '"' ||
                   (is_private && starts_with(include.name, "<hwy/"))));
        }
    }
}

TEST_CASE("collision and engine include GLM and no other library") {
    for (const char* layer : {"collision", "engine"}) {
        for (const Include& include : includes_below(layer)) {
            CAPTURE(include.where);
            CAPTURE(include.name);
            CHECK((is_standard(include.name) || include.name.front() == '"' || starts_with(include.name, "<glm/")));
        }
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

TEST_CASE("every file of tests is built: a list of sources names it") {
    const fs::path tests = fs::path(SUBSTEP_SOURCE_DIR) / "tests";
    std::set<std::string> listed;
    for (const auto& file : fs::recursive_directory_iterator(tests)) {
        if (file.path().filename() == "CMakeLists.txt") {
            std::ifstream in(file.path());
            for (std::string word; in >> word;) {
                word.erase(std::remove(word.begin(), word.end(), ')'), word.end());
                listed.insert(fs::path(word).filename().string());
            }
        }
    }
    int count = 0;
    for (const auto& file : fs::recursive_directory_iterator(tests)) {
        const std::string name = file.path().filename().string();
        if (name.ends_with("_test.cpp")) {
            CAPTURE(name);
            CHECK(listed.contains(name));
            ++count;
        }
    }
    CHECK(count > 200);
}

TEST_CASE("no include climbs out of its folder") {
    for (const char* folder : {"numerics", "integrators", "collision", "engine", "scenes", "app"}) {
        for (const Include& include : includes_below(folder)) {
            CAPTURE(include.where);
            CHECK(include.name.find("..") == std::string::npos);
        }
    }
}

TEST_CASE("the engine names no shape: what differs from shape to shape is in collision") {
    const std::regex shape(
        R"(\b(Sphere|Box|Capsule|Cylinder|ThinRod|Plane)\b|std::holds_alternative<\w+>\(\w*\.?shape)");
    CHECK(std::regex_search("std::holds_alternative<Plane>(body.shape)", shape));
    CHECK_FALSE(std::regex_search("const Shape& shape = body.shape; // a sphere", shape));
    for (const Line& line : lines_below("engine/src")) {
        const std::string code = line.text.substr(0, line.text.find("//"));
        if (std::regex_search(code, shape)) {
            FAIL_CHECK(line.where << ": " << line.text);
        }
    }
}

TEST_CASE("nothing that steps calls a function whose last bits differ from one C library to the next") {
    // Square roots and remainders are exact to half a unit in the last place everywhere; these are not.
    const std::regex inexact(
        R"(\b(std|glm)::(a?(sin|cos|tan)h?|atan2|exp|exp2|expm1|log|log2|log10|log1p|pow|hypot|cbrt|)"
        R"(slerp|angleAxis|angle|axis|eulerAngles)\()");
    CHECK(std::regex_search("glm::length(x) + std::hypot(a, b)", inexact));
    for (const std::string folder : {"numerics", "integrators", "collision", "engine"}) {
        for (const Line& line : lines_below(folder)) {
            const bool is_message = line.text.find("std::to_string(std::acos(") != std::string::npos;
            if (std::regex_search(line.text, inexact) && !is_message) {
                FAIL_CHECK(line.where << ": " << line.text);
            }
        }
    }
}

TEST_CASE("no source leans on the order in which GLM's quaternions take their components") {
    // GLM 1.0 takes x first under a macro of its own: components are named (detail::quaternion).
    const std::regex by_order(R"(\b(dquat|qua<[a-z ]+>|Quaternion)(\(| \w+[({]|\{)[^()]*([(][^()]*[)][^()]*)*,)");
    CHECK(std::regex_search(std::string("q = glm::dquat(1.0, 0.0, 0.0, 0.0);"), by_order));
    CHECK(std::regex_search(std::string("glm::dquat q{std::cos(a), v};"), by_order));
    CHECK_FALSE(std::regex_search(std::string("glm::dquat(q), other"), by_order));
    for (const char* folder : {"collision", "engine", "scenes", "app"}) {
        for (const Line& line : lines_below(folder)) {
            const bool declares = line.text.find("const glm::d") != std::string::npos ||
                                  line.text.find("const BodyRecord&") != std::string::npos ||
                                  line.text.find("const Vector&") != std::string::npos;
            CAPTURE(line.where);
            CAPTURE(line.text);
            CHECK((declares || !std::regex_search(line.text, by_order)));
        }
    }
}

TEST_CASE("every public header says what is public, and asks for the library of its version") {
    for (const char* layer : {"numerics", "integrators", "collision", "engine", "scenes"}) {
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(SUBSTEP_SOURCE_DIR) / layer / "include" / "substep")) {
            const std::string name = entry.path().filename().string();
            if (!is_source(entry.path()) || name == "version.h" || name == "substep.h" ||
                name == "strict_arithmetic.h" || name == "glm_types.h") { // macros, includes, templates
                continue;
            }
            std::set<std::string> lines;
            for (const Line& line : lines_of(entry.path())) {
                lines.insert(line.text);
            }
            CAPTURE(name);
            CHECK(lines.contains("#include \"substep/version.h\""));
            CHECK(lines.contains("#pragma GCC visibility push(default)"));
            CHECK(lines.contains("#pragma GCC visibility pop"));
        }
    }
}
