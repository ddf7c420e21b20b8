// Settings: their validation, the presets, and what a report says.
#include "integrator_settings.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "substep/integrators/pile_methods.h"
#include "substep/integrators/unknown_name.h"

namespace substep {

namespace {

/// Throws one sentence naming value and allowed range unless `ok`.
template <class Value>
void require(bool ok, const char* name, const Value& value, const char* range) {
    if (!ok) {
        std::ostringstream message;
        message << name << " is " << value << "; it must be " << range << ".";
        throw std::invalid_argument(message.str());
    }
}

bool is_positive(double x) { return std::isfinite(x) && x > 0.0; }

} // namespace

namespace detail {

std::string_view name_or_default(std::string_view method) noexcept { return method.empty() ? kDefaultMethod : method; }

const IntegrationMethod& checked_method(const IntegratorSettings& settings) {
    const IntegrationMethod* const method = integration_method(name_or_default(settings.method));
    if (method == nullptr) {
        if (settings.method == kAutoMethod) {
            throw std::invalid_argument(
                "The method is \"auto\", by which only a World chooses; it must be one by name.");
        }
        std::vector<std::string_view> names;
        for (const auto rows : {method_catalogue(), pile_method_catalogue()}) {
            for (const auto* row : rows) {
                names.push_back(row->info().name);
            }
        }
        throw std::invalid_argument("There is an " + unknown_name("method", settings.method, names) + '.');
    }
    require(settings.substeps >= 1 && settings.substeps <= 1000000, "substeps", settings.substeps, "from 1 to 1000000");
    if (const MethodInfo& info = method->info();
        info.fewest_substeps > 0 && settings.substeps != 1 &&
        (settings.substeps < info.fewest_substeps || settings.substeps > info.most_substeps)) {
        // The words are put together for a refusal only: islands are configured while a world advances.
        const std::string range = "for " + std::string(info.name) + " from " + std::to_string(info.fewest_substeps) +
                                  " to " + std::to_string(info.most_substeps) + " (1 stands for " +
                                  std::to_string(info.usual_substeps) + ")";
        require(false, "substeps", settings.substeps, range.c_str());
    }
    require(is_positive(settings.atol), "atol", settings.atol, "positive and finite");
    require(is_positive(settings.rtol), "rtol", settings.rtol, "positive and finite");
    require(std::isfinite(settings.h_min) && settings.h_min >= 0.0, "h_min", settings.h_min,
            "zero or positive, in seconds");
    require(settings.h_max > 0.0 && settings.h_max >= settings.h_min, "h_max", settings.h_max,
            "positive and not below h_min, in seconds");
    require(std::isfinite(settings.h_initial) && settings.h_initial >= 0.0, "h_initial", settings.h_initial,
            "zero (chosen by the service) or positive, in seconds");
    require(!std::isnan(settings.t_stop), "t_stop", settings.t_stop, "a time in seconds, or infinite");
    require(settings.theta >= 0.5 && settings.theta <= 1.0, "theta", settings.theta, "from 0.5 to 1");
    require(settings.boundary == Boundary::Exact || settings.boundary == Boundary::RunAhead, "boundary",
            static_cast<int>(settings.boundary), "Exact or RunAhead");
    require(settings.budget >= 0, "budget", settings.budget, "zero (no limit) or a number of evaluations");
    return *method;
}

void require_capability(OdeSystem& system, const MethodInfo& info) {
    const auto refuse = [&](const char* capability) {
        throw std::invalid_argument(std::string(info.name) + " needs a system with " + capability +
                                    ", which this system does not offer.");
    };
    if (info.needs == MethodNeeds::KickDriftSplit && system.kick_drift_split() == nullptr) {
        refuse("a kick/drift split");
    }
    if (info.needs == MethodNeeds::VelocityStep && system.velocity_step() == nullptr) {
        refuse("a velocity step");
    }
    if (info.needs == MethodNeeds::LinearlyImplicitStep && system.linearly_implicit_step() == nullptr) {
        refuse("a linearly implicit step");
    }
}

} // namespace detail

void validate(const IntegratorSettings& settings) {
    const IntegrationMethod& method = detail::checked_method(settings);
    (void)StepController(settings.controller, method.info());
}

IntegratorSettings nr_settings(double eps, double h_initial) {
    IntegratorSettings settings;
    settings.method = "cash_karp54";
    settings.atol = eps;
    settings.rtol = eps;
    settings.h_initial = h_initial;
    settings.norm = ErrorNorm::StepScaled;
    settings.controller = {
        .safety = 0.9,
        .shrink_limit = 0.1,
        .growth_limit = 5.0,
        .keep_from = 1.0,
        .keep_to = 1.0,
        .retry_root = 4,
        .next_root = 5,
        .grow_after_rejection = true,
        .clip_last = true,
    };
    return settings;
}

IntegratorSettings simbody_settings(double accuracy, double h_initial) {
    IntegratorSettings settings;
    settings.method = "symplectic_euler_doubling";
    settings.atol = accuracy;
    settings.rtol = accuracy;
    settings.h_initial = h_initial;
    settings.controller = {
        .safety = 0.9,
        .shrink_limit = 0.1,
        .growth_limit = 5.0,
        .keep_from = 0.9, // an accepted error never wants less
        .keep_to = 1.2,
        .grow_after_rejection = true,
        .clip_last = true,
    };
    return settings;
}

IntegratorSettings medium_settings(std::string_view method, double tolerance, double interval) {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = tolerance;
    settings.rtol = tolerance;
    settings.h_initial = 0.1 * interval;
    settings.h_min = 0.001 * interval;
    settings.norm = ErrorNorm::PerUnitStep;
    const IntegrationMethod* const row = detail::integration_method(method);
    const int root = row != nullptr ? row->info().error_order : 0; // error / h is of order h^q
    settings.controller = {
        .safety = 0.9,
        .shrink_limit = 0.1,
        .growth_limit = 10.0,
        .keep_from = 1.0,
        .keep_to = 1.0,
        .retry_root = root,
        .next_root = root,
        .grow_after_rejection = true,
        .clip_last = true,
    };
    return settings;
}

IntegratorSettings garcia_settings(double error, double h_initial) {
    IntegratorSettings settings;
    settings.method = "rk4_doubling";
    // Its estimate is a fifteenth of the difference that the original compares. The absolute part is there only so that
    // a component may pass through zero.
    settings.rtol = error / 15.0;
    settings.atol = 1e-30;
    settings.h_initial = h_initial;
    settings.controller = {
        .safety = 0.9,
        .shrink_limit = 0.25,
        .growth_limit = 4.0,
        .keep_from = 1.0,
        .keep_to = 1.0,
        .grow_after_rejection = true,
        .clip_last = true,
    };
    return settings;
}

bool succeeded(StepStatus status) noexcept { return status <= StepStatus::ReachedStop; }

std::string_view to_string(StepStatus status) noexcept {
    switch (status) {
    case StepStatus::ReachedTarget:
        return "reached_target";
    case StepStatus::EventLocated:
        return "event_located";
    case StepStatus::ReachedStop:
        return "reached_stop";
    case StepStatus::BudgetExhausted:
        return "budget_exhausted";
    case StepStatus::StepTooSmall:
        return "step_too_small";
    case StepStatus::NonFinite:
        return "non_finite";
    case StepStatus::ModelThrew:
        return "model_threw";
    case StepStatus::InvalidInput:
        return "invalid_input";
    case StepStatus::Interrupted:
        return "interrupted";
    }
    return "unknown";
}

std::string_view to_string(Boundary boundary) noexcept { return boundary == Boundary::Exact ? "exact" : "runahead"; }

void StepReport::merge(const StepReport& other) noexcept {
    // The statuses are declared from best to worst.
    if (other.status > status) {
        status = other.status;
        message = other.message;
    } else if (message.empty()) {
        message = other.message;
    }
    message = message.empty() ? other.message : message;
    fallback_substeps += other.fallback_substeps;
    if (method.empty()) {
        method = other.method;
        reason = other.reason;
    } else if (!other.method.empty() && other.method != method) {
        method = "several";
    }
    events += other.events;
    accepted += other.accepted;
    accepted_after_retry += other.accepted_after_retry;
    rejected += other.rejected;
    evaluations += other.evaluations;
    contact_work += other.contact_work;
    sampling_evaluations += other.sampling_evaluations;
    projections += other.projections;
    if (other.accepted > 0) {
        h_smallest = h_smallest > 0.0 ? std::min(h_smallest, other.h_smallest) : other.h_smallest;
        h_largest = std::max(h_largest, other.h_largest);
    }
    achieved_tolerance = std::max(achieved_tolerance, other.achieved_tolerance);
    order = order > 0 && other.order > 0 ? std::min(order, other.order) : std::max(order, other.order);
    degraded = degraded || other.degraded;
    met_bound = met_bound || other.met_bound;
    unstable = unstable || other.unstable;
    restarted = restarted || other.restarted;
    boundary = std::min(boundary, other.boundary);
    velocity_steps.merge(other.velocity_steps);
}

void VelocityStepsReport::merge(const VelocityStepsReport& other) noexcept {
    iterations += other.iterations;
    unconverged += other.unconverged;
    residual = std::max(residual, other.residual);
    deepest_penetration = std::max(deepest_penetration, other.deepest_penetration);
    contacts += other.contacts;
    fresh_contacts += other.fresh_contacts;
}

void VelocityStepsReport::add(const VelocityStepResult& step) noexcept {
    iterations += step.iterations;
    unconverged += step.converged ? 0 : 1;
    residual = std::max(residual, step.residual);
    deepest_penetration = std::max(deepest_penetration, step.deepest);
    contacts = std::max(contacts, step.contacts);
    fresh_contacts += step.fresh_contacts;
}

} // namespace substep
