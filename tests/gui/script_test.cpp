// Scripts are checked when they are read: a wrong line is named before anything is played.
#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>
#include <string>

#include "script.h"

using namespace substep;

namespace {

std::vector<ScriptCommand> read(const std::string& text) {
    std::istringstream stream(text);
    return read_script(stream, "user.txt");
}

std::string refusal(const std::string& text) {
    try {
        read(text);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("comments and empty lines are skipped, and lines keep their numbers") {
    const std::vector<ScriptCommand> commands = read("# a user\n\nclick play # pauses\nwait 3\n");
    REQUIRE(commands.size() == 2);
    CHECK(commands[0].line == 3);
    CHECK(commands[0].words == std::vector<std::string>{"click", "play"});
    CHECK(commands[1].line == 4);
}

TEST_CASE("a wrong line is refused with file, line and reason") {
    CHECK(refusal("wait 1\ndance\n").find("user.txt:2: there is no command \"dance\"; valid: click, ") == 0);
    CHECK(refusal("click\n") == "user.txt:1: click takes 1 words, not 0");
    CHECK(refusal("expect method == rk4 now\n") == "user.txt:1: expect takes 3 words, not 4");
    CHECK(refusal("wait long\n") == "user.txt:1: \"long\" is not a number");
    CHECK(refusal("hover plot.drift 0.5 high\n") == "user.txt:1: \"high\" is not a number");
    CHECK(refusal("drag viewport inf 0\n") == "user.txt:1: \"inf\" is not a number");
    CHECK(refusal("wait inf\n") == "user.txt:1: \"inf\" is not a number");
    for (const std::string frames : {"1e9", "-1", "2.5", "100001"}) {
        CHECK(refusal("wait " + frames + "\n") ==
              "user.txt:1: wait takes a whole number of frames from 0 to 100000, not " + frames);
    }
    CHECK(read("wait 100000\nwait 0\n").size() == 2);
    CHECK(refusal("key nosuch\n") == "user.txt:1: no command has the key \"nosuch\"; F1 lists them in the demo");
}
