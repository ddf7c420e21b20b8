// What a frame of scene `pendulum` (S1: one body, one hinge) costs at an error of 1e-6 rad: for each method the
// cheapest setting that stays within it over 10 000 frames, as the shared meter measures it, then the time of
// World::advance alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <time.h>

#include "bench.h"
#include "substep/scenes/scene.h"

namespace {

constexpr double kAllowedError = 1e-6; // rad
constexpr int kFrames = 10000;
constexpr int kMostSubsteps = 256;
constexpr int kTimedFrames = 2000;
constexpr double kGoal = 1.2; // microseconds per frame

// A setting with what it achieves.
struct Trial {
    substep::IntegratorSettings settings;
    double max_error = 0.0;
    double evaluations_per_frame = 0.0;
    double us_per_frame = 0.0;
};

substep::Scene make_pendulum(const substep::IntegratorSettings& settings) {
    substep::Scene scene = substep::make_scene(*substep::find_scene("pendulum"));
    substep::WorldSettings world_settings = scene.world.settings();
    world_settings.integrator = settings;
    scene.world.set_settings(world_settings);
    return scene;
}

// Runs all frames under the meter; gives up as soon as the error is too large.
std::optional<Trial> measure(const substep::IntegratorSettings& settings) {
    substep::Scene scene = make_pendulum(settings);
    substep::Meter meter(scene.world, scene.truth.get(), scene.energy_scale);
    Trial trial{.settings = settings};
    double evaluations = 0.0;
    for (int frame = 0; frame < kFrames; ++frame) {
        const substep::StepReport report = scene.world.advance(1.0 / 60.0);
        evaluations += static_cast<double>(report.evaluations);
        meter.measure(scene.world);
        if (report.status != substep::StepStatus::ReachedTarget || !(meter.max_error() <= kAllowedError)) {
            return std::nullopt;
        }
    }
    trial.max_error = meter.max_error();
    trial.evaluations_per_frame = evaluations / kFrames;
    return trial;
}

// CPU time of this thread, in microseconds: what other programs take of the core does not count.
double cpu_time_us() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

// Median over nine runs.
double time_per_frame(const substep::IntegratorSettings& settings) {
    std::vector<double> times;
    for (int run = 0; run < 9; ++run) {
        substep::Scene scene = make_pendulum(settings);
        const double start = cpu_time_us();
        for (int frame = 0; frame < kTimedFrames; ++frame) {
            scene.world.advance(1.0 / 60.0);
        }
        times.push_back((cpu_time_us() - start) / kTimedFrames);
    }
    std::ranges::nth_element(times, times.begin() + 4);
    return times[4];
}

// The fewest substeps that do: doubled until good, then halved between the last bad and the first good number.
std::optional<Trial> cheapest_fixed(substep::IntegratorSettings settings) {
    int bad = 0;
    std::optional<Trial> good;
    for (int n = 1; n <= kMostSubsteps && !good; n *= 2) {
        settings.substeps = n;
        good = measure(settings);
        if (!good) {
            bad = n;
        }
    }
    while (good && good->settings.substeps - bad > 1) {
        settings.substeps = (good->settings.substeps + bad) / 2;
        if (const std::optional<Trial> trial = measure(settings)) {
            good = trial;
        } else {
            bad = settings.substeps;
        }
    }
    return good;
}

// The fewest evaluations over eight tolerances per decade.
std::optional<Trial> cheapest_adaptive(substep::IntegratorSettings settings) {
    std::optional<Trial> best;
    for (int eighth = 8 * 4; eighth <= 8 * 12; ++eighth) {
        settings.atol = settings.rtol = std::pow(10.0, -eighth / 8.0);
        const std::optional<Trial> trial = measure(settings);
        if (trial && (!best || trial->evaluations_per_frame < best->evaluations_per_frame)) {
            best = trial;
        }
    }
    return best;
}

std::string describe(const substep::IntegratorSettings& settings, bool adaptive) {
    char text[64];
    if (adaptive) {
        std::snprintf(text, sizeof text, "tolerance %.1e, %s", settings.atol,
                      settings.boundary == substep::Boundary::Exact ? "exact" : "run-ahead");
    } else {
        std::snprintf(text, sizeof text, "%d substep%s", settings.substeps, settings.substeps == 1 ? "" : "s");
    }
    return text;
}

} // namespace

void substep_bench::run_pendulum() {
    std::printf("\npendulum: cheapest setting with an error <= %g rad over %d frames\n", kAllowedError, kFrames);
    std::printf("  %-17s %-30s %12s %12s %12s\n", "method", "setting", "error, rad", "evals/frame", "us/frame");
    std::optional<Trial> best;
    for (const substep::IntegrationMethod* method : substep::method_catalogue()) {
        const substep::MethodInfo& info = method->info();
        for (const substep::Boundary boundary : {substep::Boundary::Exact, substep::Boundary::RunAhead}) {
            if (!info.adaptive && boundary == substep::Boundary::RunAhead) {
                continue; // fixed substeps divide the frame: there is nothing to run ahead of
            }
            substep::IntegratorSettings settings;
            settings.method = std::string(info.name);
            settings.boundary = boundary;
            std::optional<Trial> trial = info.adaptive ? cheapest_adaptive(settings) : cheapest_fixed(settings);
            const std::string name(info.name);
            if (!trial) {
                std::printf("  %-17s not reached%s\n", name.c_str(),
                            info.adaptive ? ""
                                          : (" with up to " + std::to_string(kMostSubsteps) + " substeps").c_str());
                continue;
            }
            trial->us_per_frame = time_per_frame(trial->settings);
            std::printf("  %-17s %-30s %12.2e %12.2f %12.3f\n", name.c_str(),
                        describe(trial->settings, info.adaptive).c_str(), trial->max_error,
                        trial->evaluations_per_frame, trial->us_per_frame);
            if (!best || trial->us_per_frame < best->us_per_frame) {
                best = trial;
            }
        }
    }
    if (best) {
        std::printf("  cheapest: %s, %.3f us per frame (goal <= %.1f)\n", best->settings.method.c_str(),
                    best->us_per_frame, kGoal);
    }
}
