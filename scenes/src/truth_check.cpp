// Runs of scenes by given methods against their truths.
#include "substep/scenes/truth_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace substep {
namespace {

constexpr double kCheckFps = 60.0;

// Fixed substeps per frame are doubled from the first to the last.
constexpr int kFewestSubsteps = 8;
constexpr int kMostSubsteps = 256;
constexpr double kOrderSlack = 0.4;
constexpr double kPowerSlack = 0.4;
constexpr double kObeys = 100.0;   // tolerances, to their power, that a run's error may be where it shows no law
constexpr double kSameCost = 1.02; // of evaluations: within, a tighter tolerance changed no length
constexpr int kParts = 4;
constexpr double kSmallestPart = 1.0 / 64.0;
constexpr double kPastImpacts = 1.0; // s: of all scenes' first ones head_on_collision's is the latest, at 0.91 s

// Below `rounding` an error is right whatever order it shows; above `visible` it is wrong.
struct Limits {
    double rounding;
    double visible;
};

Limits limits_of(const Truth* truth) {
    return truth != nullptr ? Limits{truth->threshold(), truth->visible_error()} : Limits{1e-10, 0.01};
}

// At loose tolerances a method of high order takes a handful of substeps a second, which show no law; one that does not
// run ahead takes one a frame.
std::vector<double> tolerances_for(const MethodInfo& method) {
    if (method.order >= 6) {
        return {1e-7, 1e-9, 1e-11};
    }
    return method.order >= 2 ? std::vector{1e-6, 1e-8, 1e-10} : std::vector{1e-3, 1e-5, 1e-7};
}

void add(MethodCheck& check, double value, const TruthRun& run) {
    check.values.push_back(value);
    check.errors.push_back(run.error);
    check.evaluations.push_back(static_cast<double>(run.evaluations));
}

// A run that stopped has no finite error. Of fixed methods the finest must not: coarse ones may be unstable.
bool has_stopped(const MethodInfo& method, const MethodCheck& check) {
    const auto stopped = [](double error) { return !std::isfinite(error); };
    return method.adaptive ? std::ranges::any_of(check.errors, stopped) : stopped(check.errors.back());
}

} // namespace

IntegratorSettings truth_settings() {
    IntegratorSettings settings;
    settings.method = "dormand_prince853";
    settings.atol = settings.rtol = kTruthTolerance;
    settings.boundary = Boundary::RunAhead;
    return settings;
}

Boundary suitable_boundary(const MethodInfo& method, const SceneInfo& info) {
    return info.contacts && method.needs != MethodNeeds::Derivative ? Boundary::Exact : Boundary::RunAhead;
}

int expected_order(const MethodInfo& method, const SceneInfo& info) {
    const bool first_order = (info.velocity_forces && method.needs == MethodNeeds::KickDriftSplit) ||
                             (info.contacts && method.needs != MethodNeeds::Derivative);
    return first_order ? 1 : method.order;
}

double tolerance_power(const MethodInfo& method) {
    const double q = method.error_order;
    return method.order > method.error_order ? 1.0 : q / (q + 1.0);
}

SceneTrials::SceneTrials(const SceneInfo& info)
    : info_(&info), scene_(make_scene(info)), start_(scene_.world.snapshot()) {}

bool SceneTrials::takes(const MethodInfo& method) {
    scene_.world.restore(start_);
    WorldSettings settings = scene_.world.settings();
    settings.integrator.method = method.name;
    try {
        scene_.world.set_settings(settings);
    } catch (const std::invalid_argument&) {
        return false;
    }
    return true;
}

