// `auto` beside every fixed choice, over all scenes with a truth: evaluations and time at equal error.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <time.h>

#include "bench.h"
#include "report.h"
#include "substep/engine/automatic.h"
#include "substep/scenes/truth_check.h"

namespace substep_bench {
namespace {

using namespace substep;

constexpr double kFps = 60.0;
constexpr double kLongest = 4.0;       // s of a scene
constexpr int kRepetitions = 3;        // to find who might be the fastest
constexpr std::size_t kContenders = 5; // of whom the fastest is found in a race
constexpr int kLaps = 15;
constexpr double kRounding = 1e-10; // errors below are equal
constexpr double kGoal = 1.3;       // of the best fixed choice
constexpr double kLost = 1.0;       // m or rad: an error after which repetitions are a waste
constexpr double kTooSlow = 3000.0; // us a frame
constexpr std::array kTolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10};

double microseconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

struct Choice {
    std::string name;
    IntegratorSettings settings;
    double error = HUGE_VAL;
    double evaluations = 0.0; // a frame
    double us = HUGE_VAL;     // a frame, of the step alone
    bool counts = true;       // its evaluations are all that it costs
};

Choice make_choice(std::string name, const IntegratorSettings& settings) {
    Choice choice;
    choice.name = std::move(name);
    choice.settings = settings;
    return choice;
}

struct Run {
    double error = HUGE_VAL;
    double evaluations = 0.0; // a frame
    double us = HUGE_VAL;     // a frame, of the step alone
};

Run run(const SceneInfo& info, const IntegratorSettings& integrator, double seconds) {
    Scene scene = make_scene(info);
    WorldSettings settings = scene.world.settings();
    settings.integrator = integrator;
    scene.world.set_settings(settings);
    Meter meter(scene.world, scene.truth.get(), scene.energy_scale);
    const auto frames = static_cast<int>(std::lround(kFps * seconds));
    double us = 0.0;
    std::int64_t evaluations = 0;
    for (int frame = 0; frame < frames; ++frame) {
        const double start = microseconds();
        const StepReport report = scene.world.advance(1.0 / kFps);
        us += microseconds() - start;
        evaluations += report.evaluations;
        meter.measure(scene.world);
        if (report.status != StepStatus::ReachedTarget || us > kTooSlow * frames) {
            return {};
        }
    }
    return {std::isnan(meter.max_error()) ? HUGE_VAL : meter.max_error(), static_cast<double>(evaluations) / frames,
            us / frames};
}

void measure(const SceneInfo& info, double seconds, Choice& choice) {
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
        const Run found = run(info, choice.settings, seconds);
        choice.error = found.error;
        choice.evaluations = found.evaluations;
        choice.us = std::min(choice.us, found.us);
        if (!(choice.error <= kLost)) {
            break;
        }
    }
}

