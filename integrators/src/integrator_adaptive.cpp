// Adaptive methods: one attempt after the other, within tolerance, budget and interval.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "state_checks.h"
#include "substep/integrators/integrator_service.h"
#include "substep/numerics/elementary_functions.h"
#include "substep_messages.h"
#include "tolerances.h"

namespace substep {

void IntegratorService::run_adaptive(OdeSystem& system, double t1, StepReport& report) {
    for (;;) {
        if (event_is_due(t1)) {
            if (!fire_event(system, report)) {
                return;
            }
        } else if (!(remaining_to(t1) > 0.0)) {
            return;
        } else if (!make_substep(system, t1, report)) {
            if (!return_to_overruled(report)) {
                return;
            }
        } else if (locator_.count() > 0 && !watch_segment(system, t1, report)) {
            return;
        }
    }
}

namespace {

// What the error of a substep grows by where it is longer by `factor`.
double error_growth(double factor, int error_order) {
    double growth = 1.0;
    for (int i = 0; i <= error_order; ++i) {
        growth *= factor;
    }
    return growth;
}

} // namespace

// The search for the length of one substep: what its attempts share, and the one that is being made.
struct IntegratorService::Search {
    double remaining = 0.0;  // s, of the interval
    double to_stop = 0.0;    // s, until t_stop
    double h_longest = 0.0;  // s, whatever the error
    double h_shortest = 0.0; // s: time does not resolve what is no longer
    double natural = 0.0;    // s: what the controller wants
    double h_allowed = 0.0;  // s: the settings accept what is no longer whatever its error
    bool exact = false;
    bool has_theta = false;  // under a guard that knows of all forces, theta makes what no length of the method can
    bool guarded = false;    // the guard has looked at this substep
    double omega = 0.0;      // rad/s, under the guard: the fastest frequency
    std::int64_t looked = 0; // evaluations that finding it cost, and that belong to a splitting's substep
    double off_manifold = std::numeric_limits<double>::infinity(); // s: no floor is higher, once one left the manifold
    int attempt = 1;
    double tried_h = 0.0;     // s, of the last rejected attempt
    double tried_error = 0.0; // and its error, in units of the tolerance
    int non_finite = 0;       // attempts in a row
    int splits = 0;

