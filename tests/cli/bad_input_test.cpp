// Every bad input gets one clear sentence, exit status 2 and no output; output that cannot be written, 1.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "program.h"

namespace {

void check_refused(const std::string& arguments, const std::string& expected) {
    CAPTURE(arguments);
    const Outcome outcome = substep_program(arguments);
    CAPTURE(outcome.error);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK(outcome.error.starts_with("substep: "));
    CHECK(outcome.error.find(expected) != std::string::npos);
    CHECK(std::count(outcome.error.begin(), outcome.error.end(), '\n') == 1);
}

} // namespace

TEST_CASE("unknown names are answered with the nearest and the valid ones") {
    check_refused("run pendulm", "\"pendulum\"");
    check_refused("run pendulm", "tumbling_body");
    check_refused("run pendulum --method rk5", "\"rk4\"");
    check_refused("run pendulum --method rk5", "cash_karp54");
    check_refused("run pendulum --boundary exat", "\"exact\"");
    check_refused("run pendulum --joint-correction baumgart", "\"baumgarte\"");
    check_refused("run pendulum --set start_angel=1", "\"start_angle\"");
    check_refused("compare pendulum --methods rk4,hen2", "\"heun2\"");
    check_refused("compare pendlum", "\"pendulum\"");
    check_refused("verify pleides", "\"pleiades\"");
    check_refused("verify pleides", "origin1_pendulum");
    check_refused("rnu pendulum", "\"run\"");
    check_refused("run pendulum --metod rk4", "\"--method\"");
}

TEST_CASE("a word that is near nothing is answered with the valid ones alone") {
    check_refused("run nosuchscene", "unknown scene \"nosuchscene\": valid are pendulum, ");
    CHECK(substep_program("run nosuchscene").error.find("did you mean") == std::string::npos);
}

TEST_CASE("numbers that cannot be used are answered with the allowed range") {
    for (const char* word : {"0", "-1", "nan", "inf", "1.5x", "1e400"}) {
        check_refused(std::string("run pendulum --tolerance=") + word, "from 1e-16 to 1");
        check_refused(std::string("run pendulum --fps=") + word, "from 1 to 1e+06");
    }
    for (const char* word : {"0", "-5", "2.5", "nan", "99999999999", "ten"}) {
        check_refused(std::string("run pendulum --substeps=") + word, "an integer from 1 to 1000000");
        check_refused(std::string("run pendulum --frames=") + word, "an integer from 1 to");
    }
    for (const char* word : {"-1", "1.5", "many"}) {
        check_refused(std::string("run pendulum --budget=") + word, "an integer from 0 to");
        check_refused(std::string("run pendulum --bound=") + word, "an integer from 0 to");
    }
    check_refused("compare pendulum --methods cash_karp54 --tolerances 1e-6,-1", "from 1e-16 to 1");
    check_refused("compare pendulum --methods rk4 --tolerances 1e-6,zero", "from 1e-16 to 1");
}

TEST_CASE("a negative number after a space is refused as a number, not taken for an option") {
    check_refused("run pendulum --fps -60", "--fps \"-60\"");
    check_refused("run pendulum --tolerance -1e-6", "--tolerance \"-1e-6\"");
}

TEST_CASE("scene parameters are refused by name, range and form") {
    check_refused("run pendulum --set start_angle=99", "start_angle");
    check_refused("run pendulum --set start_angle=nan", "from -3.2 to 3.2");
    check_refused("run pendulum --set start_angle", "name=value");
    check_refused("run chain --set count=2.5", "an integer");
    check_refused("run double_pendulum --set angle=1", "no parameters");
    check_refused("run tumbling_body --set rate_1=0 --set rate_3=0", "rate");
}

TEST_CASE("what is missing or left over is said") {
    check_refused("", "list, run, compare or verify");
    check_refused("--jsn", "--help");
    check_refused("run", "scene");
    check_refused("run pendulum extra", "extra");
    check_refused("run pendulum --frames", "--frames");
    check_refused("run pendulum --fps ''", "--fps: must not be empty");
    check_refused("run pendulum --csv ''", "--csv: must not be empty");
    check_refused("compare pendulum --methods rk4,,heun2", "single commas");
    check_refused("compare pendulum --methods rk4,", "single commas");
    check_refused("run pendulum --set start_angle=1 --set start_angle=2", "--set start_angle is given twice");
}

TEST_CASE("an option without its value, or given twice, is named") {
    check_refused("run pendulum --fps", "--fps needs a value");
    check_refused("compare pendulum --methods", "--methods needs a value");
    check_refused("run pendulum --fps 50 --fps 60", "--fps is given more than once");
}

TEST_CASE("what says how a picture looks is refused without a picture") {
    check_refused("run pendulum --plot-theme dark", "--plot-theme needs a picture");
    check_refused("run pendulum --plot-size 640x480", "--plot-size needs a picture");
    check_refused("compare pendulum --plot-over time", "--plot-over needs a picture");
    check_refused("run pendulum --csv same.png --plot same.png", "the same file");
}

TEST_CASE("a file that is full takes nothing of what was measured with it") {
    const Outcome outcome = substep_program("run pendulum --frames 2 --csv /dev/full");
    CHECK(outcome.status == 1);
    CHECK(outcome.output.find("hash ") != std::string::npos);
    CHECK(outcome.error.find("/dev/full") != std::string::npos);
}

TEST_CASE("compare says which of its lists no method looks at") {
    CHECK(substep_program("compare pendulum --frames 2 --methods rk4 --tolerances 1e-6").error.find("--tolerances") !=
          std::string::npos);
    CHECK(substep_program("compare pendulum --frames 2 --methods cash_karp54 --substeps 2").error.find("--substeps") !=
          std::string::npos);
    CHECK(substep_program("compare pendulum --frames 2 --methods cash_karp54,rk4 --substeps 2 --tolerances 1e-6")
              .error.empty());
}

TEST_CASE("a file that cannot be written is refused before the run") {
    check_refused("run pendulum --csv /no/such/folder/frames.csv", "/no/such/folder/frames.csv");
}

TEST_CASE("output that does not reach its end is said, and the exit status with it") {
    // The device is full, always.
    for (const char* command : {"list", "list --json", "run pendulum --frames 2", "run pendulum --frames 2 --json",
                                "--help", "run --help", "--version"}) {
        CAPTURE(command);
        const Outcome outcome = substep_program(std::string(command) + " 2>/dev/null >/dev/full; echo $?");
        CHECK(outcome.output == "1\n");
    }
}

TEST_CASE("--version names the program and three numbers") {
    const Outcome outcome = substep_program("--version");
    CHECK(outcome.status == 0);
    CHECK(outcome.output.starts_with("substep "));
    CHECK(std::count(outcome.output.begin(), outcome.output.end(), '.') == 2);
}
