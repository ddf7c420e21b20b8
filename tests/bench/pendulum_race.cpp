// The pendulum over 10 000 frames to given end errors: the cheapest setting of every solver, then one race.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <benchmark/benchmark.h>

#include "integrator_races.h"
#include "model_solvers.h"
#include "pendulum_model.h"
#include "race.h"

namespace substep_bench {
namespace {

constexpr double kErrors[] = {1e-4, 1e-6, 1e-8}; // rad, rad/s
constexpr int kPerDecade = 12;

double error_of(const Solver& solver, double setting) {
    std::array<double, 2> y = kPendulumStart;
    solver.solve(setting, y);
    const double error = std::fmax(std::fabs(y[0] - kPendulumExact[0]), std::fabs(y[1] - kPendulumExact[1]));
    return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

// The coarsest setting from which on all finer ones have at most this error: one that is good by luck does not count.
// NaN if there is none.
std::vector<double> coarsest_settings(const Solver& solver) {
    std::vector<double> settings, errors;
    for (int i = 2 * kPerDecade; i <= 13 * kPerDecade; ++i) {
        const double power = static_cast<double>(i) / kPerDecade;
        const double setting = solver.adaptive ? std::pow(10.0, -power) : std::floor(1e3 * std::pow(10.0, power / 4));
        settings.push_back(setting);
        errors.push_back(error_of(solver, setting));
    }
    std::vector<double> chosen;
    for (const double wanted : kErrors) {
        double best = std::numeric_limits<double>::quiet_NaN();
        for (std::size_t i = settings.size(); i-- > 0 && errors[i] <= wanted;) {
            best = settings[i];
        }
        chosen.push_back(best);
    }
    return chosen;
}

/// Names and times of the fastest solvers of a kind at one error.
struct Best {
    std::string name = "-";
    double us = std::numeric_limits<double>::infinity();
    void offer(const std::string& candidate, double candidate_us) {
        if (candidate_us < us) {
            name = candidate;
            us = candidate_us;
        }
    }
};

std::string us(double value) { return std::isfinite(value) ? formatted("%.1f us", value) : "-"; }

} // namespace

void race_to_errors(Report& report) {
    const std::vector<Solver> solvers = model_solvers<PendulumModel>();

    // All settings in one race.
    Race race;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> number;
    std::vector<std::vector<double>> settings;
    for (std::size_t s = 0; s < solvers.size(); ++s) {
        settings.push_back(coarsest_settings(solvers[s]));
        for (std::size_t e = 0; e < std::size(kErrors); ++e) {
            if (!std::isnan(settings[s][e])) {
                number[{s, e}] = race.add([&solver = solvers[s], setting = settings[s][e]] {
                    std::array<double, 2> y = kPendulumStart;
                    solver.solve(setting, y);
                    benchmark::DoNotOptimize(y);
                });
            }
        }
    }
    const std::vector<double> times = race.run(15, 0.02);
    const auto time = [&](std::size_t s, std::size_t e) {
        const auto found = number.find({s, e});
        return found == number.end() ? std::numeric_limits<double>::infinity() : 1e-3 * times[found->second];
    };

    report.section("The pendulum to a given error");
    report.text(
        "167 s, error of angle and rate at the end, CPU time with the cheapest setting of each solver (twelve per "
        "decade, errors that are small by luck left out).");
    report.table({"solver", "1e-4", "1e-6", "1e-8"});
    std::map<std::string, std::array<double, 3>> by_name;
    std::array<Best, 3> ours, odeint;
    for (std::size_t s = 0; s < solvers.size(); ++s) {
        std::vector<std::string> cells{solvers[s].name};
        for (std::size_t e = 0; e < std::size(kErrors); ++e) {
            cells.push_back(us(time(s, e)));
            by_name[solvers[s].name][e] = time(s, e);
            if (solvers[s].ours) {
                ours[e].offer(solvers[s].name, time(s, e));
            } else if (solvers[s].name.starts_with("odeint")) {
                odeint[e].offer(solvers[s].name, time(s, e));
            }
        }
        report.row(cells);
    }

    report.goals();
    constexpr double kAgainstOdeint[] = {1.0, 1.05, 1.15};
    for (std::size_t e = 0; e < std::size(kErrors); ++e) {
        const std::string at = formatted(", error %.0e", kErrors[e]);
        const auto dopri5 = by_name.find("odeint dopri5");
        const auto rk8pd = by_name.find("GSL rk8pd");
        if (std::isfinite(odeint[e].us)) {
            report.goal("best of ours against best of odeint" + at, us(ours[e].us), us(odeint[e].us),
                        ours[e].us / odeint[e].us, kAgainstOdeint[e]);
        } else {
            report.skipped_goal("best of ours against best of odeint" + at, "Boost.odeint is not installed");
        }
        if (dopri5 != by_name.end()) {
            const double mine = by_name["substep dormand_prince54"][e];
            report.goal("Dormand-Prince 5(4) against odeint's" + at, us(mine), us(dopri5->second[e]),
                        mine / dopri5->second[e], 0.95);
        } else {
            report.skipped_goal("Dormand-Prince 5(4) against odeint's" + at, "Boost.odeint is not installed");
        }
        if (rk8pd != by_name.end()) {
            report.goal("best of ours against GSL rk8pd" + at, us(ours[e].us), us(rk8pd->second[e]),
                        ours[e].us / rk8pd->second[e], 0.75);
        } else {
            report.skipped_goal("best of ours against GSL rk8pd" + at, "GSL is not installed");
        }
    }
}

} // namespace substep_bench
