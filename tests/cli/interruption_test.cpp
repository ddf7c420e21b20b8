// Commands that are interrupted: what they write is whole.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

#include "program.h"

using Json = nlohmann::json;

TEST_CASE("an interrupted command ends after what it is doing, and what it writes is whole") {
    const TemporaryFile csv;
    const Outcome run = interrupted_program("run slider_crank --frames 1000000 --json --csv " + csv.path().string());
    CHECK(run.status == 130);
    CHECK(run.error.find("interrupted after ") != std::string::npos);
    const Json result = Json::parse(run.output);
    CHECK(result.at("interrupted") == true);
    const std::string rows = csv.text();
    REQUIRE_FALSE(rows.empty());
    CHECK(rows.back() == '\n');
    CHECK(std::ranges::count(rows, '\n') == result.at("frames").get<int>() + 2); // the names, and the start
    const std::string last = rows.substr(rows.rfind('\n', rows.size() - 2) + 1);
    CHECK(std::ranges::count(last, ',') == 16);

    const Outcome verified = interrupted_program("verify --json --embedded");
    CHECK(verified.status == 130);
    const Json entries = Json::parse(verified.output);
    CHECK(entries.at("interrupted") == true);
    CHECK(entries.at("passed") == false);
    CHECK_FALSE(entries.at("entries").empty());

    const Outcome compared = interrupted_program("compare slider_crank --methods rk4,verner87 --frames 1000000 --json");
    CHECK(compared.status == 130);
    CHECK(Json::parse(compared.output).at("rows").empty());
}
