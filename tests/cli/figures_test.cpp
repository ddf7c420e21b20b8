// docs/figures.md: what stands beside a command is what the program prints.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <string>

#include "program.h"

using Json = nlohmann::json;

namespace {

// The value with as many significant digits as the figure has.
double as_precise_as(const std::string& figure, double value) {
    int digits = 0;
    for (const char c : figure.substr(0, figure.find('e'))) {
        digits += c >= '0' && c <= '9' && (digits > 0 || c != '0') ? 1 : 0;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return std::strtod(text, nullptr);
}

} // namespace

TEST_CASE("every error and cost in docs/figures.md is that of the command beside it, to the digits printed") {
    std::ifstream document(SUBSTEP_DOCUMENTS "/figures.md");
    const std::regex row(R"(\| `substep (run [^`]*)` \| ([0-9.e-]+)( at ([0-9.]+) evaluations a frame)? \|.*)");
    int rows = 0;
    for (std::string line; std::getline(document, line);) {
        CAPTURE(line);
        std::smatch words;
        if (!std::regex_match(line, words, row)) {
            CHECK_FALSE(line.starts_with("| `substep run"));
            continue;
        }
        ++rows;
        const Json run = Json::parse(substep_program(words[1].str() + " --json").output);
        const std::string error = words[2].str();
        const auto printed = run.at("truth").at("max_error").get<double>();
        CAPTURE(printed);
        CHECK(as_precise_as(error, printed) == std::strtod(error.c_str(), nullptr));
        if (words[4].matched) {
            const double evaluations = run.at("evaluations").get<double>() / run.at("frames").get<double>();
            CHECK(as_precise_as(words[4].str(), evaluations) == std::strtod(words[4].str().c_str(), nullptr));
        }
    }
    CHECK(rows >= 51);
}
