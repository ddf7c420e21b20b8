// `substep list`.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "program.h"
#include "substep/integrators/pile_methods.h"
#include "substep/scenes/scene.h"

TEST_CASE("list --json names every method and every scene, with truths and parameters") {
    const Outcome outcome = substep_program("list --json");
    REQUIRE(outcome.status == 0);
    CHECK(outcome.error.empty());
    const nlohmann::json list = nlohmann::json::parse(outcome.output);

    const auto methods = substep::method_catalogue();
    REQUIRE(list.at("methods").size() == methods.size());
    for (std::size_t i = 0; i < methods.size(); ++i) {
        const nlohmann::json& row = list.at("methods").at(i);
        CHECK(row.at("name") == methods[i]->info().name);
        CHECK(row.at("order") == methods[i]->info().order);
        CHECK(row.at("adaptive") == methods[i]->info().adaptive);
        CHECK_FALSE(row.at("promise").get<std::string>().empty());
    }
    const auto of_piles = substep::pile_method_catalogue();
    REQUIRE(list.at("pile_methods").size() == of_piles.size());
    for (std::size_t i = 0; i < of_piles.size(); ++i) {
        CHECK(list.at("pile_methods").at(i).at("name") == of_piles[i]->info().name);
    }

    const auto scenes = substep::scene_list();
    REQUIRE(list.at("scenes").size() == scenes.size());
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        const nlohmann::json& row = list.at("scenes").at(i);
        CHECK(row.at("name") == scenes[i].name);
        CHECK(row.at("group") == scenes[i].group);
        REQUIRE(row.at("truth").is_object() == scenes[i].has_truth);
        if (scenes[i].has_truth) {
            CHECK(row.at("truth").at("threshold").get<double>() > 0.0);
            CHECK(row.at("truth").at("until").get<double>() > 0.0);
        }
        REQUIRE(row.at("parameters").size() == scenes[i].parameters.size());
        for (std::size_t j = 0; j < scenes[i].parameters.size(); ++j) {
            CHECK(row.at("parameters").at(j).at("name") == scenes[i].parameters[j].name);
            CHECK(row.at("parameters").at(j).at("default") == scenes[i].parameters[j].value);
        }
    }
}

TEST_CASE("list names every method and every scene for people") {
    const Outcome outcome = substep_program("list");
    CHECK(outcome.status == 0);
    for (const auto rows : {substep::method_catalogue(), substep::pile_method_catalogue()}) {
        for (const auto* method : rows) {
            CHECK(outcome.output.find(method->info().name) != std::string::npos);
        }
    }
    CHECK(outcome.output.find("\n  auto ") != std::string::npos);
    for (const auto& scene : substep::scene_list()) {
        CHECK(outcome.output.find(scene.name) != std::string::npos);
        CHECK(outcome.output.find("scenes: " + std::string(scene.group)) != std::string::npos);
    }
}

TEST_CASE("--help explains every command and succeeds") {
    for (const char* arguments : {"--help", "run --help", "compare --help", "list --help"}) {
        const Outcome outcome = substep_program(arguments);
        CHECK(outcome.status == 0);
        CHECK(outcome.output.find("Usage") != std::string::npos);
    }
}
