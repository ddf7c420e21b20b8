// `substep verify`: that it passes what is right, fails what is wrong, and says which.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "program.h"
#include "substep/integrators/integration_method.h"

namespace {

// A reference file with one problem, whose end state is given.
void write_reference(const TemporaryFile& file, const std::string& x, const std::string& v) {
    std::ofstream(file.path()) << R"({"format": "substep-ivp-reference/1", "problems": [{"id": "harmonic", "t0": "0",
        "t1": "100", "y0": ["1", "0"], "y1": [")"
                               << x << "\", \"" << v << R"("]}], "events": []})";
}

void check_refused(const TemporaryFile& file, const std::string& expected) {
    const Outcome outcome = substep_program("verify harmonic --reference " + file.path().string());
    CAPTURE(outcome.error);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK(outcome.error.starts_with("substep: reference file " + file.path().string()));
    CHECK(outcome.error.find(expected) != std::string::npos);
    CHECK(std::count(outcome.error.begin(), outcome.error.end(), '\n') == 1);
}

} // namespace

TEST_CASE("verify prints published, recomputed and measured figures side by side") {
    const Outcome outcome = substep_program("verify --embedded origin5_step_doubling");
    CHECK(outcome.status == 0);
    CHECK(outcome.error.empty()); // no progress without a terminal
    for (const char* word : {"embedded values", "published", "recomputed", "ours", "312", "286", "2.14849853136",
                             "pass", "1 entries", "all passed"}) {
        CAPTURE(word);
        CHECK(outcome.output.find(word) != std::string::npos);
    }
    CHECK(outcome.output.find("FAIL") == std::string::npos);
}

TEST_CASE("verify --json has a row for every method that suits a problem, in the order of the table") {
    const Outcome outcome = substep_program("verify --embedded --json harmonic lorenz_t10");
    REQUIRE(outcome.status == 0);
    const nlohmann::json result = nlohmann::json::parse(outcome.output);
    CHECK(result.at("reference").is_null());
    CHECK(result.at("passed") == true);
    REQUIRE(result.at("entries").size() == 2);
    for (const nlohmann::json& entry : result.at("entries")) {
        const bool separable = entry.at("name") == "harmonic";
        std::size_t row = 0;
        for (const auto* method : substep::method_catalogue()) {
            const substep::MethodInfo& info = method->info();
            const bool suits = info.needs == substep::MethodNeeds::Derivative ||
                               (separable && info.needs == substep::MethodNeeds::KickDriftSplit);
            if (!suits) {
                continue;
            }
            REQUIRE(row < entry.at("rows").size());
            CHECK(entry.at("rows")[row].at("method") == info.name);
            CHECK(entry.at("rows")[row].at("passed") == true);
            CHECK(entry.at("rows")[row].at("error").size() >= 3); // several tolerances or counts of substeps
            ++row;
        }
        CHECK(entry.at("rows").size() == row);
    }
}

TEST_CASE("a reference value that is wrong in the sixth digit makes verify fail, and say where") {
    const TemporaryFile file;
    write_reference(file, "0.8623188722876839341019", "0.5063656411097587936566");
    CHECK(substep_program("verify harmonic --reference " + file.path().string()).status == 0);
    write_reference(file, "0.8623198722876839341019", "0.5063656411097587936566");
    const Outcome outcome = substep_program("verify harmonic --reference " + file.path().string());
    CHECK(outcome.status == 1);
    CHECK(outcome.output.find("FAIL") != std::string::npos);
    CHECK(outcome.output.find("1 entries failed: harmonic") != std::string::npos);
}

TEST_CASE("a problem of the reference file that is not known fails instead of being left out") {
    const TemporaryFile file;
    std::ofstream(file.path()) << R"({"format": "substep-ivp-reference/1", "problems": [{"id": "new_problem",
        "t0": "0", "t1": "1", "y0": ["1"], "y1": ["1"]}], "events": []})";
    const Outcome outcome = substep_program("verify new_problem --reference " + file.path().string());
    CHECK(outcome.status == 1);
    CHECK(outcome.output.find("FAIL") != std::string::npos);
}

TEST_CASE("a reference file that cannot be used is refused with file, place and reason") {
    const TemporaryFile file;
    check_refused(file, "cannot be read");
    std::ofstream(file.path()) << "{\"format\": ";
    check_refused(file, "is not JSON");
    std::ofstream(file.path()) << R"({"problems": []})";
    check_refused(file, "\"format\" is missing");
    std::ofstream(file.path()) << R"({"format": "other", "problems": []})";
    check_refused(file, "/format: must be \"substep-ivp-reference/1\"");
    std::ofstream(file.path()) << R"({"format": "substep-ivp-reference/1", "problems": {}})";
    check_refused(file, "/problems: must be a list");
    write_reference(file, "0.86x", "0.5");
    check_refused(file, "/problems/0/y1/0: \"0.86x\" must be a decimal number");
    write_reference(file, "nan", "0.5");
    check_refused(file, "must be a decimal number");
    std::ofstream(file.path()) << R"({"format": "substep-ivp-reference/1", "problems": [{"id": "harmonic", "t0": "0",
        "t1": "1", "y0": ["1"], "y1": ["1"]}], "events": []})";
    check_refused(file, "must have 2 components");
}