TruthRun SceneTrials::run(const IntegratorSettings& settings, double fps, double seconds) {
    World& world = scene_.world;
    world.restore(start_);
    WorldSettings chosen = world.settings();
    chosen.integrator = settings;
    world.set_settings(chosen);
    Meter meter(world, truth(), scene_.energy_scale);
    TruthRun run;
    const auto frames = static_cast<int>(std::lround(seconds * fps));
    for (int frame = 0; frame < frames; ++frame) {
        const StepReport report = world.advance(1.0 / fps);
        run.evaluations += report.evaluations;
        run.status = report.status;
        if (run.status != StepStatus::ReachedTarget) {
            run.error = std::numeric_limits<double>::infinity();
            return run;
        }
        meter.measure(world);
    }
    run.error = truth() != nullptr ? meter.max_error() : meter.max_relative_energy_change();
    if (std::isnan(run.error)) {
        run.error = std::numeric_limits<double>::infinity();
    }
    return run;
}

MethodCheck SceneTrials::check_adaptive(const MethodInfo& method, double seconds) {
    const Limits limits = limits_of(truth());
    MethodCheck check;
    check.seconds = seconds;
    check.expected = tolerance_power(method);
    IntegratorSettings settings = truth_settings();
    settings.method = method.name;
    settings.boundary = suitable_boundary(method, *info_);
    for (const double tolerance : tolerances_for(method)) {
        settings.atol = settings.rtol = tolerance;
        add(check, tolerance, run(settings, kCheckFps, seconds));
    }
    // Tolerances that cost no more than the loosest leave every length to the frame: the law begins at the last of
    // them.
    std::size_t first = 0;
    while (first + 2 < check.values.size() && check.evaluations[first + 1] <= kSameCost * check.evaluations.front()) {
        ++first;
    }
    check.measured =
        std::log(check.errors[first] / check.errors.back()) / std::log(check.values[first] / check.values.back());
    check.at_rounding = check.errors.back() <= limits.rounding;
    // Where events or the longest substep, not the tolerance, decide most lengths, there is no law to be seen.
    bool obeys = true;
    for (std::size_t i = 0; i < check.errors.size(); ++i) {
        obeys = obeys && check.errors[i] <= kObeys * std::pow(check.values[i], check.expected);
    }
    const bool shows = check.measured >= check.expected - kPowerSlack;
    check.passed = !has_stopped(method, check) &&
                   (check.at_rounding || (check.errors.back() <= limits.visible && (shows || obeys)));
    return check;
}

MethodCheck SceneTrials::check_fixed(const MethodInfo& method, double seconds) {
    const Limits limits = limits_of(truth());
    MethodCheck check;
    check.seconds = seconds;
    check.expected = expected_order(method, *info_);
    IntegratorSettings settings = truth_settings();
    settings.method = method.name;
    for (int n = kFewestSubsteps; n <= kMostSubsteps && !check.passed; n *= 2) {
        settings.substeps = n;
        add(check, n, run(settings, kCheckFps, seconds));
        const double error = check.errors.back();
        if (check.errors.size() > 1) {
            check.measured = std::log2(check.errors[check.errors.size() - 2] / error);
        }
        check.at_rounding = error <= limits.rounding;
        const bool shows = std::isfinite(check.measured) && check.measured >= check.expected - kOrderSlack;
        check.passed = check.at_rounding || (error <= limits.visible && shows);
    }
    return check;
}

MethodCheck SceneTrials::check(const MethodInfo& method, double seconds) {
    const auto check_over = [&](double duration) {
        return method.adaptive ? check_adaptive(method, duration) : check_fixed(method, duration);
    };
    MethodCheck check = check_over(seconds);
    // On a part of the time an error is judged that has grown too large on the whole: never a run that stopped, and
    // never a part in which nothing has touched yet.
    const double shortest = info_->contacts ? kPastImpacts : kSmallestPart * seconds;
    for (double part = 1.0 / kParts;
         !check.passed && !has_stopped(method, check) && part >= kSmallestPart && part * seconds >= shortest;
         part /= kParts) {
        check = check_over(part * seconds);
    }
    return check;
}

TruthRun run_scene(const SceneInfo& info, const IntegratorSettings& settings, double fps, double seconds) {
    return SceneTrials(info).run(settings, fps, seconds);
}

} // namespace substep
