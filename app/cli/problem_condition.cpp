// Condition numbers by perturbing y0.
#include "problem_condition.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace substep {
namespace {

constexpr double kPerturbation = 1e-9; // small enough for Arenstorf's orbit, whose amplification is 1e4
constexpr double kTolerance = 1e-14;
constexpr int kStarts = 16;

// Solves the problem on [t0, t1]. Returns the end state, or the times of its events.
std::vector<double> solve(const OdeProblem& problem, double t0, double t1, std::vector<double> y, bool want_events) {
    const auto system = make_ode_system(problem);
    IntegratorSettings settings;
    settings.method = most_accurate_method().name;
    settings.atol = settings.rtol = kTolerance;
    IntegratorService service;
    service.configure(*system, settings);
    service.advance(*system, t0, t1, y);
    if (!want_events) {
        return y;
    }
    std::vector<double> times;
    for (const LocatedEvent& event : service.located_events()) {
        times.push_back(event.t);
    }
    return times;
}

// Amplification of changes of the state y0 at t0 into the end state, or into the times of events.
double amplification(const OdeProblem& problem, double t0, const std::vector<double>& y0, bool of_events) {
    const std::vector<double> base = solve(problem, t0, problem.t1, y0, of_events);
    std::vector<double> row_sums(base.size(), 0.0);
    for (std::size_t j = 0; j < y0.size(); ++j) {
        std::vector<double> start = y0;
        start[j] += kPerturbation * (1.0 + std::fabs(start[j]));
        const std::vector<double> moved = solve(problem, t0, problem.t1, start, of_events);
        // An event may disappear when the start moves: only those that both have can be compared.
        for (std::size_t i = 0; i < std::min(base.size(), moved.size()); ++i) {
            const double scale = of_events ? 1.0 : 1.0 + std::fabs(base[i]);
            row_sums[i] += std::fabs(moved[i] - base[i]) / scale / kPerturbation;
        }
    }
    return row_sums.empty() ? 0.0 : *std::ranges::max_element(row_sums);
}

} // namespace

double distance(std::span<const double> a, std::span<const double> b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        const double quotient = std::fabs(a[i] - b[i]) / (1.0 + std::fabs(b[i]));
        if (!(quotient <= std::numeric_limits<double>::max())) {
            return std::numeric_limits<double>::infinity();
        }
        largest = std::max(largest, quotient);
    }
    return largest;
}

const MethodInfo& most_accurate_method() {
    const MethodInfo* best = &method_catalogue().front()->info(); // of order 1
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (info.adaptive && info.needs == MethodNeeds::Derivative && info.order > best->order) {
            best = &info;
        }
    }
    return *best;
}

std::vector<double> accurate_state(const OdeProblem& problem, double t) {
    return solve(problem, problem.t0, t, problem.y0, false);
}

Condition condition_of(const OdeProblem& problem) {
    Condition condition;
    condition.of_start = amplification(problem, problem.t0, problem.y0, false);
    double sum = condition.of_start;
    std::vector<double> y = problem.y0;
    double t = problem.t0;
    for (int i = 1; i < kStarts; ++i) {
        const double next = problem.t0 + (problem.t1 - problem.t0) * i / kStarts;
        y = solve(problem, t, next, y, false);
        t = next;
        sum += amplification(problem, t, y, false);
    }
    condition.of_run = std::max(1.0, sum);
    return condition;
}

double event_condition_of(const OdeProblem& problem) {
    return std::max(1.0, amplification(problem, problem.t0, problem.y0, true));
}

} // namespace substep
