// The service: one advance from t0 to t1 with whatever method, controller and budget the settings name.
#include "substep/integrators/integrator_service.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "integrator_settings.h"

namespace substep {

namespace {

/// An island touched from outside uses Exact for this many steps: restarted every frame, running ahead costs more.
constexpr int kCalmSteps = 8;

/// Attempts at one substep before giving up; the step has then shrunk by 5^-40.
constexpr int kMaxAttempts = 40;

/// Attempts in a row that end in NaN or infinity before the model is to blame, not the length: 5^-12 of the first.
constexpr int kMaxNonFinite = 12;

/// Substeps shorter than this many units in the last place of t are not resolved by time any more.
constexpr double kTimeResolution = 16.0 * std::numeric_limits<double>::epsilon();

/// Longest substep under RunAhead, in calls of advance: where nothing limits the error (free fall), h would grow until
/// samples inside the segment cancelled.
constexpr double kLongestSegment = 32.0;

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// Times zero, a finite number is zero and any other NaN: one pass, no branch per component.
bool all_finite(std::span<const double> y) noexcept {
    double sum = 0.0;
    for (const double x : y) {
        sum += x * 0.0;
    }
    return sum == 0.0;
}

bool same_bits(std::span<const double> a, std::span<const double> b) noexcept {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

} // namespace

IntegratorService::IntegratorService() : method_(find_method(settings_.method)) {
    controller_ = StepController(settings_.controller, method_->info());
}

void IntegratorService::configure(OdeSystem& system, const IntegratorSettings& settings) {
    // Everything that can throw comes first, so that a refusal changes nothing.
    const IntegrationMethod& method = detail::checked_method(settings);
    detail::require_capability(system, method.info());
    const StepController controller(settings.controller, method.info());

    // What changes the trajectory ends the segment: a new method starts at the state handed out last, with no stages of
    // its own. A budget says nothing about the trajectory.
    const bool same_trajectory = settings.method == settings_.method && settings.substeps == settings_.substeps &&
                                 settings.atol == settings_.atol && settings.rtol == settings_.rtol &&
                                 settings.boundary == settings_.boundary && settings.h_max == settings_.h_max;
    settings_changed_ = settings_changed_ || !same_trajectory;
    settings_ = settings;
    controller_ = controller;
    method_ = &method;
}

// Sizes the memory for this system and method. Allocates only when one of them changed.
void IntegratorService::prepare(OdeSystem& system) {
    const std::size_t n = system.size();
    const std::size_t stages =
        static_cast<std::size_t>(method_->info().stages) + (method_->info().first_same_as_last ? 1 : 0);
    if (workspace_.size() != n || workspace_.stages() < stages) {
        workspace_.resize(n, stages);
        interpolant_.resize(n);
        f1_.assign(n, 0.0);
        handed_.resize(n);
        settings_changed_ = true;
    }
}

StepReport IntegratorService::advance(OdeSystem& system, double t0, double t1, std::span<double> y) noexcept {
    StepReport report;
    report.requested = t1 - t0;
    report.order = method_->info().order;
    report.boundary = Boundary::Exact;
    if (!(t1 >= t0) || !std::isfinite(t1 - t0) || y.size() != system.size() || y.empty() || !all_finite(y)) {
        report.status = StepStatus::InvalidInput;
        return report;
    }
    prepare(system);
    adopt(system, t0, y, report);
    length_count_ = 0;
    if (method_->info().adaptive) {
        run_adaptive(system, t1, report);
    } else {
        run_fixed(system, t0, t1, report);
    }
    hand_out(system, t0, t1, y, report);
    order_lengths();
    report.evaluations += std::exchange(sampling_evaluations_, 0);
    return report;
}

// Decides whether this call continues the last one, and whether substeps may run past its end.
void IntegratorService::adopt(const OdeSystem& system, double t0, std::span<const double> y,
                              StepReport& report) noexcept {
    const bool untouched = has_memory_ && t0 == t_handed_ && system.revision() == revision_ && same_bits(y, handed_);
    calm_ = !has_memory_ ? kCalmSteps : untouched ? std::min(calm_ + 1, kCalmSteps) : 0;

    if (settings_.boundary == Boundary::RunAhead && method_->info().adaptive && calm_ == kCalmSteps) {
        report.boundary = Boundary::RunAhead;
    }

    const bool segment_passes_t0 = t_end_ != t0 || t_carry_ != 0.0;
    const bool truncated = report.boundary == Boundary::Exact && segment_passes_t0;
    if (!untouched || settings_changed_ || truncated) {
        report.restarted = has_memory_;
        restart(t0, y);
    }
    settings_changed_ = false;
    revision_ = system.revision();
    has_memory_ = true;
}

// Begins anew at (t0, y): remembered derivatives are worthless there, the length h is not.
void IntegratorService::restart(double t0, std::span<const double> y) noexcept {
    std::ranges::copy(y, workspace_.y1.begin());
    t_begin_ = t0;
    t_end_ = t0;
    t_carry_ = 0.0;
    h_segment_ = 0.0;
    f1_ready_ = false;
    fsal_ready_ = false;
    interpolant_.clear();
}

// Fixed methods: n equal substeps, at times counted in integers.
void IntegratorService::run_fixed(OdeSystem& system, double t0, double t1, StepReport& report) noexcept {
    if (t1 == t0) {
        return;
    }
    std::int64_t n = settings_.substeps;
    if (settings_.budget > 0) {
        const std::int64_t affordable = affordable_substeps(0, next_stage_is_known());
        if (affordable == 0) {
            report.status = StepStatus::BudgetExhausted;
            return;
        }
        report.degraded = affordable < n;
        n = std::min(n, affordable);
    }
    const double h = (t1 - t0) / static_cast<double>(n);
    Projection* const manifold = manifold_of(system);
    for (std::int64_t i = 0; i < n; ++i) {
        begin_substep();
        const StepOutcome outcome = method_->step(system, t_begin_, h, workspace_);
        report.evaluations += outcome.evaluations;
        const double t_end = i + 1 == n ? t1 : t0 + static_cast<double>(i + 1) * h;
        const bool on_manifold = outcome.ok && project(manifold, t_end, workspace_.y1, report);
        if (!all_finite(workspace_.y1)) {
            abandon_substep();
            report.status = StepStatus::NonFinite;
            return;
        }
        // There is no shorter attempt to fall back on: what the joints could not follow is kept, and said.
        report.unstable = report.unstable || !on_manifold;
        report.degraded = report.degraded || !on_manifold;
        t_end_ = t_end;
        t_carry_ = 0.0;
        accept(h, report);
    }
    watch_stability(system, h, report);
}

void IntegratorService::run_adaptive(OdeSystem& system, double t1, StepReport& report) noexcept {
    while ((t1 - t_end_) - t_carry_ > 0.0) {
        if (!make_substep(system, t1, report)) {
            return;
        }
    }
}

// Makes one accepted substep, after as many rejected attempts as it takes. Returns false, with the status set and the
// segment's end where it was, if there is none.
bool IntegratorService::make_substep(OdeSystem& system, double t1, StepReport& report) noexcept {
    const double remaining = (t1 - t_end_) - t_carry_;
    const bool exact = report.boundary == Boundary::Exact;
    Projection* const manifold = manifold_of(system);
    const double h_longest = exact ? settings_.h_max : std::min(settings_.h_max, kLongestSegment * report.requested);
    double natural = h_next_ > 0.0 ? h_next_ : settings_.h_initial > 0.0 ? settings_.h_initial : 0.1 * remaining;
    begin_substep();
    const auto give_up = [&](StepStatus status) {
        abandon_substep();
        report.status = status;
        return false;
    };

    int non_finite = 0;
    for (int attempt = 1;; ++attempt) {
        const std::int64_t affordable = affordable_substeps(report.evaluations, workspace_.k0_ready);
        if (affordable == 0) {
            return give_up(StepStatus::BudgetExhausted);
        }

        // The length: what the controller wants, fitted to the interval, but no shorter than the budget's floor.
        // Running ahead takes a sample at t1: where the budget does not pay for that too, substeps end there as under
        // Exact.
        double h = std::min(natural, h_longest);
        const double count = std::ceil(remaining / h);
        const auto with_sample = affordable_substeps(report.evaluations + dense_cost(), workspace_.k0_ready);
        if (exact || static_cast<double>(with_sample) < count) {
            h = settings_.controller.clip_last ? std::min(h, remaining) : remaining / count;
        }
        const double budget_floor = affordable == kUnlimited ? 0.0 : remaining / static_cast<double>(affordable);
        const double floor = std::max(budget_floor, std::min(settings_.h_min, remaining));
        const bool at_floor = h <= floor;
        h = std::max(h, floor);
        if (h < remaining && h <= kTimeResolution * std::max(std::fabs(t_end_), std::fabs(t1))) {
            return give_up(StepStatus::StepTooSmall);
        }

        // The attempt, and its error; what is not finite is an error beyond any tolerance.
        const StepOutcome outcome = method_->step(system, t_begin_, h, workspace_);
        report.evaluations += outcome.evaluations;
        const bool finite = outcome.ok && all_finite(workspace_.y1);
        const double error = finite ? measure_error(system, h) : std::numeric_limits<double>::infinity();
        const auto judged = controller_.judge(error, h, attempt > 1);

        // Rejected, but a retry within the budget could not be shorter: accepted as it is, and said.
        const std::int64_t left = affordable_substeps(report.evaluations, true);
        const bool last_chance = left == 0 || (left != kUnlimited && remaining / static_cast<double>(left) >= h);
        const bool overruled = !judged.accepted && finite && (at_floor || last_chance);
        if (judged.accepted || overruled) {
            const bool on_manifold = project(manifold, t_begin_ + h, workspace_.y1, report);
            if (all_finite(workspace_.y1) && (on_manifold || overruled)) {
                h_next_ = judged.h_next;
                if (judged.accepted && h < natural) {
                    h_next_ = std::max(h_next_, natural); // the interval's end shortened it, not the error
                }
                if (overruled) {
                    report.degraded = true;
                    watch_stability(system, h, report);
                    report.unstable = report.unstable || !on_manifold;
                }
                report.accepted_after_retry += attempt > 1 ? 1 : 0;
                report.achieved_tolerance = std::max(report.achieved_tolerance, error * settings_.rtol);

                // The segment's end: t1 itself, or a sum that keeps what rounding takes away (Kahan).
                const double sum = t_begin_ + (h + t_carry_);
                t_carry_ = h == remaining ? 0.0 : (h + t_carry_) - (sum - t_begin_);
                t_end_ = h == remaining ? t1 : sum;
                accept(h, report);
                return true;
            }
        }

        // Rejected. A model that is not finite however short the substep has no future to compute.
        ++report.rejected;
        non_finite = finite ? 0 : non_finite + 1;
        if (!finite && (at_floor || left == 0 || non_finite == kMaxNonFinite || !all_finite(workspace_.k(0)))) {
            return give_up(StepStatus::NonFinite);
        }
        if (attempt == kMaxAttempts) {
            return give_up(StepStatus::StepTooSmall);
        }
        natural = judged.accepted ? 0.2 * h : judged.h_next;
        h_next_ = natural;
    }
}

// Hands out the state at t1, or where an advance that failed ended, and remembers its bits.
void IntegratorService::hand_out(OdeSystem& system, double t0, double t1, std::span<double> y,
                                 StepReport& report) noexcept {
    std::span<double> state = workspace_.y1;
    t_handed_ = report.status == StepStatus::ReachedTarget ? t1 : t_end_;
    if (report.status == StepStatus::ReachedTarget && (t_end_ != t1 || t_carry_ != 0.0)) {
        // Run ahead: t1 lies inside the segment. A sample is off the manifold by its own error; logic gets it
        // projected.
        state = workspace_.scratch;
        report.evaluations += make_interpolant(system);
        interpolant_.evaluate(t1, state);
        project(manifold_of(system), t1, state, report);
        if (!all_finite(state)) {
            report.status = StepStatus::NonFinite;
            restart(t0, y);
            state = workspace_.y1;
            t_handed_ = t0;
        }
    }
    std::ranges::copy(state, y.begin());
    std::ranges::copy(state, handed_.begin());
    report.simulated = t_handed_ - t0;
}

// Moves on to the next substep: the last end is the new start, with the derivative there if something computed it.
void IntegratorService::begin_substep() noexcept {
    const MethodInfo& info = method_->info();
    workspace_.swap_ends();
    workspace_.k0_ready = next_stage_is_known();
    if (fsal_ready_) {
        std::ranges::copy(workspace_.k(static_cast<std::size_t>(info.stages)), workspace_.k(0).begin());
    } else if (workspace_.k0_ready) {
        std::ranges::copy(f1_, workspace_.k(0).begin());
    }
    t_begin_ = t_end_;
    f1_ready_ = false;
    fsal_ready_ = false;
    interpolant_.clear();
}

// Takes begin_substep back, after attempts that led nowhere: the segment shrinks to its start.
void IntegratorService::abandon_substep() noexcept {
    workspace_.swap_ends();
    f1_ready_ = workspace_.k0_ready && method_->info().needs == MethodNeeds::Derivative && all_finite(workspace_.k(0));
    if (f1_ready_) {
        std::ranges::copy(workspace_.k(0), f1_.begin());
    }
}

void IntegratorService::accept(double h, StepReport& report) noexcept {
    h_segment_ = h;
    fsal_ready_ = method_->info().first_same_as_last;
    report.h_smallest = report.accepted == 0 ? h : std::min(report.h_smallest, h);
    report.h_largest = std::max(report.h_largest, h);
    ++report.accepted;
    lengths_[length_count_++ % lengths_.size()] = h;
}

// The system's projection, if the method leaves it to the service: splittings and velocity steps keep to the manifold,
// or not, by their own rules.
Projection* IntegratorService::manifold_of(OdeSystem& system) const noexcept {
    return method_->info().needs == MethodNeeds::Derivative ? system.projection() : nullptr;
}

bool IntegratorService::project(Projection* manifold, double t, std::span<double> y, StepReport& report) noexcept {
    if (manifold == nullptr) {
        return true;
    }
    ++report.projections;
    return manifold->project(t, y);
}

double IntegratorService::measure_error(OdeSystem& system, double h) const noexcept {
    if (ErrorMeasure* const measure = system.error_measure()) {
        return measure->measure(workspace_.y0, workspace_.error, settings_.atol, settings_.rtol);
    }
    return error_norm(settings_.norm, workspace_.error, workspace_.y0, workspace_.y1, workspace_.k(0), h,
                      settings_.atol, settings_.rtol);
}

void IntegratorService::watch_stability(OdeSystem& system, double h, StepReport& report) const noexcept {
    FrequencyBound* const bound = system.frequency_bound();
    const double omega = bound != nullptr ? bound->fastest_frequency() : method_->stage_frequency(workspace_, h);
    report.unstable = report.unstable || omega * h > method_->info().imaginary_limit;
}

// Makes sure that the interpolant covers the segment; returns the evaluations it took.
int IntegratorService::make_interpolant(OdeSystem& system) noexcept {
    if (interpolant_.is_set()) {
        return 0;
    }
    int evaluations = 0;
    if (!f1_ready_) {
        system.derivative(t_end_, workspace_.y1, f1_);
        f1_ready_ = true;
        ++evaluations;
    }
    if (method_->info().needs == MethodNeeds::Derivative) {
        interpolant_.set(t_begin_, h_segment_, workspace_.y0, workspace_.k(0), workspace_.y1, f1_);
    } else {
        // Splittings keep forces in their stages, not derivatives.
        system.derivative(t_begin_, workspace_.y0, workspace_.scratch);
        interpolant_.set(t_begin_, h_segment_, workspace_.y0, workspace_.scratch, workspace_.y1, f1_);
        ++evaluations;
    }
    if (method_->info().order >= 4) {
        interpolant_.raise_order(system);
        ++evaluations;
    }
    return evaluations;
}

bool IntegratorService::sample(OdeSystem& system, double t, std::span<double> y) noexcept {
    if (!has_memory_ || y.size() != workspace_.size() || !(t >= segment_begin() && t <= segment_end())) {
        return false;
    }
    if (t == t_end_) {
        std::ranges::copy(workspace_.y1, y.begin());
    } else {
        // The derivative at the end is not kept for the next substep: looking must not change what a budget affords.
        const bool known = f1_ready_;
        sampling_evaluations_ += make_interpolant(system);
        f1_ready_ = known;
        interpolant_.evaluate(t, y);
    }
    return true;
}

double IntegratorService::segment_begin() const noexcept { return t_begin_; }
double IntegratorService::segment_end() const noexcept { return t_end_; }

void IntegratorService::drop_segment() noexcept {
    settings_changed_ = true; // restarts the next advance at the state that it is given
}

void IntegratorService::reset() noexcept {
    has_memory_ = false;
    settings_changed_ = true;
    h_next_ = 0.0;
    sampling_evaluations_ = 0;
    length_count_ = 0;
}

void IntegratorService::set_remembered_step(double h) noexcept { h_next_ = std::isfinite(h) && h > 0.0 ? h : 0.0; }

// Lengths are written round and round: turns the ring so that the oldest comes first.
void IntegratorService::order_lengths() noexcept {
    if (length_count_ > lengths_.size()) {
        const auto oldest = lengths_.begin() + static_cast<std::ptrdiff_t>(length_count_ % lengths_.size());
        std::rotate(lengths_.begin(), oldest, lengths_.end());
        length_count_ = lengths_.size();
    }
}

// True if the first stage of the next substep is known already.
bool IntegratorService::next_stage_is_known() const noexcept {
    return fsal_ready_ || (f1_ready_ && method_->info().needs == MethodNeeds::Derivative);
}

// The substeps that the rest of the budget pays for, when the first stage of the next one is known or not.
std::int64_t IntegratorService::affordable_substeps(std::int64_t spent, bool stage_known) const noexcept {
    if (settings_.budget == 0) {
        return kUnlimited;
    }
    const MethodInfo& info = method_->info();
    std::int64_t left = settings_.budget - spent;
    if (info.first_same_as_last) {
        left -= stage_known ? 0 : 1;
    } else if (info.needs == MethodNeeds::Derivative) {
        left += stage_known ? 1 : 0;
    }
    return left < 0 ? 0 : left / info.stages;
}

// Evaluations that dense output of one segment may take.
int IntegratorService::dense_cost() const noexcept { return method_->info().order >= 4 ? 2 : 1; }

} // namespace substep
