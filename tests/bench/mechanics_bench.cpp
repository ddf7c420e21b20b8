// `substep_bench mechanics`: joints at equal error beside MuJoCo and Simbody, frame by frame.
#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <glm/geometric.hpp>

#include "bench.h"
#include "derivative_race.h"
#include "frame_times.h"
#include "mechanism.h"
#include "report.h"
#include "substep/scenes/asymmetric_top.h"
#include "substep/scenes/double_pendulum_motion.h"
#include "substep/scenes/pendulum_motion.h"
#include "world_simulator.h"

namespace substep_bench {
namespace {

using substep::Boundary;
using substep::IntegratorSettings;
using Motions = std::vector<BodyMotionNow>;

constexpr int kRuns = 9;

/// A mechanism with the error that counts there and what is asked of it.
struct Task {
    std::string id;
    std::string title;
    Mechanism mechanism;
    int frames = 600;
    std::string error_name; ///< with its unit
    std::function<double(int frame, const Motions&)> error;
    double allowed = 0.0;  ///< largest error over all frames
    double simbody = 1e-6; ///< its accuracy; 0: the coarsest that keeps the error
    int mujoco = 0;        ///< its substeps; 0: not raced
};

/// What a run came to.
struct Outcome {
    double error = 0.0; ///< largest over all frames; NaN where the mechanism blew up
    double gap = 0.0;   ///< m, largest over all frames
};

constexpr double kHopeless = 1e6; // whatever its unit: the mechanism blew up

// Gives up where the error passes `hopeless`.
Outcome run(const Task& task, Simulator& simulator, double hopeless = kHopeless) {
    Outcome outcome;
    Motions now;
    for (int frame = 1; frame <= task.frames; ++frame) {
        simulator.advance_frame();
        simulator.read(now);
        const double error = task.error(frame, now);
        outcome.error = error > outcome.error || std::isnan(error) ? error : outcome.error;
        outcome.gap = std::max(outcome.gap, gap_of(task.mechanism, now));
        if (!(outcome.error <= hopeless)) {
            outcome.error = std::numeric_limits<double>::quiet_NaN();
            break;
        }
    }
    return outcome;
}

// Relative change of the energy, over the work of lifting it all as far as it can fall.
std::function<double(int, const Motions&)> energy_error(const Mechanism& mechanism, double scale) {
    Motions start;
    for (const MechanismBody& body : mechanism.bodies) {
        start.push_back({body.position, body.orientation});
    }
    const double initial = energy_of(mechanism, start);
    return [mechanism, initial, scale](int, const Motions& now) {
        return std::abs(energy_of(mechanism, now) - initial) / scale;
    };
}

Task pendulum_task() {
    const substep::PendulumMotion motion(std::sqrt(9.8L), 0.0, -2.0);
    std::vector<double> exact;
    for (int frame = 0; frame <= 10000; ++frame) {
        exact.push_back(motion.at(frame * kFrame).angle);
    }
    return {.id = "S1",
            .title = "pendulum",
            .mechanism = make_pendulum(),
            .frames = 10000,
            .error_name = "angle, rad",
            .error =
                [exact](int frame, const Motions& now) {
                    const glm::dvec3& x = now[0].position;
                    const double angle = std::atan2(x.x, -x.y);
                    return std::abs(std::remainder(angle - exact[frame], 2.0 * std::numbers::pi));
                },
            .allowed = 1e-6,
            .mujoco = 1};
}

Task tumbling_task() {
    const Mechanism mechanism = make_tumbling_body();
    const substep::AsymmetricTop top(mechanism.bodies[0].moments, mechanism.first_rates,
                                     mechanism.bodies[0].orientation);
    std::vector<glm::dquat> exact;
    for (int frame = 0; frame <= 600; ++frame) {
        exact.push_back(top.at(frame * kFrame).orientation);
    }
    return {.id = "S2",
            .title = "tumbling body",
            .mechanism = mechanism,
            .error_name = "attitude, rad",
            .error =
                [exact](int frame, const Motions& now) {
                    const glm::dquat d = glm::conjugate(exact[frame]) * now[0].orientation;
                    return 2.0 * std::atan2(glm::length(glm::dvec3(d.x, d.y, d.z)), std::abs(d.w));
                },
            .allowed = 1e-6,
            .mujoco = 1};
}

Task double_pendulum_task() {
    // The reference: Lagrange's equations in two angles from hanging.
    const Mechanism mechanism = make_double_pendulum();
    const substep::PendulumLink link{1.0, mechanism.bodies[0].moments.z, 0.5, 1.0};
    substep::DoublePendulumMotion motion(link, link, mechanism.gravity);
    const double horizontal = 0.5 * std::numbers::pi;
    std::vector<glm::dvec3> exact;
    for (const auto& angles : motion.solve({horizontal, horizontal, 0.0, 0.0}, kFrame, 301, 1e-14)) {
        exact.emplace_back(std::sin(angles[0]) + std::sin(angles[1]), -std::cos(angles[0]) - std::cos(angles[1]), 0.0);
    }
    return {.id = "S4",
            .title = "double pendulum",
            .mechanism = mechanism,
            .frames = 300,
            .error_name = "tip, m",
            .error =
                [exact](int frame, const Motions& now) {
                    const glm::dvec3 tip = now[1].position + now[1].orientation * glm::dvec3(0.5, 0.0, 0.0);
                    return glm::length(tip - exact[frame]);
                },
            .allowed = 1e-6,
            .mujoco = 4};
}

Task chain_task(int links, double allowed) {
    const Mechanism mechanism = make_chain(links);
    return {.id = "S3",
            .title = "chain of " + std::to_string(links),
            .mechanism = mechanism,
            .error_name = "energy",
            .error = energy_error(mechanism, links * 9.8 * links * 0.25),
            .allowed = allowed,
            .simbody = 0.0,
            .mujoco = links <= 10 ? 4 : 0}; // it blows up with a hundred
}

Task loaded_chain_task() {
    const Mechanism mechanism = make_loaded_chain();
    return {.id = "S9",
            .title = "1000 kg on ten links of 1 kg",
            .mechanism = mechanism,
            .error_name = "energy",
            .error = energy_error(mechanism, 1000.0 * 9.8 * 5.5 * (1.0 - std::sqrt(0.5))),
            .allowed = 1e-4,
            .simbody = 0.0,
            .mujoco = 4};
}

/// One of our settings, and what it came to.
struct Trial {
    IntegratorSettings settings;
    Outcome outcome;
    double evaluations = 0.0; ///< per frame
    double us = 0.0;          ///< per frame, roughly: for the choice alone
};

struct Attempt {
    Trial trial;
    bool kept = false; ///< the error
};

Attempt attempt(const Task& task, const IntegratorSettings& settings) {
    WorldSimulator simulator(task.mechanism, settings);
    const double start = cpu_time_us();
    const Outcome outcome = run(task, simulator, task.allowed);
    const double us = (cpu_time_us() - start) / task.frames;
    return {{settings, outcome, static_cast<double>(simulator.evaluations()) / task.frames, us},
            simulator.succeeded() && outcome.error <= task.allowed && outcome.gap <= 1e-9};
}

double time_roughly(const Task& task, const IntegratorSettings& settings) {
    double least = std::numeric_limits<double>::infinity();
    for (int repetition = 0; repetition < 3; ++repetition) {
        WorldSimulator simulator(task.mechanism, settings);
        const double start = cpu_time_us();
        for (int frame = 0; frame < task.frames; ++frame) {
            simulator.advance_frame();
        }
        least = std::min(least, (cpu_time_us() - start) / task.frames);
    }
    return least;
}

// The coarsest of settings ordered from coarse to fine that keeps the error, and does so at the next two as well: not
// by luck. Gives up where a setting takes more than `most_us` a frame: finer ones take longer still.
template <class SettingsOf>
std::optional<Trial> coarsest(const Task& task, int count, double most_us, SettingsOf settings_of) {
    std::optional<Trial> candidate;
    int kept = 0;
    for (int i = 0; i < count && kept < 3; ++i) {
        const Attempt now = attempt(task, settings_of(i));
        kept = now.kept ? kept + 1 : 0;
        if (kept == 1) {
            candidate = now.trial;
        }
        if (kept == 0 && now.trial.us > most_us) {
            return std::nullopt;
        }
    }
    return kept == 3 ? candidate : std::nullopt;
}

/// How much longer than the best so far another method may take to be listed.
constexpr double kWorthListing = 2.0;

// The cheapest setting of each method and boundary, the cheapest of all first. High orders first: they are quick here,
// and what takes much longer is given up.
std::vector<Trial> tune(const Task& task) {
    std::vector<const substep::IntegrationMethod*> methods;
    for (const substep::IntegrationMethod* method : substep::method_catalogue()) {
        if (method->info().order >= 4 && method->info().needs == substep::MethodNeeds::Derivative) {
            methods.push_back(method);
        }
    }
    std::ranges::stable_sort(methods, std::greater{}, [](const auto* method) { return method->info().order; });

    std::vector<Trial> trials;
    double best = std::numeric_limits<double>::infinity();
    const auto most = [&] { return kWorthListing * best; };
    const auto keep = [&](const std::optional<Trial>& trial) {
        if (trial && trial->us <= most()) {
            best = std::min(best, trial->us);
            trials.push_back(*trial);
            trials.back().us = time_roughly(task, trial->settings);
        }
    };
    for (const substep::IntegrationMethod* method : methods) {
        const substep::MethodInfo& info = method->info();
        IntegratorSettings settings;
        settings.method = std::string(info.name);
        if (!info.adaptive) {
            keep(coarsest(task, 24, most(), [&](int i) {
                settings.substeps = i + 1;
                return settings;
            }));
            continue;
        }
        for (const Boundary boundary : {Boundary::RunAhead, Boundary::Exact}) {
            settings.boundary = boundary;
            keep(coarsest(task, 40, most(), [&](int i) {
                settings.atol = settings.rtol = std::pow(10.0, -2.0 - i / 4.0);
                return settings;
            }));
        }
    }
    std::ranges::sort(trials, {}, &Trial::us);
    return trials;
}

std::string describe(const IntegratorSettings& settings) {
    if (!substep::find_method(settings.method)->adaptive) {
        return settings.method + " x" + std::to_string(settings.substeps);
    }
    return settings.method + formatted(" %.1e", settings.atol) +
           (settings.boundary == Boundary::Exact ? ", exact" : ", run-ahead");
}

/// A simulator in the race.
struct Entry {
    std::string name;
    MakeSimulator make;
    Outcome outcome;
    FrameTimes times;
};

// Simbody at the accuracy given, or at the coarsest that keeps the error.
std::optional<Entry> simbody_entry(const Task& task) {
    const auto entry_at = [&](double accuracy) -> std::optional<Entry> {
        const MakeSimulator make = [&task, accuracy] { return simulate_with_simbody(task.mechanism, accuracy); };
        const std::unique_ptr<Simulator> simulator = make();
        if (simulator == nullptr) {
            return std::nullopt;
        }
        Entry entry{"Simbody RungeKuttaMerson" + formatted(" %.1e", accuracy), make, {}, {}};
        try {
            entry.outcome = run(task, *simulator, task.simbody > 0.0 ? kHopeless : task.allowed);
        } catch (const std::exception&) { // it says so where it cannot go on
            entry.outcome.error = std::numeric_limits<double>::quiet_NaN();
        }
        return entry;
    };
    if (task.simbody > 0.0) {
        return entry_at(task.simbody);
    }
    for (int i = 0; i < 30; ++i) {
        std::optional<Entry> entry = entry_at(std::pow(10.0, -1.0 - i / 4.0));
        if (!entry || entry->outcome.error <= task.allowed) {
            return entry;
        }
    }
    return std::nullopt;
}

/// A task's three entries, those that there are.
struct Standing {
    std::optional<Entry> ours, mujoco, simbody;
};

Standing race(Report& report, const Task& task) {
    report.section(task.id + ": " + task.title);
    const std::vector<Trial> trials = tune(task);
    Standing standing;
    if (!trials.empty()) {
        const IntegratorSettings settings = trials.front().settings;
        standing.ours = {describe(settings),
                         [&task, settings] { return std::make_unique<WorldSimulator>(task.mechanism, settings); },
                         trials.front().outcome,
                         {}};
    }
    const MakeSimulator make_mujoco = [&task] { return simulate_with_mujoco(task.mechanism, task.mujoco); };
    if (task.mujoco > 0) {
        if (const std::unique_ptr<Simulator> simulator = make_mujoco()) {
            standing.mujoco = {"MuJoCo RK4 x" + std::to_string(task.mujoco), make_mujoco, run(task, *simulator), {}};
        }
    }
    standing.simbody = simbody_entry(task);

    std::vector<MakeSimulator> makers;
    std::vector<Entry*> entries;
    for (std::optional<Entry>* entry : {&standing.ours, &standing.mujoco, &standing.simbody}) {
        if (*entry) {
            makers.push_back((*entry)->make);
            entries.push_back(&**entry);
        }
    }
    const std::vector<FrameTimes> times = time_frames(makers, task.frames, kRuns);
    report.table({"engine", task.error_name, "gap, m", "mean, us", "p99, us", "slowest, us"});
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i]->times = times[i];
        report.row({entries[i]->name, formatted("%.1e", entries[i]->outcome.error),
                    formatted("%.0e", entries[i]->outcome.gap), formatted("%.3f", times[i].mean),
                    formatted("%.3f", times[i].p99), formatted("%.3f", times[i].slowest)});
    }

