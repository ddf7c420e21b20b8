// Words to settings, and settings back to words.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "program.h"
#include "run_options.h"

using namespace substep;

namespace {

// The options of a command line as words.
RunWords words_of(const std::string& line) {
    std::istringstream stream(line);
    RunWords words;
    const std::map<std::string, std::string*> places{
        {"--method", &words.method},
        {"--substeps", &words.substeps},
        {"--tolerance", &words.tolerance},
        {"--boundary", &words.boundary},
        {"--budget", &words.budget},
        {"--bound", &words.bound},
        {"--joint-correction", &words.joint_correction},
        {"--controller", &words.controller},
        {"--safety", &words.safety},
        {"--growth-limit", &words.growth_limit},
        {"--shrink-limit", &words.shrink_limit},
        {"--frames", &words.frames},
        {"--fps", &words.fps},
    };
    for (std::string option, value; stream >> option >> value;) {
        if (option == "--set") {
            words.values.push_back(value);
        } else {
            *places.at(option) = value;
        }
    }
    return words;
}

} // namespace

TEST_CASE("a run written as a command line and read back is the same run, for every scene and method") {
    for (const SceneInfo& info : scene_list()) {
        for (const IntegrationMethod* method : method_catalogue()) {
            std::string chosen =
                "--method " + std::string(method->info().name) + " --budget 90 --bound 7000 --frames 12 --fps 62.5";
            chosen += method->info().adaptive ? " --tolerance 3e-7 --boundary exact --controller h211b --safety 0.8 "
                                                "--growth-limit 3 --shrink-limit 0.3"
                                              : " --substeps 7";
            if (method->info().needs == MethodNeeds::VelocityStep) {
                chosen += " --joint-correction baumgarte";
            }
            if (!info.parameters.empty()) {
                const SceneParameter& parameter = info.parameters.front();
                const double value = 0.7 * parameter.minimum + 0.3 * parameter.maximum;
                chosen += " --set " + parameter.name + "=" + shortest(parameter.integer ? std::round(value) : value);
            }
            const Run run = make_run(info.name, words_of(chosen));
            const WorldSettings& settings = run.scene.world.settings();
            const std::string line = to_command_line(info, run.values, settings, run.scene.fps, run.scene.frames);
            CAPTURE(line);
            const Run again = make_run(info.name, words_of(line.substr(line.find("--"))));
            const WorldSettings& back = again.scene.world.settings();
            CHECK(again.values == run.values);
            CHECK(back.integrator.method == settings.integrator.method);
            CHECK(back.integrator.substeps == settings.integrator.substeps);
            CHECK(back.integrator.atol == settings.integrator.atol);
            CHECK(back.integrator.rtol == settings.integrator.rtol);
            CHECK(back.integrator.budget == settings.integrator.budget);
            CHECK(back.bound == 7000);
            CHECK(back.integrator.boundary == settings.integrator.boundary);
            CHECK(back.integrator.controller.kind == settings.integrator.controller.kind);
            CHECK(back.integrator.controller.safety == settings.integrator.controller.safety);
            CHECK(back.integrator.controller.growth_limit == settings.integrator.controller.growth_limit);
            CHECK(back.integrator.controller.shrink_limit == settings.integrator.controller.shrink_limit);
            CHECK(back.impulse_euler.joint_correction == settings.impulse_euler.joint_correction);
            CHECK(again.scene.frames == 12);
            CHECK(again.scene.fps == 62.5);
        }
    }
}

TEST_CASE("a copied command line is one that the program takes") {
    const Run run =
        make_run("pendulum", words_of("--method impulse_euler --substeps 2 --frames 3 --set start_rate=-1.5"));
    const std::string line =
        to_command_line(*run.info, run.values, run.scene.world.settings(), run.scene.fps, run.scene.frames);
    REQUIRE(line.starts_with("substep "));
    const Outcome outcome = substep_program(line.substr(8));
    CAPTURE(line);
    CHECK(outcome.status == 0);
    CHECK(outcome.output.find("impulse_euler (2 substeps a frame), 3 frames") != std::string::npos);
}

TEST_CASE("words that are left out keep the scene's recommendation") {
    const Run run = make_run("pendulum", {});
    const Scene scene = make_scene(*find_scene("pendulum"));
    CHECK(run.scene.world.settings().integrator.method == scene.world.settings().integrator.method);
    CHECK(run.scene.world.settings().integrator.atol == scene.world.settings().integrator.atol);
    CHECK(run.scene.frames == scene.frames);
}

TEST_CASE("options that a method does not look at are named, and those that it does are not") {
    const MethodInfo& fixed = method_named("rk4");
    const MethodInfo& adaptive = method_named("cash_karp54");
    CHECK(idle_options(words_of("--tolerance 1e-6 --safety 0.8"), fixed) ==
          "rk4 does not look at --tolerance, --safety: its substeps are fixed.");
    CHECK(idle_options(words_of("--substeps 4"), adaptive) ==
          "cash_karp54 does not look at --substeps: a tolerance decides its substeps.");
    CHECK(idle_options(words_of("--substeps 4 --budget 9"), fixed).empty());
    CHECK(idle_options(words_of("--tolerance 1e-6 --boundary exact --budget 9"), adaptive).empty());
    CHECK(idle_options({}, fixed).empty());
    CHECK(idle_options(words_of("--joint-correction baumgarte"), adaptive).find("--joint-correction") !=
          std::string::npos);
    CHECK(idle_options(words_of("--joint-correction baumgarte"), method_named("impulse_euler")).empty());
}

TEST_CASE("T sets atol = T and rtol = T") {
    const Run run = make_run("pendulum", words_of("--tolerance 2.5e-9"));
    CHECK(run.scene.world.settings().integrator.atol == 2.5e-9);
    CHECK(run.scene.world.settings().integrator.rtol == 2.5e-9);
}

TEST_CASE("the C++ of settings names what applies to the method, and nothing else") {
    WorldSettings settings;
    settings.integrator.method = "rk4";
    settings.integrator.substeps = 20;
    CHECK(to_cpp(settings) == "substep::WorldSettings settings;\n"
                              "settings.integrator.method = \"rk4\";\n"
                              "settings.integrator.substeps = 20;\n");
    settings.gravity = {0.0, -1.6, 0.0};
    settings.integrator.method = "cash_karp54";
    settings.integrator.atol = settings.integrator.rtol = 1e-7;
    settings.integrator.boundary = Boundary::RunAhead;
    settings.integrator.budget = 60;
    CHECK(to_cpp(settings) == "substep::WorldSettings settings;\n"
                              "settings.gravity = {0, -1.6, 0};\n"
                              "settings.integrator.method = \"cash_karp54\";\n"
                              "settings.integrator.atol = 1e-07;\n"
                              "settings.integrator.rtol = 1e-07;\n"
                              "settings.integrator.boundary = substep::Boundary::RunAhead;\n"
                              "settings.integrator.budget = 60;\n");
    settings.integrator.controller.kind = ControllerKind::PI;
    settings.integrator.controller.safety = 0.8;
    const std::string with_controller = to_cpp(settings);
    CHECK(with_controller.find("settings.integrator.controller.kind = substep::ControllerKind::PI;\n") !=
          std::string::npos);
    CHECK(with_controller.find("settings.integrator.controller.safety = 0.8;\n") != std::string::npos);
    CHECK(with_controller.find("growth_limit") == std::string::npos);
}
