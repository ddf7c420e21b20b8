// Every problem with events, with every method that suits it: times of events against their exact values.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "problem_condition.h"
#include "substep/scenes/truth_check.h"
#include "verification.h"

namespace substep {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Errors of an adaptive method may reach this times condition times tolerance.
constexpr double kAllowedMultiple = 100.0;

/// Events are bracketed to 100 ulp of time; these problems' times are below 16. Round-off of 1e5 evaluations adds to
/// it.
constexpr double kTimeWindow = 1e-11;

/// A surface that is only touched at the apex of a throw: an error e of the height displaces its zeros by sqrt(2 e /
/// g), round-off of 5e-12 m by a microsecond.
constexpr double kGravity = 9.81;
constexpr double kGrazingWindow = 1e-6;

/// Substeps of fixed methods, coarse to fine. The first are fewer than the events, which must be found all the same.
constexpr int kSubsteps[] = {16, 128, 1024, 8192};
constexpr double kOrderSlack = 0.35;

struct Found {
    std::vector<double> times;
    double evaluations = 0.0;
    bool reached = false;
};

Found run(const OdeProblem& problem, OdeSystem& system, const IntegratorSettings& settings) {
    IntegratorService service;
    service.configure(system, settings);
    std::vector<double> y = problem.y0;
    const StepReport report = service.advance(system, problem.t0, problem.t1, y);
    Found found;
    found.reached = report.status == StepStatus::ReachedTarget || report.status == StepStatus::EventLocated;
    found.evaluations = static_cast<double>(report.evaluations);
    for (const LocatedEvent& event : service.located_events()) {
        found.times.push_back(event.t);
    }
    return found;
}

// Largest error of a time; infinite if one is missing or too many. A surface that is only touched may go unreported,
// and its zero may be found twice.
double time_error(const OdeProblem& problem, const Found& found, bool touches) {
    if (!found.reached || (!touches && found.times.size() != problem.event_times.size())) {
        return kInfinite;
    }
    double largest = 0.0;
    for (std::size_t i = 0; i < found.times.size(); ++i) {
        const double exact = touches ? problem.event_times[0] : problem.event_times[i];
        largest = std::max(largest, std::fabs(found.times[i] - exact));
    }
    return largest;
}

bool is_suitable(const MethodInfo& method, OdeSystem& system) {
    return method.needs == MethodNeeds::Derivative ||
           (method.needs == MethodNeeds::KickDriftSplit && system.kick_drift_split() != nullptr);
}

CheckTable check_events(const OdeProblem& problem) {
    const auto system = make_ode_system(problem);
    const bool touches = problem.events[0].touched_only;
    const double condition = touches ? 1.0 : event_condition_of(problem);
    CheckTable table;
    char note[160];
    std::snprintf(note, sizeof note, "%.*s: %zu at exact times, condition %.3g; errors of times, in s",
                  static_cast<int>(problem.events[0].text.size()), problem.events[0].text.data(),
                  problem.event_times.size(), condition);
    table.note = note;
    table.columns = {"method", "setting", "values", "error", "measured", "evaluations"};

    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!is_suitable(info, *system)) {
            continue;
        }
        IntegratorSettings settings;
        settings.method = info.name;
        std::vector<double> values, errors, multiples, evaluations;
        bool passed = true;
        if (info.adaptive) {
            const double power = tolerance_power(info);
            // Within the tolerance, or what a touched surface allows.
            for (const double tolerance :
                 info.order >= 2 ? std::vector{1e-4, 1e-6, 1e-8} : std::vector{1e-4, 1e-5, 1e-6}) {
                settings.atol = settings.rtol = tolerance;
                const Found found = run(problem, *system, settings);
                values.push_back(tolerance);
                errors.push_back(time_error(problem, found, touches));
                const double allowance = condition * std::pow(tolerance, power);
                multiples.push_back(errors.back() / allowance);
                evaluations.push_back(found.evaluations);
                const double most = kAllowedMultiple * allowance;
                const double most_of_time = touches ? std::sqrt(2.0 * most / kGravity) : most;
                passed = passed && errors.back() <= std::max(most_of_time, touches ? kGrazingWindow : kTimeWindow);
            }
            table.rows.push_back(
                {{cell(std::string(info.name)),
                  cell(power == 1.0 ? "tolerance" : "tolerance^" + cell(power, "%.2g").text), cell(values, "%.0e"),
                  cell(errors, "%.1e"), cell(multiples, "%.2g"), cell(evaluations, "%.0f")},
                 passed});
            continue;
        }
        // Exact, or converging with the method's order.
        for (const int n : kSubsteps) {
            settings.substeps = n;
            const Found found = run(problem, *system, settings);
            values.push_back(n);
            errors.push_back(time_error(problem, found, touches));
            evaluations.push_back(found.evaluations);
        }
        const std::size_t last = errors.size() - 1;
        const double order = std::log2(errors[last - 1] / errors[last]) / 3.0; // each count is 8 times the last one
        const bool exact = errors[last] <= (touches ? kGrazingWindow : kTimeWindow);
        // An error e in the state displaces the zeros of a surface that is only touched by sqrt(e).
        const double expected = std::min(info.order, info.dense_order) * (touches ? 0.5 : 1.0);
        passed = exact || order >= expected - kOrderSlack;
        Cell measured = cell(order, "order %.2f");
        measured.text = exact ? "exact" : measured.text;
        table.rows.push_back({{cell(std::string(info.name)), cell("substeps"), cell(values, "%.0f"),
                               cell(errors, "%.1e"), measured, cell(evaluations, "%.0f")},
                              passed});
    }
    return table;
}

CheckTable unknown_events(const std::string& id) {
    return {"the reference file has an event problem that is not known here", {"problem"}, {{{cell(id)}, false}}};
}

} // namespace

std::vector<VerifyEntry> event_entries(const Reference& reference) {
    std::vector<VerifyEntry> entries;
    for (const OdeProblem& embedded : ode_problem_list()) {
        // A star ends where its equations do: it is verified with the system that it comes from.
        if (embedded.events.empty() || embedded.id == "white_dwarf") {
            continue;
        }
        OdeProblem problem = embedded;
        const auto found = reference.events.find(std::string(problem.id));
        if (found != reference.events.end()) {
            if (found->second.y0.size() != problem.y0.size()) {
                throw std::invalid_argument("reference file " + reference.path.string() + ": event problem " +
                                            std::string(problem.id) + " must have " +
                                            std::to_string(problem.y0.size()) + " components");
            }
            problem.y0 = found->second.y0;
            problem.event_times = found->second.times;
        }
        entries.push_back({std::string(problem.id), std::string(problem.title),
                           [problem = std::move(problem)] { return check_events(problem); }});
    }
    for (const auto& [id, values] : reference.events) {
        if (find_ode_problem(id) == nullptr) {
            entries.push_back({id, "unknown", [id = id] { return unknown_events(id); }});
        }
    }
    return entries;
}

} // namespace substep