    report.text("Our methods, each at its coarsest setting that keeps " + formatted("%.2g", task.allowed) +
                " (and at the next two finer ones), those that take at most about twice the time of the best:");
    report.table({"setting", task.error_name, "evaluations", "mean, us"});
    for (const Trial& trial : trials) {
        report.row({describe(trial.settings), formatted("%.1e", trial.outcome.error),
                    formatted("%.2f", trial.evaluations), formatted("%.2f", trial.us)});
    }
    return standing;
}

// One step a frame, whatever the energy does: it must not blow up.
Entry race_single_step(Report& report) {
    const Task task = loaded_chain_task();
    report.section("S9 with one step a frame");
    IntegratorSettings settings;
    settings.method = "theta";
    settings.substeps = 1;
    const MakeSimulator make = [&] { return std::make_unique<WorldSimulator>(task.mechanism, settings); };
    Entry entry{"theta x1", make, run(task, *make()), {}};
    entry.times = time_frames({make}, task.frames, kRuns)[0];
    report.table({"method", task.error_name, "gap, m", "mean, us", "p99, us", "slowest, us"});
    report.row({entry.name, formatted("%.1e", entry.outcome.error), formatted("%.1e", entry.outcome.gap),
                formatted("%.3f", entry.times.mean), formatted("%.3f", entry.times.p99),
                formatted("%.3f", entry.times.slowest)});
    return entry;
}

