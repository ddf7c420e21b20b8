// What a budget still pays for, the part of it that is kept back, and the way back from what it left too long.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "substep/integrators/error_norm.h"
#include "substep/integrators/integrator_service.h"
#include "tolerances.h"

namespace substep {

// Evaluations of one substep with the dense output that it needs.
std::int64_t IntegratorService::substep_cost() const noexcept {
    const MethodInfo& info = *info_;
    std::int64_t cost = info.stages + (info.first_same_as_last && !reuses_last() ? 1 : 0);
    if (finds_on_path_) {
        // Each substep makes its dense output; the derivative at an end is the next one's first stage.
        cost += info.needs == MethodNeeds::Derivative ? info.dense_evaluations : dense_cost();
    }
    if (guarded_ && (info.adaptive || coarsened_ || settings_.stabilise)) {
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
    const bool has_stages = info.needs == MethodNeeds::Derivative || info.needs == MethodNeeds::KickDriftSplit;
    std::int64_t left = settings_.budget - spent;
    if (finds_on_path_) {
        left -= info.needs == MethodNeeds::Derivative && !reuses_last() ? 1 : 0;
    }
    left += reuses_last() ? (stage_known ? 0 : -1) : (stage_known && has_stages ? 1 : 0);
    return left < 0 ? 0 : left / substep_cost();
}

// Evaluations of a budget that only substeps whose length it decides may spend; rounded up, so that what needs no more
// than four fifths of a budget is free, and nothing else.
std::int64_t IntegratorService::reserve() const noexcept {
    return (std::int64_t{settings_.budget} + kReservedPart - 1) / kReservedPart;
}

// True if the budget pays for a velocity step but for what contacts have cost beside. One is always made, so that a
// step that they have made expensive comes to its end.
bool IntegratorService::pays_for_last_step(const StepReport& report) const noexcept {
    return info_->needs == MethodNeeds::VelocityStep && report.contact_work > 0 &&
           report.evaluations + info_->stages <= settings_.budget;
}

// True if the budget pays for theta's evaluation, and for those of the dense output behind it where it is sampled.
bool IntegratorService::pays_for_fallback(const StepReport& report, bool samples) const noexcept {
    const std::int64_t dense = !samples ? 0 : info_->needs == MethodNeeds::Derivative ? 1 : 2;
    return settings_.budget == 0 || spent(report) + 1 + dense <= settings_.budget;
}

// Evaluations that dense output of one segment may take.
int IntegratorService::dense_cost() const noexcept {
    const MethodInfo& info = *info_;
    return info.dense_evaluations + (info.needs != MethodNeeds::Derivative ? 2 : reuses_last() ? 0 : 1);
}

// Before the first substep of an advance that the budget overrules. Where a model has events, these may have changed it
// since, so that there is no way back.
void IntegratorService::remember_overruled() noexcept {
    if (locator_.count() == 0 && std::isnan(t_overruled_)) {
        std::ranges::copy(workspace_.y0, as_it_was_.begin());
        t_overruled_ = t_begin_;
    }
}

// True if the error of the attempt just made is larger than the state was before the budget overruled anything.
// Substeps that are a little too long to be stable look good one by one: each has an error of a hundredth of what the
// ones before it made of the state.
bool IntegratorService::has_diverged(OdeSystem& system) const {
    if (std::isnan(t_overruled_)) {
        return false;
    }
    if (ErrorMeasure* const own = system.error_measure()) {
        return own->part_of_state(as_it_was_, as_it_was_, workspace_.error) > 1.0;
    }
    return detail::largest_size(workspace_.error) > settings_.atol + detail::largest_size(as_it_was_);
}

// Where an advance cannot go on behind a substep that the budget overruled, it is that substep which is to blame, not
// the model: back to before it, and on within the tolerance as far as the rest of the budget pays for it.
bool IntegratorService::return_to_overruled(StepReport& report) noexcept {
    const bool failed = report.status == StepStatus::NonFinite || report.status == StepStatus::StepTooSmall;
    if (!failed || std::isnan(t_overruled_)) {
        return false;
    }
    end_segment_at(t_overruled_, as_it_was_);
    history_ = {};
    t_overruled_ = std::numeric_limits<double>::quiet_NaN();
    floor_limit_ = 0.0; // no floor is shorter
    report.status = StepStatus::ReachedTarget;
    report.message = {};
    return true;
}

// Says which budget would have paid for the whole step: as far as this one went tells.
void IntegratorService::say_what_would_pay(StepReport& report) noexcept {
    const double part = std::abs(report.simulated / report.requested);
    if (part > 0.0) {
        std::snprintf(message_.data(), message_.size(),
                      "The budget of %d evaluations does not pay for another substep: the whole step needs about %.0f.",
                      settings_.budget,
                      std::ceil(static_cast<double>(std::max<std::int64_t>(spent(report), 1)) / part));
    } else {
        std::snprintf(message_.data(), message_.size(),
                      "The budget of %d evaluations does not pay for a substep, which needs %lld.", settings_.budget,
                      static_cast<long long>(std::max(substep_cost(), spent(report) + 1)));
    }
    report.message = message_.data();
}

} // namespace substep
