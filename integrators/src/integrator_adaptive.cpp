// Adaptive methods: one attempt after the other, within tolerance, budget and interval.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "adaptive_search.h"
#include "state_checks.h"
#include "substep/integrators/integrator_service.h"
#include "substep_messages.h"
#include "tolerances.h"

namespace substep {

void IntegratorService::run_adaptive(OdeSystem& system, double t1, StepReport& report) {
    for (;;) {
        if (event_is_due(t1)) {
            if (!fire_event(system, report)) {
                return;
            }
            continue;
        }
        if (!(remaining_to(t1) > 0.0) || is_interrupted(report)) {
            return;
        }
        const bool is_made = make_substep(system, t1, report);
        if (is_made && locator_.count() > 0 && !watch_segment(system, t1, report)) {
            return;
        }
        if (!is_made && !return_to_overruled(report)) {
            return;
        }
    }
}

// Makes one accepted substep, after as many rejected attempts as it takes. Returns false, with the status set and the
// segment's end where it was, if there is none.
bool IntegratorService::make_substep(OdeSystem& system, double t1, StepReport& report) {
    begin_watched_substep(system);
    // Velocity steps that no length makes agree go on at their own risk where a bound says that time must: a state that
    // one long step has left is not always one from which short ones lead on.
    const auto ends_too_small = [&](const Search& search, const char* sentence) {
        const bool is_paid_for = settings_.budget == 0 || report.evaluations + info_->stages <= settings_.budget;
        return info_->needs == MethodNeeds::VelocityStep && bound_ > 0 && is_paid_for
                   ? finish_in_one_substep(system, t1, report)
                   : give_up(system, search, StepStatus::StepTooSmall, sentence, report);
    };
    for (Search search = begin_search(system, t1, report);; ++search.attempt) {
        count_work(system, report);
        if (is_beyond_bound(system, report) || foresees_bound(system, search, report)) {
            report.met_bound = true;
            return finish_in_one_substep(system, t1, report);
        }
        search.is_free = is_free(search, report);
        if (!search.is_free) {
            look_under_guard(system, search, report);
        }
        const std::int64_t affordable = affordable_substeps(spent(report) - search.looked, workspace_.k0_ready);
        if (affordable == 0) {
            if (pays_for_last_step(report)) {
                return finish_in_one_substep(system, t1, report);
            }
            if (search.attempt > 1 && search.has_theta && can_fall_back(report)) {
                end_segment(search.remaining, t1); // there is no other substep any more
                return make_fallback_substep(system, search.remaining, report);
            }
            return give_up(system, search, StepStatus::BudgetExhausted, kBudgetSpent, report);
        }
        fit_length(search, affordable, report);
        if (!keep_stable(search, affordable)) {
            h_next_ = search.natural;
            end_segment(search.h, t1);
            return make_fallback_substep(system, search.h, report);
        }
        if (search.h < search.remaining && search.h <= search.h_shortest) {
            const bool before_event = is_undefined_beyond_event(system, kNearSurface * search.h_shortest, report);
            return ends_too_small(search, before_event ? kTimeTooCoarseBeforeEvent : kTimeTooCoarse);
        }
        const Trial trial = try_length(system, search, report);
        const Verdict verdict = conclude(system, t1, search, trial, report);
        if (verdict == Verdict::Accepted || verdict == Verdict::Failed) {
            return verdict == Verdict::Accepted;
        }

        // Rejected. A model that is not finite however short the substep has no future to compute.
        ++report.rejected;
        record_attempt(search.h, trial.error, false);
        search.tried_h = search.h;
        search.tried_error = trial.error;
        search.non_finite = trial.finite ? 0 : search.non_finite + 1;
        const int most = repeats_shorter() ? kMaxHalvings : kMaxNonFinite;
        if (!trial.finite &&
            (search.h <= search.h_allowed || search.non_finite == most || !detail::all_finite(workspace_.k(0)))) {
            const bool beyond = leads_beyond_event(system, search.remaining);
            return give_up(system, search, StepStatus::NonFinite, beyond ? kNotFiniteBeyondEvent : kNotFinite, report);
        }
        const bool left_manifold = verdict == Verdict::LeftManifold;
        report.degraded |= left_manifold;
        report.unstable |= left_manifold;
        const bool suits_theta = left_manifold || (verdict == Verdict::Incredible && search.has_theta);
        if (suits_theta && can_fall_back(report)) {
            end_segment(search.h, t1); // theta steps over what the joints, or the method at this length, cannot follow
            return make_fallback_substep(system, search.h, report);
        }
        if (left_manifold) {
            // No error that may be overruled: it is made again at half the length, and of what remains the next ones.
            if (++search.splits > kMaxSplits) {
                return give_up(system, search, StepStatus::StepTooSmall, kLeavesManifold, report);
            }
            search.natural = search.off_manifold = 0.5 * search.h;
        } else if (search.attempt == kMaxAttempts) {
            return ends_too_small(search, "No substep is short enough for the tolerance.");
        } else {
            search.natural = trial.judged.accepted ? 0.2 * search.h : std::min(search.natural, trial.judged.h_next);
            if (verdict == Verdict::Incredible) {
                floor_limit_ = search.h; // what the controller wants is tried instead
            }
        }
        h_next_ = search.natural;
    }
}

// What a convex step that has not converged differs by from its halves is what its solver left, of which a shorter one
// has no less: it goes on at the length that it had, and says that it is degraded.
bool IntegratorService::tells_no_error(const StepOutcome& outcome) const noexcept {
    return info_->velocity_step == VelocityStepKind::ConvexStep && !outcome.velocity.converged;
}

// Makes the attempt, and measures its error; what is not finite is an error beyond any tolerance.
IntegratorService::Trial IntegratorService::try_length(OdeSystem& system, const Search& search, StepReport& report) {
    Trial trial;
    trial.outcome = attempt_substep(system, search.h);
    report.evaluations += trial.outcome.evaluations;
    if (trial.outcome.ok && detail::all_finite(workspace_.y1)) {
        trial.error = measure_error(system, direction_ * search.h);
    }
    trial.finite = std::isfinite(trial.error); // a NaN in a stage that only the estimate weighs counts too
    trial.judged = controller_.judge(trial.error, search.h, search.attempt > 1, history_);
    if (tells_no_error(trial.outcome) && trial.finite) {
        trial.judged = {.accepted = true, .h_next = search.h};
    }
    const std::int64_t left = affordable_substeps(spent(report) - search.looked, true);
    const double next_floor =
        left > 0 ? search.remaining / static_cast<double>(left) : std::numeric_limits<double>::max();
    // A free attempt that fails, so that the controller cannot arrive before the reserve any more, is as good as one at
    // the floor; but where theta may do better than a large error, it does.
    const auto before_reserve = [&] { return affordable_substeps(spent(report) - search.looked + reserve(), true); };
    const bool stays_free =
        search.is_free && (settings_.budget == 0 || detail::may_arrive(settings_.controller, trial.judged.h_next, true,
                                                                       search.remaining, before_reserve()));
    const bool beats_theta = !search.is_free || !search.has_theta ||
                             trial.error <= detail::error_growth(kLongestStretch, info_->error_order);
    const bool is_behind_floor =
        !stays_free && beats_theta && !search.stretches && next_floor >= search.h && next_floor < floor_limit_;
    // What is left of a budget that has brought the state nowhere goes into one substep, if that can be believed.
    const bool must_move = left == 0 && report.accepted == 0 && !search.has_theta;
    trial.is_last_chance = search.at_floor || is_behind_floor || must_move;
    return trial;
}

// Accepts an attempt that is within the tolerance, or could not be made shorter, and is on the manifold. What a budget
// would have overruled although nothing of it is left to believe is not.
IntegratorService::Verdict IntegratorService::conclude(OdeSystem& system, double t1, const Search& search,
                                                       const Trial& trial, StepReport& report) {
    const bool may_overrule =
        !trial.judged.accepted && (trial.is_last_chance || (search.stretches && trial.error <= search.most));
    if (may_overrule && search.h > search.h_allowed && !(trial.finite && is_credible(system))) {
        return Verdict::Incredible;
    }
    const bool overruled = may_overrule && trial.finite;
    if (overruled && has_diverged(system)) {
        abandon_substep();
        report.status = StepStatus::StepTooSmall;
        return Verdict::Failed;
    }
    if (!trial.judged.accepted && !overruled) {
        return Verdict::Rejected;
    }
    const bool on_manifold = project(manifold_of(system), t_begin_ + direction_ * search.h, workspace_.y1, report);
    if (!detail::all_finite(workspace_.y1)) {
        return Verdict::Rejected;
    }
    if (!on_manifold) {
        return trial.is_last_chance ? Verdict::LeftManifold : Verdict::Rejected;
    }
    double h_made = search.h;
    if (repeats_shorter() && meet_surface(system, h_made, report) == Meeting::Failed) {
        return Verdict::Failed;
    }
    const bool shortened = search.h < kShortened * search.natural;
    h_next_ = trial.judged.h_next;
    if (trial.judged.accepted && shortened) {
        h_next_ = std::max(h_next_, search.natural); // the interval's end shortened it, not the error
    } else if (!tells_no_error(trial.outcome)) {
        history_ = {trial.error, search.h};
    }
    if (overruled) {
        if (search.h > search.h_allowed) {
            remember_overruled();
        }
        report.degraded = true;
        watch_stability(system, search.h, report);
    }
    report.accepted_after_retry += search.attempt > 1 ? 1 : 0;
    report.achieved_tolerance = std::max(report.achieved_tolerance, trial.error * settings_.rtol);

    end_segment(h_made, t1);
    accept(h_made, trial.error, report);
    report.velocity_steps.add(trial.outcome.velocity);
    return Verdict::Accepted;
}

// Ends a search that found no substep. Returns true if that is where an event's surface is met, else false with the
// status set.
bool IntegratorService::give_up(OdeSystem& system, const Search& search, StepStatus status, const char* sentence,
                                StepReport& report) {
    abandon_substep();
    if (status != StepStatus::BudgetExhausted) {
        h_next_ = 0.0; // a length that collapsed is no first guess for what comes next
    }
    const bool may_have_arrived = status != StepStatus::BudgetExhausted || search.non_finite > 0;
    if (repeats_shorter() && may_have_arrived && arrived_at_surface(system)) {
        return true;
    }
    report.status = status;
    report.message = sentence;
    return false;
}

// The end of a segment of length h: the end of the interval itself, or a sum that keeps what rounding takes away
// (Kahan).
void IntegratorService::end_segment(double h, double t1) noexcept {
    const double remaining = remaining_to(t1);
    if (h == remaining || h == remaining_to(settings_.t_stop)) {
        t_end_ = h == remaining ? t1 : settings_.t_stop;
        t_carry_ = 0.0;
    } else {
        const double step = direction_ * h;
        t_end_ = t_begin_ + (step + t_carry_);
        t_carry_ = (step + t_carry_) - (t_end_ - t_begin_);
    }
}

double IntegratorService::measure(OdeSystem& system, std::span<const double> error, double h) const {
    if (ErrorMeasure* const own = system.error_measure()) {
        return own->measure(workspace_.y0, error, settings_.atol, settings_.rtol);
    }
    return error_norm(settings_.norm, error, workspace_.y0, workspace_.y1, workspace_.k(0), h, settings_.atol,
                      settings_.rtol);
}

namespace {

// E^2 / sqrt(E^2 + 0.01 C^2): Hairer, Norsett & Wanner I, II.5, (5.23).
double combined(double fine, double coarse) {
    const double both = std::sqrt(fine * fine + 0.01 * coarse * coarse);
    return both > 0.0 ? fine * (fine / both) : both;
}

} // namespace

double IntegratorService::measure_error(OdeSystem& system, double h) const {
    const double fine = measure(system, workspace_.error, h);
    return info_->two_estimates ? combined(fine, measure(system, workspace_.coarse_error, h)) : fine;
}

// True if the error of the attempt just made is no larger than the state itself: more than that is no state at all.
bool IntegratorService::is_credible(OdeSystem& system) const {
    const auto part_of_state = [&](std::span<const double> error) {
        ErrorMeasure* const own = system.error_measure();
        return own != nullptr ? own->part_of_state(workspace_.y0, workspace_.y1, error)
                              : detail::part_of_state(workspace_.y0, workspace_.y1, error, settings_.atol);
    };
    const double fine = part_of_state(workspace_.error);
    return (info_->two_estimates ? combined(fine, part_of_state(workspace_.coarse_error)) : fine) <= 1.0;
}

} // namespace substep
