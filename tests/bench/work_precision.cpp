// Work against precision on four problems: every solver over all tolerances, and how far ours are above the lower
// envelope of the others.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <benchmark/benchmark.h>
#ifdef SUBSTEP_BENCH_PLOT
#include "figure.h"
#endif

#include "integrator_races.h"
#include "model_solvers.h"
#include "race.h"
#include "substep/scenes/ode_problem.h"

namespace substep_bench {
namespace {

constexpr int kPerDecade = 2;
constexpr double kAllowed = 1.1; // times the envelope

/// A solver's curve.
struct Series {
    Solver solver;
    std::vector<WorkPoint> points; // from coarse to fine
};

// Worst component, relative to 1 + |y|; infinite where the solver failed.
double error_of(const substep::OdeProblem& problem, std::span<const double> y) {
    double largest = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double error = std::fabs(y[i] - problem.y1[i]) / (1.0 + std::fabs(problem.y1[i]));
        largest = error >= 0.0 ? std::fmax(largest, error) : std::numeric_limits<double>::infinity();
    }
    return largest;
}

std::vector<double> settings_for(const Solver& solver) {
    std::vector<double> settings;
    for (int i = 3 * kPerDecade; i <= 13 * kPerDecade; ++i) {
        const double power = static_cast<double>(i) / kPerDecade;
        // Fixed steps: from 100 to 100 000.
        settings.push_back(solver.adaptive ? std::pow(10.0, -power)
                                           : std::round(100.0 * std::pow(10.0, (power - 3) * 0.3)));
    }
    return settings;
}

// Evaluations are counted in runs of their own, so that counting costs nothing where time is measured.
template <class Model>
std::vector<Series> measure(const substep::OdeProblem& problem) {
    std::vector<Series> all;
    const std::vector<Solver> counting = counting_solvers<Model>();
    Race race;
    std::vector<double> y(problem.y0.size());
    for (const Solver& solver : model_solvers<Model>()) {
        Series series{solver, {}};
        const Solver& twin = counting[all.size()];
        for (const double setting : settings_for(solver)) {
            y = problem.y0;
            counted_evaluations = 0;
            twin.solve(setting, y);
            series.points.push_back({setting, static_cast<double>(counted_evaluations), error_of(problem, y), 0.0});
        }
        all.push_back(series);
    }
    for (const Series& series : all) {
        for (const WorkPoint& point : series.points) {
            race.add([&series, &problem, setting = point.setting, state = problem.y0]() mutable {
                std::ranges::copy(problem.y0, state.begin());
                series.solver.solve(setting, state);
                benchmark::DoNotOptimize(state.data());
            });
        }
    }
    const std::vector<double> ns = race.run(9, 0.002);
    std::size_t next = 0;
    for (Series& series : all) {
        for (WorkPoint& point : series.points) {
            point.ns = ns[next++];
        }
    }
    return all;
}

/// Where ours are worst, compared with the envelope of the others.
struct Worst {
    double ratio = 0.0;
    double error = 0.0;
    double ours = 0.0, theirs = 0.0; // ns
    std::string our_name = "-", their_name = "-";
};

Worst compare(const std::vector<Series>& all) {
    Worst worst;
    for (int half = 2 * 3; half <= 2 * 11; ++half) {
        const double error = std::pow(10.0, -0.5 * half);
        double ours = std::numeric_limits<double>::infinity();
        double theirs = ours;
        std::string our_name, their_name;
        for (const Series& series : all) {
            const double time = time_at_error(series.points, error);
            double& best = series.solver.ours ? ours : theirs;
            if (time < best) {
                best = time;
                (series.solver.ours ? our_name : their_name) = series.solver.name;
            }
        }
        if (std::isfinite(theirs) && ours / theirs > worst.ratio) {
            worst = {ours / theirs, error, ours, theirs, our_name, their_name};
        }
    }
    return worst;
}

void write_csv(const std::filesystem::path& path, const std::vector<Series>& all) {
    std::ofstream file(path);
    file << "series,evaluations,microseconds,error\n";
    for (const Series& series : all) {
        for (const WorkPoint& point : series.points) {
            if (std::isfinite(point.error)) {
                file << series.solver.name << ',' << point.evaluations << ',' << 1e-3 * point.ns << ',' << point.error
                     << '\n';
            }
        }
    }
    file.close();
    if (!file) {
        throw std::runtime_error(path.string() + " could not be written");
    }
}

#ifdef SUBSTEP_BENCH_PLOT
void draw(const std::filesystem::path& path, const substep::OdeProblem& problem, const std::vector<Series>& all) {
    substep::Figure figure;
    figure.title = problem.title;
    figure.subtitle = "error at the end against CPU time, all tolerances";
    figure.x_name = "error";
    figure.y_name = "time (us)";
    figure.x_log = true;
    figure.y_most = 1e5;
    for (const Series& series : all) {
        // All opponents, and of ours those that somebody would choose.
        const std::string& name = series.solver.name;
        const bool shown = name.ends_with("54") || name.ends_with("853") || name.ends_with("87");
        if (series.solver.ours && !shown) {
            continue;
        }
        substep::FigureSeries curve;
        curve.name = name;
        curve.markers = series.solver.ours;
        curve.row = figure.series.size();
        for (const WorkPoint& point : series.points) {
            if (point.error > 0.0 && point.error < 1.0) {
                curve.points.push_back({point.error, 1e-3 * point.ns});
            }
        }
        figure.series.push_back(curve);
    }
    substep::save_figure(figure, {.width = 1280, .height = 800}, path.string());
}
#endif

/// A problem's title and where ours are worst.
struct Outcome {
    std::string name;
    Worst worst;
};

template <class Model>
Outcome race_problem(Report& report, const std::string& folder) {
    const substep::OdeProblem& problem = *substep::find_ode_problem(Model::kId);
    const std::vector<Series> all = measure<Model>(problem);
    if (!folder.empty()) {
        const std::filesystem::path base(folder);
        const std::string name = std::string("work_precision_") + Model::kId;
        std::filesystem::create_directories(base / "data");
        write_csv(base / "data" / (name + ".csv"), all);
        report.text(std::string(problem.title) + ": all points are in `docs/data/" + name + ".csv`.");
#ifdef SUBSTEP_BENCH_PLOT
        std::filesystem::create_directories(base / "images");
        draw(base / "images" / (name + ".png"), problem, all);
        report.picture("images/" + name + ".png", std::string(problem.title) + ": error and CPU time");
#endif
    }
    return {std::string(problem.title), compare(all)};
}

template <class... Models>
void race_problems(Report& report, const std::string& folder) {
    std::vector<Outcome> outcomes;
    (outcomes.push_back(race_problem<Models>(report, folder)), ...);
    report.goals();
    for (const auto& [name, worst] : outcomes) {
        if (worst.ratio == 0.0) {
            report.skipped_goal(name, "no other library is installed");
            continue;
        }
        const std::string what =
            name + formatted(", at %.0e: ", worst.error) + worst.our_name + " against " + worst.their_name;
        report.goal(what, formatted("%.1f us", 1e-3 * worst.ours), formatted("%.1f us", 1e-3 * worst.theirs),
                    worst.ratio, kAllowed);
    }
}

} // namespace

void race_work_precision(Report& report, const std::string& folder) {
    report.section("Work and precision");
    report.text(
        "End error relative to 1 + |y| against CPU time, for every solver at all tolerances. The derivative is the "
        "same code on every side, inlined where a library can. Ours are compared with the lower envelope of all "
        "others at errors from 1e-3 to 1e-11, and the worst place counts.");
    race_problems<PleiadesModel, ArenstorfModel, LorenzModel, KeplerModel>(report, folder);
}

} // namespace substep_bench