std::vector<Choice> fixed_choices(const SceneInfo& info, double seconds) {
    std::vector<Choice> choices;
    SceneTrials trials(info);
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& row = method->info();
        const bool is_smooth = row.needs == MethodNeeds::Derivative || row.needs == MethodNeeds::KickDriftSplit;
        if (!is_smooth || !trials.takes(row)) {
            continue;
        }
        IntegratorSettings settings;
        settings.method = row.name;
        const auto add = [&](const std::string& what) {
            choices.push_back(make_choice(std::string(row.name) + what, settings));
            choices.back().counts = row.needs == MethodNeeds::Derivative;
            measure(info, seconds, choices.back());
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

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// Times them by turns, so that whatever else the machine does meets all; a lap's first is another each time.
void race(const SceneInfo& info, double seconds, const std::vector<Choice*>& racers) {
    std::vector<std::vector<double>> times(racers.size());
    for (std::size_t lap = 0; lap < kLaps; ++lap) {
        for (std::size_t i = 0; i < racers.size(); ++i) {
            const std::size_t who = (lap + i) % racers.size();
            times[who].push_back(run(info, racers[who]->settings, seconds).us);
        }
    }
    for (std::size_t i = 0; i < racers.size(); ++i) {
        racers[i]->us = median(times[i]);
    }
}

// Of those as exact as `own`: the one with the fewest evaluations, and after a race the fastest.
struct Best {
    Choice fewest;
    Choice fastest;
};

bool find_best(const SceneInfo& info, double seconds, const std::vector<Choice>& choices, Choice& own, Best& best) {
    std::vector<Choice> equals;
    for (const Choice& choice : choices) {
        if (choice.error <= std::max(own.error, kRounding)) {
            equals.push_back(choice);
        }
    }
    const auto fewer = [](const Choice& a, const Choice& b) {
        return a.counts != b.counts ? a.counts : a.evaluations < b.evaluations;
    };
    const auto fewest = std::ranges::min_element(equals, fewer);
    if (fewest == equals.end() || !fewest->counts) {
        return false;
    }
    best.fewest = *fewest;
    std::ranges::sort(equals, {}, &Choice::us);
    equals.resize(std::min(equals.size(), kContenders));
    std::vector<Choice*> racers{&own};
    for (Choice& choice : equals) {
        racers.push_back(&choice);
    }
    race(info, seconds, racers);
    best.fastest = *std::ranges::min_element(equals, {}, &Choice::us);
    return true;
}

// What it costs beside the best, over the scenes of one tolerance.
struct Standing {
    int rows = 0;
    int over = 0; // kGoal, by time
    double log_evaluations = 0.0;
    double log_time = 0.0;
};

std::string times(double ratio) { return formatted("x%.2f", ratio); }

} // namespace

void run_automatic(const std::string& document) {
    Report report;
    report.begin("`auto`", "automatic",
                 "`auto` beside every fixed choice of method, tolerance and substeps that is as exact (errors below " +
                     formatted("%.0e", kRounding) +
                     " count as equal), on every scene with a truth, at 60 frames a second over at most " +
                     formatted("%.0f", kLongest) + " s. The fastest of them is found by a race of " +
                     std::to_string(kContenders) + " against `auto`: medians of " + std::to_string(kLaps) +
                     " laps by turns.");
    report.section("Where `auto` takes more than " + formatted("%.1f", kGoal) + " times the time of the best");
    report.table({"scene", "tolerance", "error", "evaluations", "us", "fewest evaluations", "", "fastest", ""});
    std::array<Standing, kTolerances.size()> standings;
    for (const SceneInfo& info : scene_list()) {
        if (!info.has_truth) {
            continue;
        }
        const Scene scene = make_scene(info);
        const double seconds = std::min(kLongest, scene.truth->until());
        const std::vector<Choice> choices = fixed_choices(info, seconds);
        for (std::size_t i = 0; i < kTolerances.size(); ++i) {
            IntegratorSettings settings;
            settings.method = kAutoMethod;
            settings.atol = settings.rtol = kTolerances[i];
            Choice own = make_choice("auto", settings);
            measure(info, seconds, own);
            Best best;
            // Whoever lost the motion has not been cheap but wrong.
            if (!(own.error <= scene.truth->visible_error()) || !find_best(info, seconds, choices, own, best)) {
                continue;
            }
            const double by_evaluations = own.evaluations / best.fewest.evaluations;
            const double by_time = own.us / best.fastest.us;
            Standing& standing = standings[i];
            ++standing.rows;
            standing.over += by_time > kGoal ? 1 : 0;
            standing.log_evaluations += std::log(by_evaluations);
            standing.log_time += std::log(by_time);
            if (by_time > kGoal) {
                report.row({std::string(info.name), formatted("%.0e", kTolerances[i]), formatted("%.1e", own.error),
                            formatted("%.2f", own.evaluations), formatted("%.2f", own.us), best.fewest.name,
                            times(by_evaluations), best.fastest.name, times(by_time)});
            }
        }
    }

    report.section("Over all scenes");
    report.table({"tolerance", "scenes", "above the goal", "evaluations, geometric mean"});
    Standing all;
    for (std::size_t i = 0; i < kTolerances.size(); ++i) {
        const Standing& standing = standings[i];
        report.row({formatted("%.0e", kTolerances[i]), std::to_string(standing.rows), std::to_string(standing.over),
                    times(std::exp(standing.log_evaluations / standing.rows))});
        all.rows += standing.rows;
        all.over += standing.over;
    }
    report.text(std::to_string(all.over) + " of " + std::to_string(all.rows) + " are above it alone.");
    report.goals();
    for (std::size_t i = 0; i < kTolerances.size(); ++i) {
        report.goal("time over all scenes at " + formatted("%.0e", kTolerances[i]) + ", geometric mean", "", "",
                    std::exp(standings[i].log_time / standings[i].rows), kGoal);
    }
    report.finish(document);
}

} // namespace substep_bench
