// `auto` over the whole list of scenes: what it costs beside the best fixed choice, and that it never blows up.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "substep/engine/automatic.h"
#include "substep/scenes/truth_check.h"

using namespace substep;

namespace {

constexpr double kSeconds = 1.5; // of each run: the loop's cost
constexpr double kFps = 60.0;

// Below this nobody looks: at 1e-10 m or rad the best choice is a matter of rounding.
constexpr double kRounding = 1e-10;

// Evaluations a frame that are lost among all else that a frame costs: 1 to 2 us without any, of 0.1 us each. It is
// parabolas, which every method makes exactly, that are compared by so few.
constexpr double kFree = 2.0;

struct Choice {
    std::string name;
    double error = INFINITY;
    double cost = 0.0; // evaluations a frame
};

Choice run(const SceneInfo& info, const IntegratorSettings& settings, const std::string& name) {
    const TruthRun run = run_scene(info, settings, kFps, kSeconds);
    return {name, run.error, static_cast<double>(run.evaluations) / (kFps * kSeconds)};
}

// What one could have chosen instead. Splittings are left out, since with joints each of their evaluations comes with
// an iteration that counting does not see; so are methods that are never the best (tests/bench/automatic_bench.cpp
// tries all).
std::vector<Choice> fixed_choices(const SceneInfo& info) {
    std::vector<Choice> choices;
    IntegratorSettings settings;
    for (const char* method : {"bogacki_shampine32", "dormand_prince54", "tsitouras54", "verner87"}) {
        settings.method = method;
        const int order = find_method(method)->order;
        for (const Boundary boundary : {Boundary::RunAhead, Boundary::Exact}) {
            if (boundary == Boundary::Exact && order != 5) {
                continue;
            }
            settings.boundary = boundary;
            for (int digits = 3; digits <= (order == 3 ? 6 : order == 5 ? 9 : 11); ++digits) {
                settings.atol = settings.rtol = std::pow(10.0, -digits);
                choices.push_back(run(info, settings, std::string(method) + " 1e-" + std::to_string(digits)));
            }
        }
    }
    for (const char* method : {"heun2", "rk4"}) {
        settings.method = method;
        for (const int substeps : {1, 2, 4}) {
            settings.substeps = substeps;
            choices.push_back(run(info, settings, std::string(method) + " x" + std::to_string(substeps)));
        }
    }
    return choices;
}

IntegratorSettings automatic(double tolerance, int budget = 0) {
    IntegratorSettings settings;
    settings.method = kAutoMethod;
    settings.atol = settings.rtol = tolerance;
    settings.budget = budget;
    return settings;
}

} // namespace

TEST_CASE("over all scenes auto costs at most 1.3 times the evaluations of the best Runge-Kutta method at equal error" *
          doctest::skip(kSanitized)) {
    for (const SceneInfo& info : scene_list()) {
        if (!info.has_truth) {
            continue;
        }
        CAPTURE(info.name);
        const std::vector<Choice> choices = fixed_choices(info);
        const double visible = make_scene(info).truth->visible_error();
        for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
            CAPTURE(tolerance);
            const Choice own = run(info, automatic(tolerance), "auto");
            CHECK(std::isfinite(own.error));
            if (own.error > visible) {
                continue; // whoever lost the motion has not been cheap but wrong
            }
            Choice best{"none", 0.0, INFINITY};
            for (const Choice& choice : choices) {
                if (choice.error <= std::max(own.error, kRounding) && choice.cost < best.cost) {
                    best = choice;
                }
            }
            CAPTURE(own.error);
            CAPTURE(own.cost);
            CAPTURE(best.name);
            CAPTURE(best.error);
            CAPTURE(best.cost);
            CHECK(own.cost <= 1.3 * best.cost + kFree);
        }
    }
}

TEST_CASE("over all scenes auto never blows up, whatever the tolerance and the budget, for as long as they run" *
          doctest::skip(kSanitized)) {
    for (const SceneInfo& info : scene_list()) {
        for (const double tolerance : {1e-2, 3e-3, 1e-3, 1e-5}) {
            for (const int budget : {0, 8, 13, 40}) {
                if (budget > 0 && (tolerance == 3e-3 || tolerance == 1e-3)) {
                    continue; // spares a third of the time
                }
                if (info.is_large && (tolerance == 3e-3 || tolerance == 1e-3 || budget == 8 || budget == 40)) {
                    continue; // and of these all but four runs
                }
                CAPTURE(info.name);
                CAPTURE(tolerance);
                CAPTURE(budget);
                Scene scene = make_scene(info);
                WorldSettings settings = scene.world.settings();
                settings.integrator = automatic(tolerance, budget);
                scene.world.set_settings(settings);
                const double start = scene.world.energy().total();
                int reached = 0;
                double highest = start;
                for (; reached < scene.frames; ++reached) {
                    if (scene.world.advance(1.0 / scene.fps).status != StepStatus::ReachedTarget) {
                        break;
                    }
                    const double now = scene.world.energy().total();
                    highest = now > highest || std::isnan(now) ? now : highest;
                }
                REQUIRE(reached == scene.frames);
                // Forced scenes and platforms give energy as well; none gives three times what it swings by.
                REQUIRE(highest < start + 3.0 * scene.energy_scale);
            }
        }
    }
}
