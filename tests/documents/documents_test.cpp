// Documents and lists against what they describe: paths, code, the table of methods, the breaks of the engine, and
// marks of unfinished work.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "substep/integrators/integration_method.h"

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = SUBSTEP_SOURCE_DIR;

std::string read(const fs::path& path) {
    std::ifstream file(path);
    REQUIRE_MESSAGE(file.good(), path.string());
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

// README.md and everything under docs/ that is text.
std::vector<fs::path> documents() {
    std::vector<fs::path> found{kRoot / "README.md"};
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
        if (entry.path().extension() == ".md") {
            found.push_back(entry.path());
        }
    }
    REQUIRE(found.size() >= 4);
    return found;
}

// Our own text files: what a reader of the repository may open.
std::vector<fs::path> own_files() {
    std::vector<fs::path> found = documents();
    for (const char* folder : {"integrators", "engine", "scenes", "app", "shaders", "tests", "third_party"}) {
        for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
            if (entry.is_regular_file() && entry.path().filename() != "documents_test.cpp") {
                found.push_back(entry.path());
            }
        }
    }
    for (const char* file : {"dev", "CMakeLists.txt", "CMakePresets.json", ".ci/run", ".clang-tidy", ".clang-format"}) {
        found.push_back(kRoot / file);
    }
    return found;
}

// A fenced block of a document: its language and its lines.
struct Block {
    std::string language;
    std::string text;
};

std::vector<Block> blocks_of(const std::string& document) {
    std::vector<Block> blocks;
    bool inside = false;
    for (const std::string& line : lines_of(document)) {
        if (line.rfind("```", 0) == 0) {
            inside = !inside;
            if (inside) {
                blocks.push_back({line.substr(3), ""});
            }
        } else if (inside) {
            blocks.back().text += line + "\n";
        }
    }
    CHECK_FALSE(inside);
    return blocks;
}

// The text without the indentation of its lines, so that a part of a function can be compared with the function.
std::string without_indentation(const std::string& text) {
    std::string result;
    for (const std::string& line : lines_of(text)) {
        const std::size_t first = line.find_first_not_of(' ');
        result += (first == std::string::npos ? std::string() : line.substr(first)) + "\n";
    }
    return result;
}

// What stands between backticks outside fenced blocks, and the targets of links that are not addresses.
std::vector<std::string> quoted_and_linked(const std::string& document) {
    std::vector<std::string> found;
    bool fenced = false;
    for (const std::string& line : lines_of(document)) {
        if (line.rfind("```", 0) == 0) {
            fenced = !fenced;
            continue;
        }
        if (fenced) {
            continue;
        }
        for (std::size_t at = line.find('`'); at != std::string::npos;) {
            const std::size_t end = line.find('`', at + 1);
            if (end == std::string::npos) {
                break;
            }
            found.push_back(line.substr(at + 1, end - at - 1));
            at = line.find('`', end + 1);
        }
        for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 2)) {
            const std::string target = line.substr(at + 2, line.find(')', at) - at - 2);
            if (target.find("://") == std::string::npos) {
                found.push_back("link:" + target);
            }
        }
    }
    return found;
}

// Whether a word between backticks claims to be a path of this repository.
bool looks_like_a_path(const std::string& word) {
    if (word.find_first_of(" *<>(){}=,") != std::string::npos) {
        return false;
    }
    for (const char* start :
         {"integrators/", "engine/", "scenes/", "app/", "shaders/", "tests/", "third_party/", "docs/", "./dev", ".ci/",
          "CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", ".clang"}) {
        if (word.rfind(start, 0) == 0) {
            return true;
        }
    }
    return false;
}

} // namespace

TEST_CASE("every path that a document names exists") {
    int checked = 0;
    for (const fs::path& document : documents()) {
        CAPTURE(document.string());
        for (std::string word : quoted_and_linked(read(document))) {
            CAPTURE(word);
            if (word.rfind("link:", 0) == 0) {
                const std::string target = word.substr(5, word.find('#') - 5);
                CHECK((target.empty() || fs::exists(document.parent_path() / target)));
                ++checked;
            } else if (looks_like_a_path(word)) {
                CHECK(fs::exists(kRoot / word));
                ++checked;
            }
        }
    }
    CHECK(checked > 20);
}

TEST_CASE("every C++ and CMake block of a document is part of a project that is built") {
    // The projects of tests/embed are configured, built and run by ctest.
    std::vector<std::string> built;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests/embed")) {
        if (entry.path().extension() == ".cpp" || entry.path().filename() == "CMakeLists.txt") {
            built.push_back(without_indentation(read(entry.path())));
        }
    }
    int checked = 0;
    for (const fs::path& document : documents()) {
        CAPTURE(document.string());
        for (const Block& block : blocks_of(read(document))) {
            if (block.language != "cpp" && block.language != "cmake") {
                continue;
            }
            CAPTURE(block.text);
            const std::string text = without_indentation(block.text);
            CHECK(std::ranges::any_of(built,
                                      [&](const std::string& file) { return file.find(text) != std::string::npos; }));
            ++checked;
        }
    }
    CHECK(checked >= 2);
}

