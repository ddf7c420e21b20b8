// What every substep shares: its begin, its end, the manifold, the stability guard and dense output.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "state_checks.h"
#include "substep/integrators/integrator_service.h"
#include "substep_messages.h"
#include "tolerances.h"

namespace substep {

// The guard is for what accepts substeps whatever their error, and needs a model that knows how fast it vibrates and
// can step over it.
bool IntegratorService::is_guarded(OdeSystem& system) const noexcept {
    const bool is_explicit = info_->needs == MethodNeeds::Derivative || info_->needs == MethodNeeds::KickDriftSplit;
    return is_explicit && (settings_.budget > 0 || settings_.h_min > 0.0 || settings_.stabilise) && direction_ > 0.0 &&
           !repeats_shorter() && system.frequency_bound() != nullptr && system.linearly_implicit_step() != nullptr;
}

// Where only a budget calls for the guard, an adaptive method does not notice it before the reserve is met: a budget
// that suffices changes no bit.
void IntegratorService::set_guard(OdeSystem& system) noexcept {
    const bool by_budget_alone = info_->adaptive && !(settings_.h_min > 0.0) && !settings_.stabilise;
    guarded_ = is_guarded(system);
    guards_reserve_ = guarded_ && by_budget_alone;
    guarded_ = guarded_ && !guards_reserve_;
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
    } else if (spent(report) + 1 + info_->stages > settings_.budget && settings_.budget > 0) {
        return 0.0; // a splitting's kicks do not tell, and looking is not paid for
    } else {
        system.derivative(t_begin_, workspace_.y0, workspace_.scratch);
    }
    ++report.evaluations;
    return k0_frequency_ = fastest_rate(*system.frequency_bound());
}

// The model's fastest frequency, or what damps it faster: a decay is as unstable as the frequency that reaches the
// method's limit on the imaginary axis where the decay reaches that on the real one.
double IntegratorService::fastest_rate(FrequencyBound& bound) const noexcept {
    const double turn = info_->needs == MethodNeeds::Derivative ? bound.fastest_turn() : 0.0;
    const double frequency = std::max(bound.fastest_frequency(), turn);
    if (!std::isfinite(info_->real_limit)) {
        return frequency;
    }
    return std::max(frequency, bound.fastest_decay() * (info_->imaginary_limit / info_->real_limit));
}

// One substep of length h by theta, from the start of the segment whose end is set already.
bool IntegratorService::make_fallback_substep(OdeSystem& system, double h, StepReport& report) {
    for (int attempt = 1;; ++attempt) {
        const StepOutcome outcome = fallback_->step(system, t_begin_, short_of_stop(h), workspace_);
        report.evaluations += outcome.evaluations;
        const bool on_manifold = outcome.ok && detail::all_finite(workspace_.y1) &&
                                 project(system.projection(), t_end_, workspace_.y1, report);
        const bool finite = outcome.ok && detail::all_finite(workspace_.y1);
        if (finite && on_manifold) {
            break;
        }
        record_attempt(h, 0.0, false);
        ++report.rejected;
        report.unstable = report.unstable || finite;
        const bool affordable = pays_for_fallback(report, finds_on_path_ || report.boundary == Boundary::RunAhead);
        if (!finite || attempt > kMaxSplits || !affordable) {
            t_end_ = t_begin_;
            t_carry_ = 0.0;
            abandon_substep();
            report.status = !finite      ? StepStatus::NonFinite
                            : affordable ? StepStatus::StepTooSmall
                                         : StepStatus::BudgetExhausted;
            report.message = !finite ? kNotFinite : affordable ? kLeavesManifold : kCannotPayForManifold;
            return false;
        }
        h *= 0.5;
        t_end_ = t_begin_ + direction_ * h;
        t_carry_ = 0.0;
    }
    report.degraded = true;
    report.order = 1;
    ++report.fallback_substeps;
    report.message = "Substeps as long as the settings leave them would be unstable: theta made them instead.";
    accept(h, 0.0, report);
    know_first_stage();
    by_fallback_ = true;
    fsal_ready_ = false;
    return true;
}

