// `substep run` and `substep compare`: what they print, and when they fail.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "program.h"

namespace {

nlohmann::json run_json(const std::string& arguments, int status = 0) {
    const Outcome outcome = substep_program("run " + arguments + " --json");
    CAPTURE(arguments);
    CAPTURE(outcome.error);
    REQUIRE(outcome.status == status);
    return nlohmann::json::parse(outcome.output);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

} // namespace

TEST_CASE("run --json prints one object with every key, and says what was asked for") {
    const nlohmann::json run =
        run_json("pendulum --method cash_karp54 --tolerance 1e-7 --boundary exact --budget 60 --frames 30 --fps 50");
    CHECK(run.at("scene") == "pendulum");
    CHECK(run.at("method") == "cash_karp54");
    CHECK(run.at("boundary") == "exact");
    CHECK(run.at("tolerance") == 1e-7);
    CHECK(run.at("budget") == 60);
    CHECK(run.at("fps") == 50.0);
    CHECK(run.at("frames") == 30);
    CHECK(run.at("t").get<double>() == doctest::Approx(0.6).epsilon(1e-15));
    for (const char* key : {"substeps", "evaluations", "accepted", "rejected", "degraded_frames"}) {
        CAPTURE(key);
        CHECK(run.at(key).is_number_integer());
    }
    CHECK(run.at("achieved_tolerance").get<double>() > 0.0);
    CHECK(run.at("achieved_tolerance").get<double>() <= 1e-7);
    CHECK(run.at("evaluations").get<int>() <= 30 * 60);
    CHECK(run.at("truth").at("quantity") == "angle");
    CHECK(run.at("truth").at("unit") == "rad");
    CHECK(run.at("truth").at("max_error").get<double>() >= run.at("truth").at("final_error").get<double>());
    CHECK(run.at("truth").at("max_error").get<double>() < 1e-5);
    CHECK(run.at("truth").at("threshold").get<double>() > 0.0);
    CHECK(run.at("truth").at("visible_error").get<double>() > run.at("truth").at("threshold").get<double>());
    CHECK(run.at("truth").at("until") == 10.0);
    CHECK(run.at("truth").at("known_until").is_null()); // for good
    CHECK(run.at("energy").at("scale") == 2.0);
    CHECK(run.at("energy").at("initial").is_number());
    CHECK(run.at("energy").at("final").is_number());
    CHECK(run.at("energy").at("max_relative_change").get<double>() < 1e-5);
    CHECK(run.at("hash").get<std::string>().size() == 16);
    CHECK(run.at("us_per_frame").at("mean").get<double>() > 0.0);
    CHECK(run.at("us_per_frame").at("p99").get<double>() <= run.at("us_per_frame").at("max").get<double>());
    double stages = 0.0;
    for (const auto& [stage, us] : run.at("us_by_stage").items()) {
        stages += us.get<double>();
    }
    CHECK(run.at("us_by_stage").size() == 6);
    CHECK(stages > 0.0);
    CHECK(stages <= run.at("us_per_frame").at("mean").get<double>() * (1.0 + 1e-9)); // parts of it, on one thread
    CHECK(run.at("status") == "reached_target");
}

TEST_CASE("the same run twice ends in the same bits, and another tolerance does not") {
    const std::string arguments = "pendulum --frames 60 --tolerance ";
    const nlohmann::json first = run_json(arguments + "1e-6");
    CHECK(first.at("hash") == run_json(arguments + "1e-6").at("hash"));
    CHECK(first.at("hash") != run_json(arguments + "1e-9").at("hash"));
}

TEST_CASE("--set changes the scene") {
    const nlohmann::json run = run_json("pendulum --frames 10 --set start_rate=0 --set start_angle=0.5");
    CHECK(run.at("parameters").at("start_angle") == 0.5);
    // At rest at 0.5 rad: all energy is potential, -m g d cos 0.5 with d = 0.999.
    CHECK(run.at("energy").at("initial").get<double>() == doctest::Approx(-9.8 * 0.999 * std::cos(0.5)).epsilon(1e-6));
}

TEST_CASE("a scene without truth has none in the JSON") {
    const nlohmann::json run = run_json("chain --frames 10 --set count=3");
    CHECK(run.at("truth").is_null());
    CHECK(run.at("energy").at("scale").get<double>() == doctest::Approx(3 * 9.8 * 3 * 0.25));
}

TEST_CASE("a truth that ends is known until there, and the error after it is unknown") {
    const nlohmann::json run = run_json("double_pendulum --frames 660 --tolerance 1e-6");
    CHECK(run.at("truth").at("until") == 10.0);
    CHECK(run.at("truth").at("final_error").is_null());
    CHECK(run.at("truth").at("max_error").is_number());
}

TEST_CASE("a budget bounds the evaluations, and degraded frames are counted") {
    const nlohmann::json run = run_json("pendulum --tolerance 1e-13 --budget 12 --frames 600");
    CHECK(run.at("evaluations").get<int>() <= 7200);
    CHECK(run.at("degraded_frames").get<int>() > 0);
    CHECK(run.at("achieved_tolerance").get<double>() > 1e-13);
}

TEST_CASE("a bound ends frames that cost more, is none at 0, and changes nothing where it is not met") {
    const nlohmann::json usual = run_json("pendulum --tolerance 1e-12 --frames 30");
    const nlohmann::json none = run_json("pendulum --tolerance 1e-12 --frames 30 --bound 0");
    const nlohmann::json met = run_json("pendulum --tolerance 1e-12 --frames 30 --bound 20");
    CHECK(usual.at("bound") == 100000);
    CHECK(none.at("bound") == 0);
    CHECK(usual.at("hash") == none.at("hash"));
    CHECK(usual.at("degraded_frames") == 0);
    CHECK(met.at("degraded_frames").get<int>() > 0);
    CHECK(met.at("evaluations").get<int>() < usual.at("evaluations").get<int>());
}

TEST_CASE("a run that does not reach its target exits with 1 and says why") {
    // Cash-Karp's substep takes six evaluations: a budget of three pays for none.
    const Outcome outcome = substep_program("run pendulum --method cash_karp54 --budget 3 --frames 10 --json");
    CHECK(outcome.status == 1);
    CHECK(outcome.error.find("budget_exhausted, the budget does not pay for a whole frame") != std::string::npos);
    const nlohmann::json run = nlohmann::json::parse(outcome.output);
    CHECK(run.at("status") == "budget_exhausted");
    CHECK(run.at("frames") == 0);
}

TEST_CASE("run for people names the scene, the error, the energy and the cost") {
    const Outcome outcome = substep_program("run pendulum --frames 10");
    CHECK(outcome.status == 0);
    CHECK(outcome.error.empty());
    for (const char* word :
         {"pendulum", "angle error", "energy change", "evaluations", "us per frame", "us by stage", "reached_target"}) {
        CAPTURE(word);
        CHECK(outcome.output.find(word) != std::string::npos);
    }
}

TEST_CASE("--csv writes the start and one row per frame, in agreement with the JSON") {
    const TemporaryFile file;
    const nlohmann::json run = run_json("pendulum --frames 25 --csv \"" + file.path().string() + '"');
    const std::vector<std::string> lines = split(file.text(), '\n');
    REQUIRE(lines.size() == 1 + 26);
    const std::vector<std::string> columns = split(lines.front(), ',');
    REQUIRE(columns.size() >= 8);
    CHECK(columns[0] == "frame");
    CHECK(columns[1] == "t");
    CHECK(columns[2] == "error");
    CHECK(columns[3] == "energy");
    CHECK(columns[7] == "evaluations");

    int evaluations = 0;
    double max_error = 0.0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::vector<std::string> fields = split(lines[i], ',');
        REQUIRE(fields.size() == columns.size());
        CHECK(fields[0] == std::to_string(i - 1));
        CHECK(std::stod(fields[1]) == doctest::Approx(static_cast<double>(i - 1) / 60.0));
        max_error = std::max(max_error, std::stod(fields[2]));
        evaluations += std::stoi(fields[7]);
    }
    CHECK(evaluations == run.at("evaluations"));
    CHECK(max_error == run.at("truth").at("max_error"));
}

