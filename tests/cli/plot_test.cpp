// `--plot`: a picture beside the numbers, and one sentence where there can be none.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "figure.h"
#include "program.h"

namespace {

// A PNG's name for a temporary file's.
std::string png(const TemporaryFile& file) { return file.path().string() + ".png"; }

} // namespace

TEST_CASE("run and compare draw a PNG beside what they print; without OpenGL they say so and do nothing") {
    const TemporaryFile file;
    for (const std::string command :
         {"run pendulum --frames 20", "run chain --frames 20", "compare pendulum --frames 20 --tolerances 1e-3,1e-6",
          "compare pendulum --frames 20 --plot-over time", "compare chain --frames 20 --plot-over us",
          "verify detest_A3"}) {
        const Outcome plain = substep_program(command.substr(0, command.find(" --plot-over")) + " --json");
        const Outcome drawn =
            substep_program(command + " --json --plot " + png(file) + " --plot-theme dark --plot-size 400x300");
        CAPTURE(command);
        CAPTURE(drawn.error);
        if (!substep::figures_available()) {
            CHECK(drawn.status == 2);
            CHECK(drawn.error.find("without OpenGL") != std::string::npos);
            continue;
        }
        CHECK(plain.status == 0);
        CHECK(drawn.status == 0);
        CHECK(drawn.output.substr(0, 40) == plain.output.substr(0, 40));
        CHECK(std::filesystem::file_size(png(file)) > 1000);
        std::filesystem::remove(png(file));
    }
}

TEST_CASE("the automatic choice has its curve like every method") {
    if (!substep::figures_available()) {
        return;
    }
    const TemporaryFile file;
    const auto drawn = [&](const std::string& methods) {
        const Outcome outcome = substep_program("compare pendulum --frames 20 --tolerances 1e-3,1e-6,1e-9 --methods " +
                                                methods + " --plot " + png(file));
        CHECK(outcome.status == 0);
        std::ifstream picture(png(file), std::ios::binary);
        std::stringstream bytes;
        bytes << picture.rdbuf();
        std::filesystem::remove(png(file));
        return bytes.str();
    };
    CHECK(drawn("rk4,auto") != drawn("rk4"));
}

TEST_CASE("what cannot be drawn is refused in one sentence before the run") {
    const TemporaryFile file;
    const std::vector<std::string> refused{"--plot /no/such/folder/x.png",
                                           "--plot " + file.path().string() + ".gif",
                                           "--plot /tmp",
                                           "--plot " + png(file) + " --plot-size 12",
                                           "--plot " + png(file) + " --plot-size 10x10",
                                           "--plot " + png(file) + " --plot-size 400xmany",
                                           "--plot " + png(file) + " --plot-theme blue",
                                           std::string("--plot \"\"")};
    for (const std::string& words : refused) {
        for (const std::string command : {"run pendulum", "compare pendulum"}) {
            std::string line = command;
            line.append(" --frames 100000000 ").append(words);
            const Outcome outcome = substep_program(line);
            CAPTURE(words);
            CHECK(outcome.status == 2);
            CHECK(outcome.output.empty());
            CHECK(outcome.error.starts_with("substep: "));
            CHECK(std::count(outcome.error.begin(), outcome.error.end(), '\n') == 1);
        }
    }
    CHECK(substep_program("compare pendulum --plot " + png(file) + " --plot-over mass").status == 2);
    CHECK_FALSE(std::filesystem::exists(png(file)));
}

TEST_CASE("verify draws one problem, named, and says what it cannot draw") {
    const TemporaryFile file;
    for (const std::string words : {"", "detest_A3 detest_A4", "origin5_step_doubling"}) {
        const Outcome outcome = substep_program("verify " + words + " --plot " + png(file));
        CAPTURE(words);
        CHECK(outcome.status == 2);
        CHECK(outcome.error.starts_with("substep: --plot draws "));
        CHECK_FALSE(std::filesystem::exists(png(file)));
    }
}