// Theta makes no stages, but the cubic through its substep begins with a derivative: where none was evaluated, with
// that of the chord, which no budget has to pay for.
void IntegratorService::know_first_stage() noexcept {
    if (info_->needs == MethodNeeds::Derivative && !workspace_.k0_ready) {
        const std::span<double> slope = workspace_.k(0);
        for (std::size_t i = 0; i < slope.size(); ++i) {
            slope[i] = (workspace_.y1[i] - workspace_.y0[i]) / h_segment_;
        }
    }
}

// An explicit Euler step of length h from the substep's start, whose derivative is known.
void IntegratorService::follow_tangent(double h, std::span<double> end) const noexcept {
    const std::span<const double> slope = workspace_.k(0);
    for (std::size_t i = 0; i < end.size(); ++i) {
        end[i] = workspace_.y0[i] + direction_ * h * slope[i];
    }
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

bool IntegratorService::is_interrupted(StepReport& report) const noexcept {
    if (interrupt_ == nullptr || !interrupt_->load(std::memory_order_relaxed)) {
        return false;
    }
    report.status = StepStatus::Interrupted;
    report.message = kInterrupted;
    return true;
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
    t_first_ = workspace_.k0_ready ? t_known_ : t_begin_;
    f1_ready_ = false;
    fsal_ready_ = false;
    attempting_ = true;
    interpolant_.clear();
}

void IntegratorService::begin_watched_substep(OdeSystem& system) {
    begin_substep();
    system.substep_begins(t_begin_, workspace_.y0);
    SubstepWatch* const watch = locator_.count() > 0 ? system.substep_watch() : nullptr;
    if (watch != nullptr && watch->begin_substep(t_begin_, workspace_.y0)) {
        forget_first_stage();
    }
}

void IntegratorService::begin_watched_attempt(OdeSystem& system, double t, double h) {
    SubstepWatch* const watch = locator_.count() > 0 ? system.substep_watch() : nullptr;
    if (watch != nullptr) {
        watch->begin_attempt(t, h);
    }
}

// One attempt at the substep, h long, by the method of the settings.
StepOutcome IntegratorService::attempt_substep(OdeSystem& system, double h) {
    begin_watched_attempt(system, t_begin_, h);
    return method_->step(system, t_begin_, direction_ * short_of_stop(h), workspace_);
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
        t_known_ = t_first_;
    }
}

void IntegratorService::accept(double h, double error, StepReport& report) noexcept {
    attempting_ = false;
    h_segment_ = direction_ * h;
    if (event_pending_ && !finds_on_path_) {
        locator_.set_time(t_end_); // met at the substep's end, whose time is a compensated sum
    }
    fsal_ready_ = info_->first_same_as_last && !end_moved_ && !evaluates_anew();
    t_known_ = t_begin_ + direction_ * short_of_stop(h);
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
    end_moved_ = false;
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
    end_moved_ = !detail::same_bits(y, event_state_);
    return converged;
}

// Projects a state read from dense output, which is no end of a substep.
bool IntegratorService::project_sample(Projection* manifold, double t, std::span<double> y, StepReport& report) {
    if (manifold == nullptr) {
        return true;
    }
    ++report.projections;
    return manifold->project_within(t, y);
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
            evaluate_end(system, t_end_);
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
// The derivative at the segment's end, whose time is t but for its rounding.
void IntegratorService::evaluate_end(OdeSystem& system, double t) {
    system.derivative(t, workspace_.y1, f1_);
    t_known_ = t;
    FrequencyBound* const bound = guarded_ ? system.frequency_bound() : nullptr;
    f1_frequency_ = bound != nullptr ? fastest_rate(*bound) : 0.0;
}

// True if the first stage of the next substep is known already.
bool IntegratorService::next_stage_is_known() const noexcept {
    return fsal_ready_ || (f1_ready_ && info_->needs == MethodNeeds::Derivative);
}

} // namespace substep