TEST_CASE("--csv says what auto chose in each frame") {
    const TemporaryFile file;
    const nlohmann::json run =
        run_json("double_pendulum --method auto --frames 25 --csv \"" + file.path().string() + '"');
    const std::vector<std::string> lines = split(file.text(), '\n');
    REQUIRE(lines.size() == 1 + 26);
    const std::vector<std::string> columns = split(lines.front(), ',');
    const auto method = static_cast<std::size_t>(std::ranges::find(columns, "method") - columns.begin());
    REQUIRE(method < columns.size());
    CHECK(split(lines[1], ',')[method].empty()); // the start
    for (const nlohmann::json& use : run.at("chosen")) {
        const auto frames = std::count_if(lines.begin() + 2, lines.end(), [&](const std::string& line) {
            return split(line, ',')[method] == use.at("method");
        });
        CHECK(frames == use.at("frames"));
    }
    CHECK(run.at("chosen").size() == 1);
}

TEST_CASE("compare sorts by error: one row per fixed method, one per tolerance of an adaptive one") {
    const Outcome outcome = substep_program(
        "compare pendulum --methods impulse_euler,cash_karp54,rk4 --tolerances 1e-4,1e-10 --frames 120 --json");
    REQUIRE(outcome.status == 0);
    const nlohmann::json table = nlohmann::json::parse(outcome.output);
    CHECK(table.at("scene") == "pendulum");
    CHECK(table.at("unit") == "rad");
    const nlohmann::json& rows = table.at("rows");
    REQUIRE(rows.size() == 4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(rows[i].at("evaluations_per_frame").get<double>() > 0.0);
        CHECK(rows[i].at("us_per_frame").get<double>() > 0.0);
        CHECK(rows[i].at("max_energy_change").is_number());
        if (i > 0) {
            CHECK(rows[i].at("max_error").get<double>() >= rows[i - 1].at("max_error").get<double>());
        }
    }
    CHECK(rows.front().at("tolerance") == 1e-10);
    CHECK(rows.back().at("method") == "impulse_euler");
    CHECK(rows.back().at("tolerance").is_null());
    CHECK(rows.back().at("substeps") == 1);
}