    bool is_free = false;   // the budget does not touch the attempt: it is made, and judged, as if there were none
    double h = 0.0;         // s, of the attempt
    double floor = 0.0;     // s: budget and h_min allow no shorter one
    bool stretches = false; // the budget makes it longer than the controller wants, but not as long as its floor
    double most = 1.0;      // the error up to which it is accepted, in units of the tolerance
    bool at_floor = false;  // so it is accepted whatever its error
};

// An attempt that was made: its error in units of the tolerance, and what becomes of it.
struct IntegratorService::Trial {
    StepOutcome outcome;
    double error = std::numeric_limits<double>::infinity();
    bool finite = false;
    bool is_last_chance = false; // a retry within floor and budget could not be shorter
    StepController::Decision judged;
};

// Makes one accepted substep, after as many rejected attempts as it takes. Returns false, with the status set and the
// segment's end where it was, if there is none.
bool IntegratorService::make_substep(OdeSystem& system, double t1, StepReport& report) {
    begin_watched_substep(system);
    for (Search search = begin_search(system, t1, report);; ++search.attempt) {
        search.is_free = is_free(search, report);
        if (!search.is_free) {
            look_under_guard(system, search, report);
        }
        const std::int64_t affordable = affordable_substeps(report.evaluations - search.looked, workspace_.k0_ready);
        if (affordable == 0) {
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
            return give_up(system, search, StepStatus::StepTooSmall,
                           "Time does not resolve substeps as short as the tolerance asks for.", report);
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
            return give_up(system, search, StepStatus::NonFinite, kNotFinite, report);
        }
        report.degraded = report.degraded || verdict == Verdict::LeftManifold;
        report.unstable = report.unstable || verdict == Verdict::LeftManifold;
        const bool suits_theta =
            verdict == Verdict::LeftManifold || (verdict == Verdict::Incredible && search.has_theta);
        if (suits_theta && can_fall_back(report)) {
            end_segment(search.h, t1); // theta steps over what the joints, or the method at this length, cannot follow
            return make_fallback_substep(system, search.h, report);
        }
        if (verdict == Verdict::LeftManifold) {
            // No error that may be overruled: it is made again at half the length, and of what remains the next ones.
            if (++search.splits > kMaxSplits) {
                return give_up(system, search, StepStatus::StepTooSmall, kLeavesManifold, report);
            }
            search.natural = search.off_manifold = 0.5 * search.h;
        } else if (search.attempt == kMaxAttempts) {
            return give_up(system, search, StepStatus::StepTooSmall, "No substep is short enough for the tolerance.",
                           report);
        } else {
            search.natural = trial.judged.accepted ? 0.2 * search.h : std::min(search.natural, trial.judged.h_next);
            if (verdict == Verdict::Incredible) {
                floor_limit_ = search.h; // what the controller wants is tried instead
            }
        }
        h_next_ = search.natural;
    }
}

// What the attempts from here share; where nothing is known of the first length, after a look at the model.
IntegratorService::Search IntegratorService::begin_search(OdeSystem& system, double t1, StepReport& report) {
    Search search;
    search.remaining = remaining_to(t1);
    search.to_stop = remaining_to(settings_.t_stop);
    search.exact = report.boundary == Boundary::Exact;
    search.h_longest = settings_.h_max;
    if (!search.exact) {
        search.h_longest = std::min(search.h_longest, kLongestSegment * std::fabs(report.requested));
        if (ErrorMeasure* const own = system.error_measure();
            own != nullptr && info_->needs != MethodNeeds::Derivative) {
            // What t1 cannot be read from ends there.
            const double readable = own->longest_readable(workspace_.y0, settings_.atol, settings_.rtol);
            search.h_longest = std::min(search.h_longest, std::max(readable, search.remaining));
        }
    }
    search.h_allowed = std::min(settings_.h_min, search.remaining);
    search.has_theta = (guarded_ || guards_reserve_) && system.frequency_bound()->knows_all();
    if (guarded_) {
        look_under_guard(system, search, report);
    }
    search.h_shortest = kTimeResolution * std::max(std::fabs(t_end_), std::fabs(t1));
    search.natural = h_next_ > 0.0               ? h_next_
                     : settings_.h_initial > 0.0 ? settings_.h_initial
                                                 : first_length(system, search.remaining, report);
    search.natural = std::max(search.natural, 2.0 * search.h_shortest); // whatever was remembered: time must go on
    return search;
}

// True if the next attempt leaves the budget's reserve whole. Where theta can finish the interval, one that would reach
// its end as well may be tried without: a guard that looks only at frequencies would not let it.
bool IntegratorService::is_free(const Search& search, const StepReport& report) const noexcept {
    if (settings_.budget == 0) {
        return true;
    }
    const std::int64_t spent = report.evaluations - search.looked;
    if (affordable_substeps(spent + reserve(), workspace_.k0_ready) > 0) {
        return true;
    }
    const bool can_finish = search.has_theta && std::min(search.natural, search.h_longest) >= search.remaining;
    return can_finish && affordable_substeps(spent + 1 + dense_cost(), workspace_.k0_ready) > 0;
}

// Has the guard look at the model where this substep begins, once, and turns it on where it waited for the reserve.
void IntegratorService::look_under_guard(OdeSystem& system, Search& search, StepReport& report) {
    if (guards_reserve_) {
        guards_reserve_ = false;
        guarded_ = true;
        workspace_.k0_ready = false; // it was evaluated without asking for its frequency
    }
    if (!search.guarded && guarded_ && affordable_substeps(report.evaluations, workspace_.k0_ready) > 0) {
        // What was spent on looking is part of what a splitting's substep costs; for others it is their first stage.
        const std::int64_t before = report.evaluations;
        search.omega = frequency_at_start(system, report);
        search.looked = info_->needs == MethodNeeds::KickDriftSplit ? report.evaluations - before : 0;
        search.guarded = true;
    }
}

// The length of the next attempt: what the controller wants, fitted to the interval; beyond the reserve no shorter than
// the budget's floor. Running ahead takes a sample at t1: where the reserve does not pay for that too, substeps end
// there as under Exact.
void IntegratorService::fit_length(Search& search, std::int64_t affordable, const StepReport& report) const noexcept {
    double h = std::min(search.natural, search.h_longest);
    double limit = std::numeric_limits<double>::infinity(); // what h must not pass
    const auto with_sample =
        affordable_substeps(report.evaluations - search.looked + dense_cost(), workspace_.k0_ready);
    if (search.exact || (!search.is_free && static_cast<double>(with_sample) < std::ceil(search.remaining / h))) {
        limit = search.remaining;
    } else if (search.to_stop > 0.0) {
        limit = search.to_stop;
    }
    const double count = std::ceil(limit / h);
    if (limit < std::numeric_limits<double>::infinity() && (limit == search.remaining || count <= 2.0)) {
        h = settings_.controller.clip_last ? std::min(h, limit) : limit / count;
    }
    double budget_floor = search.is_free ? 0.0 : search.remaining / static_cast<double>(affordable);
    budget_floor = budget_floor < floor_limit_ ? budget_floor : 0.0;
    double floor = std::min(search.off_manifold, std::max(budget_floor, search.h_allowed));
    search.most = 1.0;
    const double factor = search.is_free ? 1.0 : stretch(search, report);
    search.stretches = !search.is_free && factor <= kLongestStretch && std::max(factor * h, search.h_allowed) < floor;
    if (search.stretches) {
        floor = std::max(factor * h, search.h_allowed);
        search.most = error_growth(factor, info_->error_order);
    }
    search.at_floor = h <= floor && (!search.stretches || h <= search.h_allowed);
    search.h = std::max(h, floor);
    search.floor = floor;
}

// By how much substeps in the reserve have to be longer than the controller's, if those go on to cost what they have
// cost in this advance. Where lengths differ, as along an eccentric orbit, it spares the short ones. They may turn out
// to cost more: of the reserve a fifth is again left to the floor alone.
double IntegratorService::stretch(const Search& search, const StepReport& report) const noexcept {
    const std::int64_t last = std::max(reserve() / kReservedPart, substep_cost(guarded_));
    if (affordable_substeps(report.evaluations - search.looked + last, workspace_.k0_ready) == 0) {
        return std::numeric_limits<double>::infinity();
    }
    const double done = std::fabs(report.requested) - search.remaining;
    const auto spent = static_cast<double>(report.evaluations);
    const double left = static_cast<double>(settings_.budget) - spent;
    return done > 0.0 ? std::max(1.0, (search.remaining / done) * (spent / left))
                      : std::numeric_limits<double>::infinity();
}

// A substep that may have to be accepted whatever its error must at least be stable: no longer than the floor, or made
// by theta where that is too long as well, which is what false says. Where an attempt was measured, and found a little
// too long, the method is worth more than theta: no further from it than a stretch goes.
bool IntegratorService::keep_stable(Search& search, std::int64_t affordable) const noexcept {
    const double largest = error_growth(kLongestStretch, info_->error_order);
    const auto is_followed = [&] {
        const double expected = search.tried_error * error_growth(search.h / search.tried_h, info_->error_order);
        return is_stable(search.omega, search.h) || expected <= largest; // NaN where nothing was tried
    };
    const bool is_last_chance =
        search.at_floor || search.stretches ||
        (!search.is_free && search.floor > 0.0 &&
         (affordable == 1 || search.remaining / static_cast<double>(affordable - 1) >= search.h));
    if (!search.guarded || !is_last_chance || is_followed()) {
        return true;
    }
    search.at_floor = true;
    search.h = search.floor;
    return is_followed();
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
    const std::int64_t left = affordable_substeps(report.evaluations - search.looked, true);
    const double next_floor =
        left > 0 ? search.remaining / static_cast<double>(left) : std::numeric_limits<double>::max();
    const bool spends_all = search.is_free && left == 0 &&
                            trial.error <= error_growth(kLongestStretch, info_->error_order); // theta would do worse
    trial.is_last_chance =
        search.at_floor || spends_all ||
        (!search.is_free && !search.stretches && next_floor >= search.h && next_floor < floor_limit_);
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
    } else {
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
    report.add(trial.outcome.velocity);
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

// The first substep's length: one evaluation tells how fast the derivative changes (Hairer, Norsett & Wanner I, II.4).
// Where the budget does not pay for that, or the model is not finite there, a tenth of the interval.
double IntegratorService::first_length(OdeSystem& system, double remaining, StepReport& report) {
    const double tenth = 0.1 * remaining;
    const int cost = (workspace_.k0_ready ? 1 : 2) + (guards_reserve_ ? 1 : 0); // the guard evaluates the first again
    if (info_->needs != MethodNeeds::Derivative || affordable_substeps(report.evaluations + cost, true) < 1) {
        return tenth;
    }
    const std::span<double> f0 = workspace_.k(0);
    if (!workspace_.k0_ready) {
        system.derivative(t_begin_, workspace_.y0, f0);
        workspace_.k0_ready = true;
        ++report.evaluations;
    }
    const auto size_of = [&](std::span<const double> x) {
        if (ErrorMeasure* const measure = system.error_measure()) {
            return measure->measure(workspace_.y0, x, settings_.atol, settings_.rtol);
        }
        return error_norm(ErrorNorm::Mixed, x, workspace_.y0, workspace_.y0, f0, 1.0, settings_.atol, settings_.rtol);
    };
    // A model with a measure of its own counts no absolute coordinates: its scale is one tolerance.
    const double d0 = system.error_measure() != nullptr ? 1.0 / settings_.rtol : size_of(workspace_.y0);
    const double d1 = size_of(f0);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * (d0 / d1);
    h0 = short_of_stop(std::min(h0, remaining));

    // An explicit Euler step of that length, and the change of the derivative along it.
    const std::span<double> f1 = workspace_.scratch;
    for (std::size_t i = 0; i < f0.size(); ++i) {
        workspace_.y1[i] = workspace_.y0[i] + direction_ * h0 * f0[i];
    }
    system.derivative(t_begin_ + direction_ * h0, workspace_.y1, f1);
    ++report.evaluations;
    for (std::size_t i = 0; i < f0.size(); ++i) {
        workspace_.error[i] = f1[i] - f0[i];
    }
    const double d2 = size_of(workspace_.error) / h0;
    const double steepest = std::max(d1, d2);
    if (!std::isfinite(steepest)) {
        return tenth;
    }
    const double h1 = steepest <= 1e-15 ? std::max(1e-6, 1e-3 * h0) : nth_root(0.01 / steepest, info_->error_order + 1);
    return std::min({100.0 * h0, h1, remaining});
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
