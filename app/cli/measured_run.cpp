// The frame loop of the command line.
#include "measured_run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "interruption.h"

namespace substep {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Says how far a run is: once a second, on one line, and only to a person.
class Progress {
public:
    explicit Progress(int frames) : frames_(frames) {}
    ~Progress() {
        if (shown_ > 0) {
            std::fputs("\r\033[K", stderr);
        }
    }

    void at(int frame) {
        const double elapsed = seconds_since(start_);
        if (is_terminal_ && elapsed > shown_ + 1) {
            shown_ = static_cast<int>(elapsed);
            std::fprintf(stderr, "\rframe %d of %d, %d s", frame, frames_, shown_);
            std::fflush(stderr);
        }
    }

private:
    int frames_;
    int shown_ = 0; // s, when the line was last written
    bool is_terminal_ = isatty(STDERR_FILENO) != 0;
    Clock::time_point start_ = Clock::now();
};

void summarise_times(std::vector<double>& us, RunResult& result) {
    if (us.empty()) {
        return;
    }
    std::sort(us.begin(), us.end());
    result.mean_us = std::accumulate(us.begin(), us.end(), 0.0) / static_cast<double>(us.size());
    // Nearest rank: the smallest time that 99 of 100 frames do not exceed.
    const auto rank = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(us.size())));
    result.p99_us = us[rank - 1];
    result.max_us = us.back();
}

// Counts a frame for each of the choices that were in force in it, once.
void add_chosen(const World& world, std::vector<MethodUse>& chosen) {
    std::vector<std::size_t> counted;
    for (const IslandView& island : world.islands()) {
        if (island.report.reason.empty() || island.report.method.empty()) {
            continue;
        }
        const auto same = [&](const MethodUse& use) {
            return use.method == island.report.method && use.reason == island.report.reason;
        };
        const auto found = std::ranges::find_if(chosen, same);
        const auto row = static_cast<std::size_t>(found - chosen.begin());
        if (found == chosen.end()) {
            chosen.push_back({island.report.method, island.report.reason, 0});
        }
        if (std::ranges::find(counted, row) == counted.end()) {
            counted.push_back(row);
            ++chosen[row].frames;
        }
    }
}

} // namespace

RunResult measure_run(Run& run, Meter& meter, const std::function<void(const FrameRecord&)>& observe) {
    World& world = run.scene.world;
    const double dt = 1.0 / run.scene.fps;
    RunResult result;
    std::vector<double> us;
    Progress progress(run.scene.frames);
    if (observe) {
        observe({0, world, meter, StepReport{}, 0.0});
    }

    while (result.frames < run.scene.frames && result.status == StepStatus::ReachedTarget && !is_interrupted()) {
        // The frame, and nothing else, on the clock.
        const Clock::time_point start = Clock::now();
        const StepReport report = world.advance(dt);
        us.push_back(1e6 * seconds_since(start));
        result.stages += world.stage_times();

        // What it did, even where it did not reach its end.
        result.status = report.status;
        result.frames += report.status == StepStatus::ReachedTarget ? 1 : 0;
        result.evaluations += report.evaluations;
        result.accepted += report.accepted;
        result.rejected += report.rejected;
        result.degraded_frames += report.degraded ? 1 : 0;
        result.unstable_frames += report.unstable ? 1 : 0;
        result.achieved_tolerance = std::max(result.achieved_tolerance, report.achieved_tolerance);
        if (!report.reason.empty()) {
            add_chosen(world, result.chosen);
        }
        meter.measure(world);
        if (observe) {
            observe({static_cast<int>(us.size()), world, meter, report, us.back()});
        }
        progress.at(static_cast<int>(us.size()));
    }
    result.interrupted = result.status == StepStatus::ReachedTarget && result.frames < run.scene.frames;
    summarise_times(us, result);
    result.stages *= 1.0 / std::max(static_cast<double>(us.size()), 1.0);
    return result;
}

std::string_view explain(StepStatus status) noexcept {
    switch (status) {
    case StepStatus::BudgetExhausted:
        return "the budget does not pay for a whole frame, and bodies stay behind the clock";
    case StepStatus::StepTooSmall:
        return "the tolerance asks for substeps that are shorter than time can resolve";
    case StepStatus::NonFinite:
        return "the motion left what numbers can hold";
    case StepStatus::ModelThrew:
        return "the model failed";
    case StepStatus::InvalidInput:
        return "the state cannot be used";
    case StepStatus::Interrupted:
    default:
        return "it was stopped";
    }
}

Boundary effective_boundary(const IntegratorSettings& settings) {
    return method_named(settings.method).adaptive ? settings.boundary : Boundary::Exact;
}

} // namespace substep
