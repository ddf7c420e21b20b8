// What a budget still pays for, and the part of it that is kept back.
#include <algorithm>
#include <cstdint>

#include "substep/integrators/integrator_service.h"
#include "tolerances.h"

namespace substep {

// Evaluations of one substep with the dense output that it needs, under the guard or not.
std::int64_t IntegratorService::substep_cost(bool guarded) const noexcept {
    const MethodInfo& info = *info_;
    const bool evaluates_anew = guarded && info.needs == MethodNeeds::Derivative;
    const bool reuses_last = info.first_same_as_last && !projects_ && !evaluates_anew;
    std::int64_t cost = info.stages + (info.first_same_as_last && !reuses_last ? 1 : 0);
    if (finds_on_path_) {
        // Each substep makes its dense output; the derivative at an end is the next one's first stage.
        cost += info.needs == MethodNeeds::Derivative ? info.dense_evaluations : dense_cost();
    }
    if (guarded && (info.adaptive || coarsened_ || settings_.stabilise)) {
        // Looking takes one evaluation, which is a Runge-Kutta method's first stage, and stepping by theta another.
        cost = std::max<std::int64_t>(cost + (info.needs == MethodNeeds::KickDriftSplit ? 1 : 0), 2);
    }
    return cost;
}

// The substeps that the rest of the budget pays for, with the dense output that each one needs, when the first stage of
// the next one is known or not: velocity steps and linearly implicit ones have no stage that an attempt would leave.
std::int64_t IntegratorService::affordable_substeps(std::int64_t spent, bool stage_known) const noexcept {
    if (settings_.budget == 0) {
        return kUnlimited;
    }
    const MethodInfo& info = *info_;
    const bool reuses_last = info.first_same_as_last && !projects_ && !evaluates_anew();
    const bool has_stages = info.needs == MethodNeeds::Derivative || info.needs == MethodNeeds::KickDriftSplit;
    std::int64_t left = settings_.budget - spent;
    if (finds_on_path_) {
        left -= info.needs == MethodNeeds::Derivative && !reuses_last ? 1 : 0;
    }
    left += reuses_last ? (stage_known ? 0 : -1) : (stage_known && has_stages ? 1 : 0);
    return left < 0 ? 0 : left / substep_cost(guarded_);
}

// Evaluations of a budget that only substeps whose length it decides may spend: enough for one, with the guard's look.
std::int64_t IntegratorService::reserve() const noexcept {
    return std::max(std::int64_t{settings_.budget} / kReservedPart, substep_cost(guarded_ || guards_reserve_));
}

// True if the budget pays for theta's evaluation, and for those of the dense output behind it where it is sampled.
bool IntegratorService::pays_for_fallback(const StepReport& report, bool samples) const noexcept {
    const std::int64_t dense = !samples ? 0 : info_->needs == MethodNeeds::Derivative ? 1 : 2;
    return settings_.budget == 0 || report.evaluations + 1 + dense <= settings_.budget;
}

// Evaluations that dense output of one segment may take.
int IntegratorService::dense_cost() const noexcept {
    const MethodInfo& info = *info_;
    const bool end_known = info.first_same_as_last && !projects_ && !evaluates_anew();
    return info.dense_evaluations + (info.needs != MethodNeeds::Derivative ? 2 : end_known ? 0 : 1);
}

} // namespace substep