void add_goal(Report& report, const std::string& what, const std::optional<Entry>& ours,
              const std::optional<Entry>& theirs, const std::string& them, double limit) {
    if (!ours) {
        report.missed_goal(what, "no setting keeps the error");
    } else if (!theirs) {
        report.skipped_goal(what, them + " is not installed");
    } else {
        const auto tell = [](const Entry& entry) {
            return formatted("%.3g us", entry.times.mean) + formatted(" at %.1e", entry.outcome.error);
        };
        report.goal(what, tell(*ours), tell(*theirs), ours->times.mean / theirs->times.mean, limit);
    }
}

} // namespace

void run_mechanics(const std::string& document) {
    Report report;
    report.begin("rigid-body mechanics", "mechanics",
                 "Opponents: " + mujoco_release() + ", " + simbody_release() +
                     ". Frames of 1/60 s. The mean is a whole run's CPU time over its frames, the median of " +
                     std::to_string(kRuns) + " runs in turn; p99 and slowest are over the frames' own medians.");
    const Standing pendulum = race(report, pendulum_task());
    const Standing tumbling = race(report, tumbling_task());
    const Standing double_pendulum = race(report, double_pendulum_task());
    const Standing chain10 = race(report, chain_task(10, 1e-3));
    const Standing chain100 = race(report, chain_task(100, 2.5e-4));
    const Standing loaded = race(report, loaded_chain_task());
    const Entry single = race_single_step(report);
    const double flatness = race_derivatives(report);

    report.section("Goals");
    report.goals();
    add_goal(report, "S1, angle within 1e-6 rad, against MuJoCo RK4 x1", pendulum.ours, pendulum.mujoco, "MuJoCo", 0.6);
    add_goal(report, "S2, attitude within 1e-6 rad, against MuJoCo RK4 x1", tumbling.ours, tumbling.mujoco, "MuJoCo",
             0.3);
    add_goal(report, "S4, tip within 1e-6 m, against MuJoCo RK4 x4", double_pendulum.ours, double_pendulum.mujoco,
             "MuJoCo", 0.5);
    add_goal(report, "S3 of 10, energy within 1e-3, against MuJoCo RK4 x4", chain10.ours, chain10.mujoco, "MuJoCo",
             0.2);
    add_goal(report, "S3 of 100, energy within 2.5e-4, against Simbody at that error", chain100.ours, chain100.simbody,
             "Simbody", 0.25);
    add_goal(report, "S9, energy within 1e-4 and no gap, against MuJoCo RK4 x4", loaded.ours, loaded.mujoco, "MuJoCo",
             0.25);
    const bool whole = single.outcome.gap < 1e-3; // false for NaN
    report.goal("S9, one step a frame, gap below 1 mm, in 10 us", formatted("%.3g us", single.times.mean),
                formatted("gap %.1e m", single.outcome.gap),
                whole ? single.times.mean / 10.0 : std::numeric_limits<double>::infinity(), 1.0);
    report.goal("derivative of ball chains of 10 to 500, largest ns per body over smallest", "", "", flatness, 1.2);
    report.finish(document);
}

} // namespace substep_bench
