// Adaptive methods: one attempt after the other, within tolerance, budget and interval.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "state_checks.h"
#include "substep/integrators/elementary_functions.h"
#include "substep/integrators/integrator_service.h"
#include "substep_limits.h"

namespace substep {

namespace {

/// Attempts at one substep before giving up; the step has then shrunk by 5^-40.
constexpr int kMaxAttempts = 40;

/// Attempts in a row that end in NaN or infinity before the model is to blame, not the length: 5^-12 of the first.
constexpr int kMaxNonFinite = 12;

/// A substep shorter than this part of what the controller wanted was cut by the interval's end, and tells it nothing.
/// An even split of a long interval shortens by less.
constexpr double kShortened = 0.9;

/// Longest substep under RunAhead, in calls of advance: where nothing limits the error (free fall), h would grow until
/// samples inside the segment cancelled.
constexpr double kLongestSegment = 32.0;

} // namespace

void IntegratorService::run_adaptive(OdeSystem& system, double t1, StepReport& report) {
    for (;;) {
        if (event_is_due(t1)) {
            if (!fire_event(system, report)) {
                return;
            }
        } else if (!(remaining_to(t1) > 0.0)) {
            return;
        } else if (!make_substep(system, t1, report) || (locator_.count() > 0 && !watch_segment(system, report))) {
            return;
        }
    }
}

// Makes one accepted substep, after as many rejected attempts as it takes. Returns false, with the status set and the
// segment's end where it was, if there is none.
bool IntegratorService::make_substep(OdeSystem& system, double t1, StepReport& report) {
    const double remaining = remaining_to(t1);
    const bool exact = report.boundary == Boundary::Exact;
    const double to_stop = remaining_to(settings_.t_stop);
    Projection* const manifold = manifold_of(system);
    double h_longest =
        exact ? settings_.h_max : std::min(settings_.h_max, kLongestSegment * std::fabs(report.requested));
    begin_substep();
    if (ErrorMeasure* const own = system.error_measure();
        !exact && own != nullptr && info_->needs != MethodNeeds::Derivative) {
        // What t1 cannot be read from ends there.
        const double readable = own->longest_readable(workspace_.y0, settings_.atol, settings_.rtol);
        h_longest = std::min(h_longest, std::max(readable, remaining));
    }
    const bool guarded = guarded_ && affordable_substeps(report.evaluations, workspace_.k0_ready) > 0;
    const std::int64_t before = report.evaluations;
    const double omega = guarded ? frequency_at_start(system, report) : 0.0;
    // What was spent on looking is part of what a splitting's substep costs; for others it is their first stage.
    const std::int64_t looked = info_->needs == MethodNeeds::KickDriftSplit ? report.evaluations - before : 0;
    double natural = h_next_ > 0.0               ? h_next_
                     : settings_.h_initial > 0.0 ? settings_.h_initial
                                                 : first_length(system, remaining, report);
    const double shortest = kTimeResolution * std::max(std::fabs(t_end_), std::fabs(t1));
    natural = std::max(natural, 2.0 * shortest); // whatever was remembered: time must go on
    const auto give_up = [&](StepStatus status, const char* sentence) {
        abandon_substep();
        if (status != StepStatus::BudgetExhausted) {
            h_next_ = 0.0; // a length that collapsed is no first guess for what comes next
        }
        if (repeats_shorter() && status != StepStatus::BudgetExhausted && arrived_at_surface(system)) {
            return true;
        }
        report.status = status;
        report.message = sentence;
        return false;
    };

    int non_finite = 0;
    int splits = 0;
    double off_manifold = std::numeric_limits<double>::infinity(); // below any floor, once it left the manifold there
    for (int attempt = 1;; ++attempt) {
        const std::int64_t affordable = affordable_substeps(report.evaluations - looked, workspace_.k0_ready);
        if (affordable == 0) {
            return give_up(StepStatus::BudgetExhausted, "The budget does not pay for another substep.");
        }

        // The length: what the controller wants, fitted to the interval, but no shorter than the budget's floor.
        // Running ahead takes a sample at t1: where the budget does not pay for that too, substeps end there as under
        // Exact.
        double h = std::min(natural, h_longest);
        double limit = std::numeric_limits<double>::infinity(); // what h must not pass
        const auto with_sample = affordable_substeps(report.evaluations - looked + dense_cost(), workspace_.k0_ready);
        if (exact || static_cast<double>(with_sample) < std::ceil(remaining / h)) {
            limit = remaining;
        } else if (to_stop > 0.0) {
            limit = to_stop;
        }
        const double count = std::ceil(limit / h);
        if (limit < std::numeric_limits<double>::infinity() && (limit == remaining || count <= 2.0)) {
            h = settings_.controller.clip_last ? std::min(h, limit) : limit / count;
        }
        const double budget_floor = affordable == kUnlimited ? 0.0 : remaining / static_cast<double>(affordable);
        const double floor = std::min(off_manifold, std::max(budget_floor, std::min(settings_.h_min, remaining)));
        bool at_floor = h <= floor;
        h = std::max(h, floor);

        // A substep that may have to be accepted whatever its error must at least be stable: no longer than the floor,
        // or made by theta where that is too long as well.
        const bool is_last_chance =
            at_floor ||
            (affordable != kUnlimited && (affordable == 1 || remaining / static_cast<double>(affordable - 1) >= h));
        if (guarded && is_last_chance && !is_stable(omega, h)) {
            at_floor = true;
            h = floor;
            if (!is_stable(omega, h)) {
                h_next_ = natural;
                end_segment(h, t1);
                return make_fallback_substep(system, h, report);
            }
        }
        if (h < remaining && h <= shortest) {
            return give_up(StepStatus::StepTooSmall,
                           "Time does not resolve substeps as short as the tolerance asks for.");
        }

        // The attempt, and its error; what is not finite is an error beyond any tolerance.
        const StepOutcome outcome = method_->step(system, t_begin_, direction_ * short_of_stop(h), workspace_);
        report.evaluations += outcome.evaluations;
        double error = std::numeric_limits<double>::infinity();
        if (outcome.ok && detail::all_finite(workspace_.y1)) {
            error = measure_error(system, direction_ * h);
        }
        const bool finite = std::isfinite(error); // a NaN in a stage that only the estimate weighs counts too
        const auto judged = controller_.judge(error, h, attempt > 1, history_);

        // Rejected, but a retry within the budget could not be shorter: accepted as it is, and said.
        const std::int64_t left = affordable_substeps(report.evaluations - looked, true);
        const bool last_chance = left == 0 || (left != kUnlimited && remaining / static_cast<double>(left) >= h);
        const bool overruled = !judged.accepted && finite && (at_floor || last_chance);
        bool left_manifold = false;
        if (judged.accepted || overruled) {
            const bool on_manifold = project(manifold, t_begin_ + direction_ * h, workspace_.y1, report);
            left_manifold = !on_manifold && detail::all_finite(workspace_.y1) && (at_floor || last_chance);
            if (detail::all_finite(workspace_.y1) && on_manifold) {
                double h_made = h;
                if (repeats_shorter() && meet_surface(system, h_made, report) == Meeting::Failed) {
                    return false;
                }
                const bool shortened = h < kShortened * natural;
                h_next_ = judged.h_next;
                if (judged.accepted && shortened) {
                    h_next_ = std::max(h_next_, natural); // the interval's end shortened it, not the error
                } else {
                    history_ = {error, h};
                }
                if (overruled) {
                    report.degraded = true;
                    watch_stability(system, h, report);
                }
                report.accepted_after_retry += attempt > 1 ? 1 : 0;
                report.achieved_tolerance = std::max(report.achieved_tolerance, error * settings_.rtol);

                end_segment(h_made, t1);
                accept(h_made, error, report);
                report.add(outcome.velocity);
                return true;
            }
        }

        // Rejected. A model that is not finite however short the substep has no future to compute.
        ++report.rejected;
        record_attempt(h, error, false);
        non_finite = finite ? 0 : non_finite + 1;
        const int most = repeats_shorter() ? kMaxHalvings : kMaxNonFinite;
        if (!finite && (at_floor || left == 0 || non_finite == most || !detail::all_finite(workspace_.k(0)))) {
            return give_up(StepStatus::NonFinite, kNotFinite);
        }
        if (left_manifold) {
            // No error that may be overruled: theta steps over what the joints cannot follow, or it is made again at
            // half the length, and of what remains the next ones.
            report.degraded = report.unstable = true;
            // Theta's evaluation, and those of the dense output on which its events are found.
            const std::int64_t by_theta = 1 + (!finds_on_path_ ? 0 : info_->needs == MethodNeeds::Derivative ? 1 : 2);
            if (guarded && (settings_.budget == 0 || report.evaluations + by_theta <= settings_.budget)) {
                end_segment(h, t1);
                return make_fallback_substep(system, h, report);
            }
            if (++splits > kMaxSplits) {
                return give_up(StepStatus::StepTooSmall, kLeavesManifold);
            }
            natural = off_manifold = 0.5 * h;
            h_next_ = natural;
            continue;
        }
        if (attempt == kMaxAttempts) {
            return give_up(StepStatus::StepTooSmall, "No substep is short enough for the tolerance.");
        }
        natural = judged.accepted ? 0.2 * h : judged.h_next;
        h_next_ = natural;
    }
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
    const int cost = workspace_.k0_ready ? 1 : 2;
    if (info_->needs != MethodNeeds::Derivative || affordable_substeps(report.evaluations + cost, true) < 2) {
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

double IntegratorService::measure_error(OdeSystem& system, double h) const {
    const double fine = measure(system, workspace_.error, h);
    if (!info_->two_estimates) {
        return fine;
    }
    // E^2 / sqrt(E^2 + 0.01 C^2): Hairer, Norsett & Wanner I, II.5, (5.23).
    const double coarse = measure(system, workspace_.coarse_error, h);
    const double both = std::sqrt(fine * fine + 0.01 * coarse * coarse);
    return both > 0.0 ? fine * (fine / both) : both;
}

} // namespace substep