TEST_CASE("README's first program is the whole of tests/embed/hello/hello.cpp, in at most 15 lines") {
    const std::string program = read(kRoot / "tests/embed/hello/hello.cpp");
    CHECK(lines_of(program).size() <= 15);
    const std::vector<Block> blocks = blocks_of(read(kRoot / "README.md"));
    const auto first = std::ranges::find(blocks, "cpp", &Block::language);
    REQUIRE(first != blocks.end());
    CHECK(first->text == program);
}

TEST_CASE("README's table of methods is the catalogue, row by row") {
    std::string expected;
    for (const substep::IntegrationMethod* method : substep::method_catalogue()) {
        const substep::MethodInfo& info = method->info();
        expected += "| `" + std::string(info.name) + "` | " + std::to_string(info.order) + " | " +
                    std::to_string(info.stages) + " | " + (info.adaptive ? "adaptive" : "fixed") + " | " +
                    std::string(info.promise) + " |\n";
    }
    std::string shown;
    for (const std::string& line : lines_of(read(kRoot / "README.md"))) {
        if (line.rfind("| `", 0) == 0) {
            shown += line + "\n";
        }
    }
    CHECK(shown == expected);
}

TEST_CASE("nothing is left unfinished, and nothing names one machine's folders") {
    const std::vector<std::string> marks{"TODO", "FIXME", "XXX", "/home/", "/root/", "/tmp/", "/work/"};
    const std::vector<fs::path> files = own_files();
    CHECK(files.size() > 50);
    for (const fs::path& file : files) {
        CAPTURE(file.string());
        const std::string text = read(file);
        for (const std::string& mark : marks) {
            CAPTURE(mark);
            CHECK(text.find(mark) == std::string::npos);
        }
    }
}

TEST_CASE("every source begins by saying what it is for") {
    for (const fs::path& file : own_files()) {
        const std::string extension = file.extension().string();
        const std::string name = file.filename().string();
        std::string comment = "//";
        if (name == "CMakeLists.txt" || extension == ".sh" || name == "dev" || name == "run") {
            comment = "#";
        } else if (extension != ".h" && extension != ".cpp" && extension != ".vert" && extension != ".frag" &&
                   extension != ".glsl") {
            continue;
        }
        CAPTURE(file.string());
        // A shell script's first line names its interpreter, a shader's its language version.
        const std::vector<std::string> lines = lines_of(read(file));
        REQUIRE(lines.size() >= 2);
        const bool special = lines[0].rfind("#!", 0) == 0 || lines[0].rfind("#version", 0) == 0;
        CHECK(lines[special ? 1 : 0].rfind(comment, 0) == 0);
    }
}

TEST_CASE("every break of the engine names a text that occurs once in its source") {
    // Making the breaks takes a build each; whether they can be made shows at once.
    std::string file;
    std::string before;
    int breaks = 0;
    for (const std::string& line : lines_of(read(kRoot / "tests/mutations/mutations.txt"))) {
        // What stands elsewhere than where it is read is not read: a break would be judged by other tests.
        const std::string key = line.substr(0, line.find(' '));
        if (key == "file:" || key == "tests:" || key == "old:" || key == "new:") {
            CAPTURE(line);
            const bool follows = key == "file:"    ? before == "name:"
                                 : key == "tests:" ? before == "file:"
                                 : key == "old:"   ? before == "file:" || before == "tests:"
                                                   : before == "old:";
            CHECK(follows);
        }
        before = key;
        if (line.starts_with("tests: ")) {
            CAPTURE(line);
            std::istringstream filters(line.substr(7));
            for (std::string filter; std::getline(filters, filter, ',');) {
                REQUIRE(filter.starts_with("*/"));
                CHECK(std::ranges::any_of(fs::recursive_directory_iterator(kRoot / "tests"), [&](const auto& entry) {
                    return entry.path().filename() == filter.substr(2);
                }));
            }
        }
        if (line.starts_with("file: ")) {
            file = line.substr(6);
        } else if (line.starts_with("old: ")) {
            CAPTURE(file);
            CAPTURE(line);
            const std::string text = line.substr(5);
            const std::string source = read(kRoot / file);
            const std::size_t first = source.find(text);
            CHECK(first != std::string::npos);
            CHECK(first == source.rfind(text));
            ++breaks;
        }
    }
    CHECK(breaks >= 50);
}
