// The bound on what one advance costs: when it is met, and what becomes of the rest of the interval.
#include <algorithm>
#include <cstdint>

#include "adaptive_search.h"
#include "state_checks.h"
#include "substep/integrators/error_norm.h"
#include "substep/integrators/integrator_service.h"
#include "substep/integrators/work_of_bound.h"
#include "substep_messages.h"
#include "tolerances.h"

namespace substep {

// What an advance may still cost within its bound, in evaluations.
std::int64_t IntegratorService::left_of_bound(const OdeSystem& system, const StepReport& report) const noexcept {
    const std::int64_t inner = system.inner_work_count() - inner_at_begin_;
    return bound_ > 0 ? bound_ - report.evaluations - (report.contact_work + inner) / kWorkOfBound : kUnlimited;
}

// True if another attempt, with the dense output behind it, may pass the bound.
bool IntegratorService::is_beyond_bound(const OdeSystem& system, const StepReport& report) const noexcept {
    return info_->stages + dense_cost() > left_of_bound(system, report);
}

// How far a look for events may go: what is left of budget and bound, whichever is less. Behind the bound, a substep
// that finishes the interval may cost a part of it again.
WorkLimit IntegratorService::work_limit(const OdeSystem& system, const StepReport& report) const noexcept {
    if (settings_.budget == 0 && bound_ == 0) {
        return {};
    }
    const auto least = [&](std::int64_t most, std::int64_t counted, std::int64_t part) {
        return most > 0 ? counted + part * std::max<std::int64_t>(most - report.evaluations, 0) : kUnlimited;
    };
    WorkLimit limit{&system, least(settings_.budget, work_at_begin_, 1),
                    least(bound_, work_at_begin_ + inner_at_begin_, kWorkOfBound)};
    if (finishing_ > 0 && bound_ > 0) {
        const std::int64_t now = system.work_count() + system.inner_work_count();
        limit.most_in_all = std::max(limit.most_in_all, now + kWorkOfBound * (bound_ / kPartOfFinishing));
    }
    return limit;
}

// Ends an advance whose look for events has spent what was left: what begins where the look began is seen by whoever
// goes on from there.
bool IntegratorService::give_up_scan(OdeSystem& system, StepReport& report) {
    count_work(system, report);
    locator_.set_watch(locator_.watch_at_begin());
    settings_changed_ = true; // the next advance begins to watch anew
    report.met_bound = report.met_bound || left_of_bound(system, report) <= 0;
    report.status = StepStatus::BudgetExhausted;
    report.message = report.met_bound ? kBoundMet : kBudgetSpent;
    return false;
}

// Where the method is to be stable at any cost, theta is taken as soon as it is clear that the bound will be met: once
// h has found its length, stability is what holds it down, and the rest of the interval needs more than what is left.
bool IntegratorService::foresees_bound(OdeSystem& system, const Search& search,
                                       const StepReport& report) const noexcept {
    if (bound_ == 0 || !settings_.stabilise || settings_.budget > 0 || attempt_count_ < kForesight ||
        search.attempt > 1 || finisher(system) == nullptr || !(search.omega > 0.0)) {
        return false;
    }
    const double h = attempts_[(attempt_count_ - 1) % attempts_.size()].h;
    const double per_substep = info_->imaginary_limit / search.omega; // s
    const double needed = search.remaining / per_substep * info_->stages;
    return h > kHeldByStability * per_substep &&
           needed > kSurelyBeyond * static_cast<double>(left_of_bound(system, report));
}

// What may make the rest of an interval in one substep without going to pieces: theta, which is stable where the model
// knows what is stiff in it, or a velocity step. Null where there is none.
const IntegrationMethod* IntegratorService::finisher(OdeSystem& system) const noexcept {
    if (info_->needs == MethodNeeds::VelocityStep || info_->needs == MethodNeeds::LinearlyImplicitStep) {
        return method_;
    }
    const bool has_theta = system.linearly_implicit_step() != nullptr && direction_ > 0.0 && !repeats_shorter();
    return has_theta ? fallback_ : nullptr;
}

// Makes the rest of the interval in one substep that no tolerance judges, if the state stays of its size; else ends the
// advance where it stands, and returns false. The substep has begun.
bool IntegratorService::finish_in_one_substep(OdeSystem& system, double t1, StepReport& report) {
    report.degraded = true;
    const IntegrationMethod* const method = finishing_ < kMostFinishing ? finisher(system) : nullptr;
    if (method != nullptr) {
        ++finishing_;
        const double h = remaining_to(t1);
        const StepOutcome outcome = method->step(system, t_begin_, short_of_stop(h), workspace_);
        report.evaluations += outcome.evaluations;
        report.velocity_steps.add(outcome.velocity);
        const bool is_theta = method == fallback_;
        Projection* const manifold = is_theta ? system.projection() : manifold_of(system);
        if (outcome.ok && detail::all_finite(workspace_.y1) && project(manifold, t1, workspace_.y1, report) &&
            detail::all_finite(workspace_.y1) && is_near(system)) {
            end_segment(h, t1);
            accept(h, 0.0, report);
            if (is_theta) {
                know_first_stage();
            }
            by_fallback_ = is_theta;
            fsal_ready_ = false;
            report.fallback_substeps += is_theta && info_ != &method->info() ? 1 : 0;
            report.order = std::min(report.order, method->info().order);
            report.message = report.met_bound ? kFinishedBeyondBound : kFinishedInOne;
            return true;
        }
        record_attempt(h, 0.0, false);
        ++report.rejected;
    }
    abandon_substep();
    report.status = StepStatus::BudgetExhausted;
    report.message = report.met_bound ? kBoundMet : kBudgetSpent;
    return false;
}

// Theta that a choice fell back on without a budget, as `auto` does behind a bound, is no better than others where a
// force does not tell how stiff it is: then nothing moves, instead of away.
bool IntegratorService::throws_far(OdeSystem& system) {
    const bool is_cautious =
        bound_ > 0 && settings_.stabilise && settings_.budget == 0 && info_->needs == MethodNeeds::LinearlyImplicitStep;
    return is_cautious && !is_near(system);
}

// True if the attempt just made has not thrown the state far away from where it was.
bool IntegratorService::is_near(OdeSystem& system) {
    for (std::size_t i = 0; i < workspace_.size(); ++i) {
        workspace_.error[i] = workspace_.y1[i] - workspace_.y0[i];
    }
    ErrorMeasure* const own = system.error_measure();
    const double part = own != nullptr
                            ? own->part_of_state(workspace_.y0, workspace_.y0, workspace_.error)
                            : detail::part_of_state(workspace_.y0, workspace_.y0, workspace_.error, settings_.atol);
    return part <= kMostChange;
}

} // namespace substep