TEST_CASE("a run past the end of the exact solution says up to when errors are known, and prints no nan") {
    // The double pendulum's is stored up to 10 s.
    const Outcome run = substep_program("run double_pendulum --frames 630");
    CHECK(run.status == 0);
    CHECK(run.output.find("nan") == std::string::npos);
    CHECK(run.output.find("up to 10 s, where the exact solution ends") != std::string::npos);
    CHECK(substep_program("run double_pendulum --frames 600").output.find("up to 10 s") == std::string::npos);
    const Outcome table = substep_program("compare double_pendulum --frames 630 --methods cash_karp54");
    CHECK(table.output.find("up to 10 s, where the exact solution ends") != std::string::npos);
}

TEST_CASE("run --method auto says what was chosen, why, and in how many frames") {
    const nlohmann::json run = run_json("pendulum --method auto --frames 60");
    REQUIRE(!run.at("chosen").empty());
    int frames = 0;
    std::string methods;
    for (const nlohmann::json& use : run.at("chosen")) {
        frames += use.at("frames").get<int>();
        methods = use.at("method");
        CHECK(!use.at("reason").get<std::string>().empty());
    }
    CHECK(frames == 60); // one island: one choice a frame
    const std::string text = substep_program("run pendulum --method auto --frames 60").output;
    CHECK(text.find("chosen") != std::string::npos);
    CHECK(text.find(methods) != std::string::npos);
    CHECK(run_json("pendulum --method rk4 --frames 5").at("chosen").empty());
}

TEST_CASE("compare without --methods takes them all, auto included, and prints a table for people") {
    const Outcome outcome = substep_program("compare projectile --frames 20");
    CHECK(outcome.status == 0);
    CHECK(split(outcome.output, '\n').size() ==
          3 + nlohmann::json::parse(substep_program("list --json").output).at("methods").size());
}

TEST_CASE("compare exits with 1 if a row did not reach its target, and puts it last") {
    const Outcome outcome = substep_program("compare pendulum --methods cash_karp54,rk4 --budget 5 --frames 10 --json");
    CHECK(outcome.status == 1);
    const nlohmann::json table = nlohmann::json::parse(outcome.output);
    CHECK(table.at("rows").back().at("method") == "cash_karp54"); // six evaluations a substep; rk4 needs four
    CHECK(table.at("rows").back().at("status") == "budget_exhausted");
}
