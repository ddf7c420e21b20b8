// Every initial value problem with every method that suits it: errors against tolerances, and orders of convergence.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "problem_condition.h"
#include "substep/scenes/truth_check.h"
#include "verification.h"

namespace substep {
namespace {

/// Errors of adaptive methods may reach this times condition times tolerance.
constexpr double kAllowedMultiple = 100.0;

/// Fixed substeps are doubled until this many doublings in a row show the method's order, less the slack, at errors
/// that are small. A method that is too poor for that on the whole interval shows it on the first quarter, or the first
/// quarter of that, and so on.
constexpr std::size_t kDoublings = 3;
constexpr double kOrderSlack = 0.3;
constexpr double kSmall = 1e-3;
constexpr int kFewestSubsteps = 32;
constexpr int kMostSubsteps = 1 << 17;
constexpr int kSmallestPart = 1024;

/// Errors below this times the amplification of the run are round-off.
constexpr double kRoundOff = 1e-13;

struct Run {
    double error = std::numeric_limits<double>::infinity();
    double evaluations = 0.0;
};

Run run(const OdeProblem& problem, OdeSystem& system, const IntegratorSettings& settings) {
    IntegratorService service;
    service.configure(system, settings);
    std::vector<double> y = problem.y0;
    const StepReport report = service.advance(system, problem.t0, problem.t1, y);
    if (report.status != StepStatus::ReachedTarget) {
        return {};
    }
    return {distance(y, problem.y1), static_cast<double>(report.evaluations)};
}

/// Tolerances at which a method is tried: tighter ones cost a first-order estimate millions of evaluations.
std::vector<double> tolerances_for(const MethodInfo& method) {
    if (method.order >= 4) {
        return {1e-4, 1e-6, 1e-8, 1e-10};
    }
    return method.order >= 2 ? std::vector{1e-4, 1e-5, 1e-6, 1e-7} : std::vector{1e-3, 1e-4, 1e-5, 1e-6};
}

// The error may not exceed kAllowedMultiple times condition times tolerance, or its power for methods that propagate
// the result whose error they estimate.
CheckRow check_adaptive(const OdeProblem& problem, OdeSystem& system, const MethodInfo& method, double condition) {
    const std::vector<double> tolerances = tolerances_for(method);
    const double power = tolerance_power(method);
    std::vector<double> errors, multiples, evaluations;
    bool passed = true;
    for (const double tolerance : tolerances) {
        IntegratorSettings settings;
        settings.method = method.name;
        settings.atol = settings.rtol = tolerance;
        const Run result = run(problem, system, settings);
        errors.push_back(result.error);
        multiples.push_back(result.error / (condition * std::pow(tolerance, power)));
        evaluations.push_back(result.evaluations);
        passed = passed && multiples.back() <= kAllowedMultiple;
    }
    return {{cell(std::string(method.name)), cell(power == 1.0 ? "tolerance" : "tolerance^" + cell(power, "%.2g").text),
             cell(tolerances, "%.0e"), cell(errors, "%.1e"), cell(multiples, "%.2g"), cell(evaluations, "%.0f")},
            passed};
}

/// What fixed substeps did on one interval.
struct Convergence {
    std::vector<double> counts, errors, evaluations;
    double order = std::numeric_limits<double>::quiet_NaN(); ///< over the last doublings
    bool round_off = false;                                  ///< the last error is nothing else
    bool shown = false;                                      ///< the order is the method's
};

Convergence converge(const OdeProblem& problem, OdeSystem& system, const MethodInfo& method, double condition) {
    Convergence result;
    IntegratorSettings settings;
    settings.method = method.name;
    for (int n = kFewestSubsteps; n <= kMostSubsteps && !result.shown && !result.round_off; n *= 2) {
        settings.substeps = n;
        const Run last = run(problem, system, settings);
        result.counts.push_back(n);
        result.errors.push_back(last.error);
        result.evaluations.push_back(last.evaluations);
        if (result.errors.size() > kDoublings) {
            const double before = result.errors[result.errors.size() - 1 - kDoublings];
            result.order = std::log2(before / last.error) / static_cast<double>(kDoublings);
            result.shown = last.error <= kSmall && result.order >= method.order - kOrderSlack;
        }
        result.round_off = last.error <= kRoundOff * condition;
    }
    return result;
}

// A method shows its order, or makes no error but round-off.
CheckRow check_fixed(const OdeProblem& problem, OdeSystem& system, const MethodInfo& method, double condition) {
    Convergence result = converge(problem, system, method, condition);
    int part = 1;
    while (!result.shown && !result.round_off && part < kSmallestPart) {
        part *= 4;
        OdeProblem shorter = problem;
        shorter.t1 = problem.t0 + (problem.t1 - problem.t0) / part;
        shorter.y1 = accurate_state(problem, shorter.t1);
        result = converge(shorter, system, method, 1.0);
    }

    const auto tail = [](const std::vector<double>& values) {
        const std::size_t kept = std::min(values.size(), kDoublings + 1);
        return std::vector<double>(values.end() - static_cast<std::ptrdiff_t>(kept), values.end());
    };
    Cell measured = cell(result.order, "order %.2f");
    measured.text = result.shown ? measured.text + " of " + std::to_string(method.order) : "round-off";
    if (part > 1) {
        measured.text += ", first 1/" + std::to_string(part);
    }
    return {{cell(std::string(method.name)), cell("substeps"), cell(tail(result.counts), "%.0f"),
             cell(tail(result.errors), "%.1e"), measured, cell(tail(result.evaluations), "%.0f")},
            result.shown || result.round_off};
}

bool is_suitable(const MethodInfo& method, OdeSystem& system) {
    switch (method.needs) {
    case MethodNeeds::Derivative:
        return true;
    case MethodNeeds::KickDriftSplit:
        return system.kick_drift_split() != nullptr;
    case MethodNeeds::VelocityStep:
        return system.velocity_step() != nullptr;
    case MethodNeeds::LinearlyImplicitStep:
        return system.linearly_implicit_step() != nullptr;
    }
    return false;
}

CheckTable check_problem(const OdeProblem& problem) {
    const auto system = make_ode_system(problem);
    const Condition condition = condition_of(problem);
    CheckTable table;
    char note[200];
    std::snprintf(
        note, sizeof note,
        "condition %.3g (a change of y0 alone grows %.3g times); errors relative to 1 + |y|, at most 100 times "
        "condition x tolerance",
        condition.of_run, condition.of_start);
    table.note = note;
    table.columns = {"method", "setting", "values", "error", "measured", "evaluations"};
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (is_suitable(info, *system)) {
            table.rows.push_back(info.adaptive ? check_adaptive(problem, *system, info, condition.of_run)
                                               : check_fixed(problem, *system, info, condition.of_run));
        }
    }
    return table;
}

CheckTable unknown_problem(const std::string& id) {
    return {"the reference file has a problem that is not known here", {"problem"}, {{{cell(id)}, false}}};
}

} // namespace

std::vector<VerifyEntry> problem_entries(const Reference& reference) {
    std::vector<VerifyEntry> entries;
    for (const OdeProblem& embedded : ode_problem_list()) {
        if (embedded.y1.empty() || !embedded.events.empty()) {
            continue;
        }
        OdeProblem problem = embedded;
        const auto found = reference.problems.find(std::string(problem.id));
        if (found != reference.problems.end()) {
            if (found->second.y0.size() != problem.y0.size()) {
                throw std::invalid_argument("reference file " + reference.path.string() + ": problem " +
                                            std::string(problem.id) + " must have " +
                                            std::to_string(problem.y0.size()) + " components");
            }
            problem.t0 = found->second.t0;
            problem.t1 = found->second.t1;
            problem.y0 = found->second.y0;
            problem.y1 = found->second.y1;
        }
        entries.push_back({std::string(problem.id), std::string(problem.title),
                           [problem = std::move(problem)] { return check_problem(problem); }});
    }
    for (const auto& [id, values] : reference.problems) {
        if (find_ode_problem(id) == nullptr) {
            entries.push_back({id, "unknown", [id = id] { return unknown_problem(id); }});
        }
    }
    return entries;
}

} // namespace substep
