// The 161 zeros of the pendulum's angle in 167 s, found by our events and by CVODE's root finding.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "integrator_races.h"
#include "pendulum_model.h"
#include "race.h"
#include "substep/integrators/integrator_service.h"
#include "sundials_events.h"

namespace substep_bench {
namespace {

constexpr double kTolerance = 1e-9;
constexpr double kHalfPeriod = 2.06145603790998415 / 2.0; // s
constexpr std::size_t kZeros = 161;

ZeroFinder our_zero_finder(const char* method) {
    struct Memory {
        PendulumSystem system{true};
        substep::IntegratorService service;
        substep::IntegratorSettings settings;
    };
    const auto memory = std::make_shared<Memory>();
    memory->settings.method = method;
    return [memory](double tolerance, std::span<double> y, std::vector<double>& times) {
        memory->settings.atol = memory->settings.rtol = tolerance;
        memory->service.configure(memory->system, memory->settings);
        memory->service.reset();
        times.clear();
        memory->system.zeros = &times;
        memory->service.advance(memory->system, 0.0, kPendulumEnd, y);
    };
}

} // namespace

void race_events(Report& report) {
    report.section("Events");
    report.text(
        "All zeros of the pendulum's angle in 167 s (there are 161) at tolerance 1e-9; the error is that of the "
        "worst time, which is the trajectory's.");
    struct Entry {
        std::string name;
        ZeroFinder find;
        bool ours;
    };
    std::vector<Entry> entries;
    for (const char* method : {"dormand_prince54", "tsitouras54", "dormand_prince853", "verner87"}) {
        entries.push_back({std::string("substep ") + method, our_zero_finder(method), true});
    }
    if (ZeroFinder cvode = cvode_zero_finder(pendulum_problem())) {
        entries.push_back({"CVODE Adams", cvode, false});
    }

    Race race;
    for (const Entry& entry : entries) {
        race.add([&entry, times = std::vector<double>()]() mutable {
            std::array<double, 2> y = kPendulumStart;
            entry.find(kTolerance, y, times);
        });
    }
    const std::vector<double> ns = race.run(15, 0.02);

    // Time counts only where every zero was found.
    double ours = std::numeric_limits<double>::infinity();
    double cvode = std::numeric_limits<double>::quiet_NaN();
    report.table({"solver", "zeros", "worst error", "time"});
    for (std::size_t i = 0; i < entries.size(); ++i) {
        std::vector<double> times;
        std::array<double, 2> y = kPendulumStart;
        entries[i].find(kTolerance, y, times);
        double worst = 0.0;
        for (std::size_t k = 0; k < times.size(); ++k) {
            worst = std::fmax(worst, std::fabs(times[k] - static_cast<double>(k + 1) * kHalfPeriod));
        }
        report.row({entries[i].name, std::to_string(times.size()), formatted("%.1e s", worst),
                    formatted("%.1f us", 1e-3 * ns[i])});
        if (entries[i].ours && times.size() == kZeros) {
            ours = std::min(ours, ns[i]);
        } else if (!entries[i].ours) {
            cvode = ns[i];
        }
    }
    report.goals();
    if (std::isnan(cvode)) {
        report.skipped_goal("161 events, best of ours against CVODE", "SUNDIALS is not installed");
    } else {
        report.goal("161 events, best of ours against CVODE", formatted("%.1f us", 1e-3 * ours),
                    formatted("%.1f us", 1e-3 * cvode), ours / cvode, 0.2);
    }
}

} // namespace substep_bench
