// Fixed methods: equal substeps, coarser where the budget does not pay for them, shorter where the manifold is lost.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "state_checks.h"
#include "substep/integrators/integrator_service.h"
#include "substep_messages.h"
#include "tolerances.h"

namespace substep {

// Fixed methods: n equal substeps, at times counted in integers. Events cut a substep in two; the grid stays.
void IntegratorService::run_fixed(OdeSystem& system, double t0, double t1, StepReport& report) {
    if (t1 == t0) {
        return;
    }
    const double length = std::fabs(t1 - t0);
    const bool is_usual = settings_.substeps == 1 && info_->usual_substeps > 0;
    auto n = static_cast<std::int64_t>(is_usual ? info_->usual_substeps : settings_.substeps);
    if (length < std::fabs(report.requested)) { // a stop shortens the interval, not the substeps
        n = static_cast<std::int64_t>(std::ceil(static_cast<double>(n) * (length / std::fabs(report.requested))));
    }
    if (info_->fewest_substeps > 0) { // the method makes them all
        workspace_.substeps = affordable_of_all(static_cast<int>(n), report);
        n = 1;
    }
    coarsened_ = false;
    double grid_begin = t0;
    double h = length / static_cast<double>(n);
    for (std::int64_t i = 0; i < n; ++i) {
        count_work(system, report);
        if (is_interrupted(report)) {
            return;
        }
        if (settings_.budget > 0) {
            // What the budget does not pay for makes the rest of the grid coarser.
            std::int64_t affordable = affordable_substeps(spent(report), next_stage_is_known());
            if (affordable < n - i) {
                coarsened_ = true;
                affordable = affordable_substeps(spent(report), next_stage_is_known());
            }
            affordable = affordable == 0 && pays_for_last_step(report) ? 1 : affordable;
            if (affordable == 0) {
                report.status = StepStatus::BudgetExhausted;
                report.message = kBudgetSpent;
                return;
            }
            if (affordable < n - i) {
                report.degraded = true;
                grid_begin = t_end_;
                n = affordable;
                i = 0;
                h = std::fabs(t1 - grid_begin) / static_cast<double>(n);
            }
        }
        if (is_beyond_bound(system, report)) {
            begin_watched_substep(system);
            report.met_bound = true;
            if (finish_in_one_substep(system, t1, report) && locator_.count() > 0) {
                finish_grid_interval(system, t1, report);
            }
            return;
        }
        const double t_target = i + 1 == n ? t1 : grid_begin + direction_ * (static_cast<double>(i + 1) * h);
        if (!make_fixed_substep(system, t_target, h, report)) {
            return;
        }
        if ((locator_.count() > 0 || remaining_to(t_target) > 0.0) && !finish_grid_interval(system, t_target, report)) {
            return;
        }
    }
    if (!by_fallback_) {
        watch_stability(system, h, report);
    }
}

// The substeps of those that a method makes in one go: as many as the budget has evaluations left, the fewest always.
// They count as one evaluation, and their cost as the model counts its work.
int IntegratorService::affordable_of_all(int wanted, StepReport& report) const noexcept {
    const std::int64_t left = settings_.budget > 0 ? settings_.budget - spent(report) : wanted;
    if (left >= wanted) {
        return wanted;
    }
    report.degraded = true;
    return std::max(info_->fewest_substeps, static_cast<int>(left));
}

// One substep to t_target, of length h; shorter where it meets an event's surface and repeats, leaves the model, or
// leaves the manifold (joints that it cannot close).
bool IntegratorService::make_fixed_substep(OdeSystem& system, double t_target, double h, StepReport& report) {
    Projection* const manifold = manifold_of(system);
    begin_watched_substep(system);
    if ((coarsened_ || settings_.stabilise) && guarded_ && !is_stable(frequency_at_start(system, report), h)) {
        t_end_ = t_target;
        t_carry_ = 0.0;
        return make_fallback_substep(system, h, report);
    }
    for (int attempt = 1;; ++attempt) {
        const StepOutcome outcome = attempt_substep(system, h);
        report.evaluations += outcome.evaluations;
        report.velocity_steps.add(outcome.velocity);
        const bool whole = attempt == 1;
        const double t_end = whole ? t_target : t_begin_ + direction_ * h;
        const bool on_manifold = outcome.ok && project(manifold, t_end, workspace_.y1, report);
        const bool finite = detail::all_finite(workspace_.y1);
        if (finite && on_manifold && throws_far(system)) {
            record_attempt(h, 0.0, false);
            ++report.rejected;
            abandon_substep();
            report.status = StepStatus::BudgetExhausted;
            report.message = kThrowsFar;
            return false;
        }
        if (finite && on_manifold) {
            double h_met = h;
            if (repeats_shorter()) {
                switch (meet_surface(system, h_met, report)) {
                case Meeting::None:
                    if (h_met == h) {
                        break;
                    }
                    if (h_met == 0.0) {
                        abandon_substep();
                        report.status = StepStatus::BudgetExhausted;
                        report.message = "The budget does not pay for finding where an event's surface is.";
                        return false;
                    }
                    [[fallthrough]]; // as near the surface as the budget let it come
                case Meeting::Found:
                    t_end_ = t_begin_ + direction_ * h_met;
                    t_carry_ = 0.0;
                    accept(h_met, 0.0, report);
                    return true;
                case Meeting::Failed:
                    return false;
                }
            }
            t_end_ = t_end;
            t_carry_ = 0.0;
            accept(h, 0.0, report);
            return true;
        }
        record_attempt(h, 0.0, false);
        ++report.rejected;
        // Theta's evaluation, and those of the dense output on which its events are found.
        const std::int64_t by_theta = 1 + (!finds_on_path_ ? 0 : info_->needs == MethodNeeds::Derivative ? 1 : 2);
        if (finite && guarded_ && (settings_.budget == 0 || spent(report) + by_theta <= settings_.budget)) {
            t_end_ = t_end; // what the method's joints cannot follow theta steps over
            t_carry_ = 0.0;
            return make_fallback_substep(system, h, report);
        }
        const bool tiny = h <= kTimeResolution * std::max(std::fabs(t_begin_), std::fabs(t_target));
        const bool affordable = affordable_substeps(spent(report), workspace_.k0_ready) > 0; // as it failed
        const int most = repeats_shorter() ? kMaxHalvings : finite ? kMaxSplits : 0;
        report.unstable = report.unstable || finite;
        report.degraded = report.degraded || finite;
        if (tiny || attempt > most || !affordable) {
            const bool beyond_event = !finite && leads_beyond_event(system, h);
            abandon_substep();
            if (repeats_shorter() && arrived_at_surface(system)) {
                return true;
            }
            if (finite) {
                report.status = affordable ? StepStatus::StepTooSmall : StepStatus::BudgetExhausted;
                report.message = affordable ? kLeavesManifold : kCannotPayForManifold;
            } else {
                report.status = StepStatus::NonFinite;
                report.message = beyond_event ? kNotFiniteBeyondEvent : kNotFinite;
            }
            return false;
        }
        h *= 0.5;
    }
}

// What events, or substeps made again at less than their length, left of the interval up to a point of the grid.
bool IntegratorService::finish_grid_interval(OdeSystem& system, double t_target, StepReport& report) {
    h_standing_ = std::numeric_limits<double>::infinity();
    if (!watch_segment(system, t_target, report)) {
        return false;
    }
    for (;;) {
        if (is_interrupted(report)) {
            return false;
        }
        if (event_is_due(t_target)) {
            if (!fire_event(system, report)) {
                return false;
            }
            continue;
        }
        if (!(remaining_to(t_target) > 0.0)) {
            return true;
        }
        count_work(system, report);
        if (affordable_substeps(spent(report), next_stage_is_known()) == 0) {
            report.status = StepStatus::BudgetExhausted;
            report.message = kBudgetSpent;
            return false;
        }
        if (is_beyond_bound(system, report)) {
            begin_watched_substep(system);
            report.met_bound = true;
            if (!finish_in_one_substep(system, t_target, report) || !watch_segment(system, t_target, report)) {
                return false;
            }
            continue;
        }
        // Where no event cut the last substep it was its length that failed: the rest in no longer ones.
        const double remaining = remaining_to(t_target);
        const double count = std::ceil(remaining / std::fabs(h_segment_) - 1e-9);
        const bool whole = remaining <= h_standing_ && (locator_.count() > 0 || !(count > 1.0 && count < 1e6));
        const double h = whole ? remaining : remaining > h_standing_ ? h_standing_ : remaining / count;
        if (!make_fixed_substep(system, whole ? t_target : t_end_ + direction_ * h, h, report) ||
            !watch_segment(system, t_target, report)) {
            return false;
        }
        h_standing_ *= taken_back_ ? 1.0 : kRegrowth;
    }
}

void IntegratorService::watch_stability(OdeSystem& system, double h, StepReport& report) const noexcept {
    if (!std::isfinite(info_->imaginary_limit)) {
        return; // whatever the frequency
    }
    FrequencyBound* const bound = system.frequency_bound();
    const double known = bound != nullptr ? fastest_rate(*bound) : 0.0;
    const bool asks_stages = bound == nullptr || !bound->knows_all();
    const double omega = std::max(known, asks_stages ? method_->stage_frequency(workspace_, h) : 0.0);
    report.unstable = report.unstable || omega * h > info_->imaginary_limit;
}

} // namespace substep
