// `auto` beside every fixed choice, over all scenes with a truth: evaluations and time at equal error.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <time.h>

#include "bench.h"
#include "substep/engine/automatic.h"
#include "substep/scenes/truth_check.h"

namespace substep_bench {
namespace {

using namespace substep;

constexpr double kFps = 60.0;
constexpr double kLongest = 4.0;    // s of a scene
constexpr int kRepetitions = 3;     // the fastest counts
constexpr double kRounding = 1e-10; // errors below are equal
constexpr double kGoal = 1.3;       // of the best fixed choice
constexpr double kLost = 1.0;       // m or rad: an error after which repetitions are a waste
constexpr double kTooSlow = 3000.0; // us a frame

double microseconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

struct Choice {
    std::string name;
    double error = HUGE_VAL;
    double evaluations = 0.0; // a frame
    double us = HUGE_VAL;     // a frame, of the step alone
    bool counts = true;       // its evaluations are all that it costs
};

Choice run(const SceneInfo& info, const IntegratorSettings& settings, double seconds, std::string name) {
    Choice choice{.name = std::move(name)};
    const auto frames = static_cast<int>(std::lround(kFps * seconds));
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
        Scene scene = make_scene(info);
        WorldSettings chosen = scene.world.settings();
        chosen.integrator = settings;
        scene.world.set_settings(chosen);
        Meter meter(scene.world, scene.truth.get(), scene.energy_scale);
        double us = 0.0;
        std::int64_t evaluations = 0;
        for (int frame = 0; frame < frames; ++frame) {
            const double start = microseconds();
            const StepReport report = scene.world.advance(1.0 / kFps);
            us += microseconds() - start;
            evaluations += report.evaluations;
            meter.measure(scene.world);
            if (report.status != StepStatus::ReachedTarget || us > kTooSlow * frames) {
                return choice;
            }
        }
        choice.error = std::isnan(meter.max_error()) ? HUGE_VAL : meter.max_error();
        choice.evaluations = static_cast<double>(evaluations) / frames;
        choice.us = std::min(choice.us, us / frames);
        if (choice.error > kLost) {
            break;
        }
    }
    return choice;
}

std::vector<Choice> fixed_choices(const SceneInfo& info, double seconds) {
    std::vector<Choice> choices;
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& row = method->info();
        const bool is_smooth = row.needs == MethodNeeds::Derivative || row.needs == MethodNeeds::KickDriftSplit;
        if (!is_smooth || !is_suitable(row, info)) {
            continue;
        }
        IntegratorSettings settings;
        settings.method = row.name;
        const auto add = [&](const std::string& what) {
            choices.push_back(run(info, settings, seconds, std::string(row.name) + what));
            choices.back().counts = row.needs == MethodNeeds::Derivative;
        };
        if (!row.adaptive) {
            for (const int substeps : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
                settings.substeps = substeps;
                add(" x" + std::to_string(substeps));
            }
            continue;
        }
        for (const Boundary boundary : {Boundary::RunAhead, Boundary::Exact}) {
            settings.boundary = boundary;
            for (int digits = 2; digits <= (row.order >= 5 ? 12 : row.order >= 3 ? 8 : 4); ++digits) {
                settings.atol = settings.rtol = std::pow(10.0, -digits);
                add((boundary == Boundary::Exact ? " exact 1e-" : " 1e-") + std::to_string(digits));
            }
        }
    }
    return choices;
}

} // namespace

void run_automatic() {
    std::printf("auto beside the best fixed choice at equal error, a frame of 1/60 s\n%-22s %-6s %-8s %8s %8s  %s\n",
                "scene", "tol", "error", "evals", "us", "best by evaluations; by time");
    int rows = 0;
    int over_by_evaluations = 0;
    int over_by_time = 0;
    for (const SceneInfo& info : scene_list()) {
        if (!info.has_truth) {
            continue;
        }
        const Scene scene = make_scene(info);
        const double seconds = std::min(kLongest, scene.truth->until());
        const std::vector<Choice> choices = fixed_choices(info, seconds);
        for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10}) {
            IntegratorSettings settings;
            settings.method = kAutoMethod;
            settings.atol = settings.rtol = tolerance;
            const Choice own = run(info, settings, seconds, "auto");
            if (!(own.error <= scene.truth->visible_error())) {
                std::printf("%-22s %-6.0e %-8.1e  lost\n", std::string(info.name).c_str(), tolerance, own.error);
                continue;
            }
            const Choice* fewest = nullptr;
            const Choice* fastest = nullptr;
            for (const Choice& choice : choices) {
                if (choice.error > std::max(own.error, kRounding)) {
                    continue;
                }
                fastest = fastest == nullptr || choice.us < fastest->us ? &choice : fastest;
                if (choice.counts) {
                    fewest = fewest == nullptr || choice.evaluations < fewest->evaluations ? &choice : fewest;
                }
            }
            if (fewest == nullptr || fastest == nullptr) {
                continue;
            }
            const double by_evaluations = own.evaluations / fewest->evaluations;
            const double by_time = own.us / fastest->us;
            ++rows;
            over_by_evaluations += by_evaluations > kGoal ? 1 : 0;
            over_by_time += by_time > kGoal ? 1 : 0;
            std::printf("%-22s %-6.0e %-8.1e %8.2f %8.2f  x%.2f (%s, %.2f); x%.2f (%s, %.2f us)%s\n",
                        std::string(info.name).c_str(), tolerance, own.error, own.evaluations, own.us, by_evaluations,
                        fewest->name.c_str(), fewest->evaluations, by_time, fastest->name.c_str(), fastest->us,
                        by_evaluations > kGoal && by_time > kGoal ? " <-" : "");
            std::fflush(stdout);
        }
    }
    std::printf("of %d rows above %.1f: %d by evaluations, %d by time\n", rows, kGoal, over_by_evaluations,
                over_by_time);
}

} // namespace substep_bench
