// Substeps: one attempt after the other, within tolerance, budget and interval.
#include <algorithm>
#include <cmath>
#include <limits>

#include "state_checks.h"
#include "substep/integrators/elementary_functions.h"
#include "substep/integrators/integrator_service.h"

namespace substep {

namespace {

/// Attempts at one substep before giving up; the step has then shrunk by 5^-40.
constexpr int kMaxAttempts = 40;

/// Attempts in a row that end in NaN or infinity before the model is to blame, not the length: 5^-12 of the first.
constexpr int kMaxNonFinite = 12;

/// The same for models that are undefined beyond an event's surface, which is approached so.
constexpr int kMaxHalvings = 60;

/// Halvings of a fixed method's substep that leaves the manifold for good, before it is given up.
constexpr int kMaxSplits = 8;

/// Substeps shorter than this many units in the last place of t are not resolved by time any more.
constexpr double kTimeResolution = 16.0 * std::numeric_limits<double>::epsilon();

/// A substep shorter than this part of what the controller wanted was cut by the interval's end, and tells it nothing.
/// An even split of a long interval shortens by less.
constexpr double kShortened = 0.9;

/// Longest substep under RunAhead, in calls of advance: where nothing limits the error (free fall), h would grow until
/// samples inside the segment cancelled.
constexpr double kLongestSegment = 32.0;

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

} // namespace

// Fixed methods: n equal substeps, at times counted in integers. Events cut a substep in two; the grid stays.
void IntegratorService::run_fixed(OdeSystem& system, double t0, double t1, StepReport& report) {
    if (t1 == t0) {
        return;
    }
    const double length = std::fabs(t1 - t0);
    auto n = static_cast<std::int64_t>(settings_.substeps);
    if (length < std::fabs(report.requested)) { // a stop shortens the interval, not the substeps
        n = static_cast<std::int64_t>(std::ceil(static_cast<double>(n) * (length / std::fabs(report.requested))));
    }
    coarsened_ = false;
    double grid_begin = t0;
    double h = length / static_cast<double>(n);
    for (std::int64_t i = 0; i < n; ++i) {
        if (settings_.budget > 0) {
            // What the budget does not pay for makes the rest of the grid coarser.
            std::int64_t affordable = affordable_substeps(report.evaluations, next_stage_is_known());
            if (affordable < n - i) {
                coarsened_ = true;
                affordable = affordable_substeps(report.evaluations, next_stage_is_known());
            }
            if (affordable == 0) {
                report.status = StepStatus::BudgetExhausted;
                report.message = "The budget does not pay for another substep.";
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

// One substep to t_target, of length h; shorter where it meets an event's surface and repeats, leaves the model, or
// leaves the manifold (joints that it cannot close).
bool IntegratorService::make_fixed_substep(OdeSystem& system, double t_target, double h, StepReport& report) {
    Projection* const manifold = manifold_of(system);
    begin_substep();
    if ((coarsened_ || settings_.stabilise) && guarded_ && !is_stable(frequency_at_start(system, report), h)) {
        t_end_ = t_target;
        t_carry_ = 0.0;
        return make_fallback_substep(system, h, report);
    }
    for (int attempt = 1;; ++attempt) {
        const StepOutcome outcome = method_->step(system, t_begin_, direction_ * short_of_stop(h), workspace_);
        report.evaluations += outcome.evaluations;
        report.add(outcome.velocity);
        const bool whole = attempt == 1;
        const double t_end = whole ? t_target : t_begin_ + direction_ * h;
        const bool on_manifold = outcome.ok && project(manifold, t_end, workspace_.y1, report);
        const bool finite = detail::all_finite(workspace_.y1);
        if (finite && on_manifold) {
            double h_met = h;
            if (repeats_shorter()) {
                switch (meet_surface(system, h_met, report)) {
                case Meeting::None:
                    break;
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
        if (finite && guarded_ && (settings_.budget == 0 || report.evaluations < settings_.budget)) {
            t_end_ = t_end; // what the method's joints cannot follow theta steps over
            t_carry_ = 0.0;
            return make_fallback_substep(system, h, report);
        }
        const bool tiny = h <= kTimeResolution * std::max(std::fabs(t_begin_), std::fabs(t_target));
        const bool affordable = affordable_substeps(report.evaluations, workspace_.k0_ready) > 0; // as it failed
        const int most = repeats_shorter() ? kMaxHalvings : finite ? kMaxSplits : 0;
        report.unstable = report.unstable || finite;
        report.degraded = report.degraded || finite;
        if (tiny || attempt > most || !affordable) {
            abandon_substep();
            if (repeats_shorter() && arrived_at_surface(system)) {
                return true;
            }
            if (finite) {
                report.status = affordable ? StepStatus::StepTooSmall : StepStatus::BudgetExhausted;
                report.message = affordable
                                     ? "No substep is short enough to keep the model on its manifold."
                                     : "The budget does not pay for substeps that keep the model on its manifold.";
            } else {
                report.status = StepStatus::NonFinite;
                report.message = "The model returned a number that is not finite.";
            }
            return false;
        }
        h *= 0.5;
    }
}

// What events, or substeps made again at less than their length, left of the interval up to a point of the grid.
bool IntegratorService::finish_grid_interval(OdeSystem& system, double t_target, StepReport& report) {
    if (!watch_segment(system, report)) {
        return false;
    }
    for (;;) {
        if (event_is_due(t_target)) {
            if (!fire_event(system, report)) {
                return false;
            }
            continue;
        }
        if (!(remaining_to(t_target) > 0.0)) {
            return true;
        }
        if (affordable_substeps(report.evaluations, next_stage_is_known()) == 0) {
            report.status = StepStatus::BudgetExhausted;
            report.message = "The budget does not pay for another substep.";
            return false;
        }
        // Where no event cut the last substep it was its length that failed: the rest in no longer ones.
        const double remaining = remaining_to(t_target);
        const double count = std::ceil(remaining / std::fabs(h_segment_) - 1e-9);
        const bool whole = locator_.count() > 0 || !(count > 1.0 && count < 1e6);
        const double h = whole ? remaining : remaining / count;
        if (!make_fixed_substep(system, whole ? t_target : t_end_ + direction_ * h, h, report) ||
            !watch_segment(system, report)) {
            return false;
        }
    }
}

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
    const double h_longest =
        exact ? settings_.h_max : std::min(settings_.h_max, kLongestSegment * std::fabs(report.requested));
    begin_substep();
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
        const double floor = std::max(budget_floor, std::min(settings_.h_min, remaining));
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
        if (judged.accepted || overruled) {
            const bool on_manifold = project(manifold, t_begin_ + direction_ * h, workspace_.y1, report);
            if (detail::all_finite(workspace_.y1) && (on_manifold || overruled)) {
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
                    report.unstable = report.unstable || !on_manifold;
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
            return give_up(StepStatus::NonFinite, "The model returned a number that is not finite.");
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

// The guard is for what accepts substeps whatever their error, and needs a model that knows how fast it vibrates and
// can step over it.
bool IntegratorService::is_guarded(OdeSystem& system) const noexcept {
    const bool is_explicit = info_->needs == MethodNeeds::Derivative || info_->needs == MethodNeeds::KickDriftSplit;
    return is_explicit && (settings_.budget > 0 || settings_.h_min > 0.0 || settings_.stabilise) && direction_ > 0.0 &&
           !repeats_shorter() && system.frequency_bound() != nullptr && system.linearly_implicit_step() != nullptr;
}

// The model's fastest frequency at the substep's start. It follows from that state alone, whatever was evaluated
// before: a restored service must decide the same. Costs nothing where the method's first stage has to be evaluated
// anyway.
double IntegratorService::frequency_at_start(OdeSystem& system, StepReport& report) {
    if (info_->needs == MethodNeeds::Derivative && workspace_.k0_ready) {
        return k0_frequency_;
    }
    if (info_->needs == MethodNeeds::Derivative) {
        system.derivative(t_begin_, workspace_.y0, workspace_.k(0));
        workspace_.k0_ready = true;
    } else if (report.evaluations + 1 + info_->stages > settings_.budget && settings_.budget > 0) {
        return 0.0; // a splitting's kicks do not tell, and looking is not paid for
    } else {
        system.derivative(t_begin_, workspace_.y0, workspace_.scratch);
    }
    ++report.evaluations;
    return k0_frequency_ = system.frequency_bound()->fastest_frequency();
}

// One substep of length h by theta, from the start of the segment whose end is set already.
bool IntegratorService::make_fallback_substep(OdeSystem& system, double h, StepReport& report) {
    const StepOutcome outcome = fallback_->step(system, t_begin_, short_of_stop(h), workspace_);
    report.evaluations += outcome.evaluations;
    const bool finite = outcome.ok && detail::all_finite(workspace_.y1);
    const bool on_manifold = finite && project(system.projection(), t_end_, workspace_.y1, report);
    if (!finite || !detail::all_finite(workspace_.y1)) {
        record_attempt(h, 0.0, false);
        ++report.rejected;
        t_end_ = t_begin_;
        t_carry_ = 0.0;
        abandon_substep();
        report.status = StepStatus::NonFinite;
        report.message = "The model returned a number that is not finite.";
        return false;
    }
    report.degraded = true;
    report.unstable = report.unstable || !on_manifold;
    report.order = 1;
    ++report.fallback_substeps;
    report.message = "Substeps as long as the settings leave them would be unstable: theta made them instead.";
    accept(h, 0.0, report);
    by_fallback_ = true;
    fsal_ready_ = false;
    return true;
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

// A length of which rounding does not carry t + h beyond the stop, where the model must not be evaluated. Stages lie at
// t + c h with c <= 1, so that none passes it either.
double IntegratorService::short_of_stop(double h) const noexcept {
    if (std::isfinite(settings_.t_stop) && direction_ * (settings_.t_stop - t_begin_) > 0.0) {
        while (direction_ * ((t_begin_ + direction_ * h) - settings_.t_stop) > 0.0) {
            const double next = std::nextafter(h, 0.0);
            if (h - next > 1e-12 * h ||
                direction_ * ((t_begin_ + direction_ * (h * (1.0 - 1e-12))) - settings_.t_stop) > 0.0) {
                break; // it is not rounding that passes the stop
            }
            h = next;
        }
    }
    return h;
}

// Moves on to the next substep: the last end is the new start, with the derivative there if something computed it.
void IntegratorService::begin_substep() noexcept {
    const MethodInfo& info = *info_;
    workspace_.swap_ends();
    workspace_.k0_ready = next_stage_is_known();
    if (fsal_ready_) {
        std::ranges::copy(workspace_.k(static_cast<std::size_t>(info.stages)), workspace_.k(0).begin());
    } else if (workspace_.k0_ready) {
        std::ranges::copy(f1_, workspace_.k(0).begin());
        k0_frequency_ = f1_frequency_;
    }
    t_begin_ = t_end_;
    f1_ready_ = false;
    fsal_ready_ = false;
    attempting_ = true;
    interpolant_.clear();
}

// Takes begin_substep back, after attempts that led nowhere: the segment shrinks to its start.
void IntegratorService::abandon_substep() noexcept {
    workspace_.swap_ends();
    attempting_ = false;
    h_segment_ = 0.0;
    fsal_ready_ = false;
    interpolant_.clear();
    f1_ready_ = workspace_.k0_ready && info_->needs == MethodNeeds::Derivative && detail::all_finite(workspace_.k(0));
    if (f1_ready_) {
        std::ranges::copy(workspace_.k(0), f1_.begin());
    }
}

void IntegratorService::accept(double h, double error, StepReport& report) noexcept {
    attempting_ = false;
    h_segment_ = direction_ * h;
    if (event_pending_ && !finds_on_path_) {
        locator_.set_time(t_end_); // met at the substep's end, whose time is a compensated sum
    }
    fsal_ready_ = info_->first_same_as_last && !moved_by_projection_ && !evaluates_anew();
    by_fallback_ = false;
    report.h_smallest = report.accepted == 0 ? h : std::min(report.h_smallest, h);
    report.h_largest = std::max(report.h_largest, h);
    ++report.accepted;
    record_attempt(h, error, true);
}

void IntegratorService::record_attempt(double h, double error, bool accepted) noexcept {
    attempts_[attempt_count_++ % attempts_.size()] = {h, error, accepted};
}

// Attempts are written round and round: turns the ring so that the oldest comes first.
void IntegratorService::order_attempts() noexcept {
    if (attempt_count_ > attempts_.size()) {
        const auto oldest = attempts_.begin() + static_cast<std::ptrdiff_t>(attempt_count_ % attempts_.size());
        std::rotate(attempts_.begin(), oldest, attempts_.end());
        attempt_count_ = attempts_.size();
    }
}

// The system's projection, if the method leaves it to the service: splittings and velocity steps keep to the manifold,
// or not, by their own rules.
Projection* IntegratorService::manifold_of(OdeSystem& system) const noexcept {
    return projects_ ? system.projection() : nullptr;
}

bool IntegratorService::project(Projection* manifold, double t, std::span<double> y, StepReport& report) {
    moved_by_projection_ = false;
    if (manifold == nullptr) {
        return true;
    }
    ++report.projections;
    if (!info_->first_same_as_last) {
        return manifold->project(t, y);
    }
    // A last stage that is to be the next first one belongs to the state as it was.
    std::ranges::copy(y, event_state_.begin());
    const bool converged = manifold->project(t, y);
    moved_by_projection_ = !detail::same_bits(y, event_state_);
    return converged;
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

void IntegratorService::watch_stability(OdeSystem& system, double h, StepReport& report) const noexcept {
    FrequencyBound* const bound = system.frequency_bound();
    const double omega = bound != nullptr ? bound->fastest_frequency() : method_->stage_frequency(workspace_, h);
    report.unstable = report.unstable || omega * h > info_->imaginary_limit;
}

// Makes sure that the interpolant covers the segment; returns the evaluations it took.
int IntegratorService::make_interpolant(OdeSystem& system) {
    if (interpolant_.is_set()) {
        return 0;
    }
    const MethodInfo& info = *info_;
    int evaluations = 0;
    if (!f1_ready_) {
        if (fsal_ready_ && info.needs == MethodNeeds::Derivative) {
            std::ranges::copy(workspace_.k(static_cast<std::size_t>(info.stages)), f1_.begin());
        } else {
            evaluate_end(system);
            ++evaluations;
        }
        f1_ready_ = true;
    }
    if (info.needs == MethodNeeds::Derivative) {
        interpolant_.set(t_begin_, h_segment_, workspace_.y0, workspace_.k(0), workspace_.y1, f1_);
    } else {
        // Splittings keep forces in their stages, not derivatives.
        system.derivative(t_begin_, workspace_.y0, workspace_.scratch);
        interpolant_.set(t_begin_, h_segment_, workspace_.y0, workspace_.scratch, workspace_.y1, f1_);
        ++evaluations;
    }
    // A substep by theta has no stages to make more of than the cubic.
    return by_fallback_
               ? evaluations
               : evaluations + method_->extend_interpolant(system, t_begin_, h_segment_, workspace_, f1_, interpolant_);
}

// The derivative at the segment's end, and what comes with it.
void IntegratorService::evaluate_end(OdeSystem& system) {
    system.derivative(t_end_, workspace_.y1, f1_);
    FrequencyBound* const bound = guarded_ ? system.frequency_bound() : nullptr;
    f1_frequency_ = bound != nullptr ? bound->fastest_frequency() : 0.0;
}

// True if the first stage of the next substep is known already.
bool IntegratorService::next_stage_is_known() const noexcept {
    return fsal_ready_ || (f1_ready_ && info_->needs == MethodNeeds::Derivative);
}

// The substeps that the rest of the budget pays for, with the dense output that each one needs, when the first stage of
// the next one is known or not.
std::int64_t IntegratorService::affordable_substeps(std::int64_t spent, bool stage_known) const noexcept {
    if (settings_.budget == 0) {
        return kUnlimited;
    }
    const MethodInfo& info = *info_;
    const bool reuses_last = info.first_same_as_last && !projects_ && !evaluates_anew();
    const int stages = info.stages + (info.first_same_as_last && !reuses_last ? 1 : 0);
    std::int64_t left = settings_.budget - spent;
    std::int64_t each = stages;
    if (finds_on_path_) {
        // Of n substeps each makes its dense output; the derivative at an end is the next one's first stage.
        each += info.needs == MethodNeeds::Derivative ? info.dense_evaluations : dense_cost();
        left -= info.needs == MethodNeeds::Derivative && !reuses_last ? 1 : 0;
    }
    if (guarded_ && (info.adaptive || coarsened_ || settings_.stabilise)) {
        // Looking takes one evaluation, which is a Runge-Kutta method's first stage, and stepping by theta another.
        each = std::max<std::int64_t>(each + (info.needs == MethodNeeds::KickDriftSplit ? 1 : 0), 2);
    }
    left += reuses_last ? (stage_known ? 0 : -1) : (stage_known ? 1 : 0);
    return left < 0 ? 0 : left / each;
}

// Evaluations that dense output of one segment may take.
int IntegratorService::dense_cost() const noexcept {
    const MethodInfo& info = *info_;
    const bool end_known = info.first_same_as_last && !projects_;
    return info.dense_evaluations + (info.needs != MethodNeeds::Derivative ? 2 : end_known ? 0 : 1);
}

} // namespace substep
