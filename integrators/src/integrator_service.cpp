// The service: its calls, and what one advance begins and ends with. Substeps are made in integrator_fixed.cpp
// and integrator_adaptive.cpp, events located in integrator_events.cpp.
#include "substep/integrators/integrator_service.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

#include "integrator_settings.h"
#include "state_checks.h"
#include "substep/integrators/exact_advance.h"
#include "substep/integrators/tolerances.h"
#include "substep_messages.h"
#include "tolerances.h"

namespace substep {
namespace {

// Numbers of a state up to which `configure` makes the room that an advance wants. That of a larger one is megabytes,
// which take longer to touch for the first time than a step takes, and which a service that never advances never needs.
constexpr std::size_t kPreparedAtOnce = 1500;

} // namespace

IntegratorService::IntegratorService()
    : method_(detail::integration_method(kDefaultMethod)), fallback_(detail::integration_method("theta")),
      info_(&method_->info()), method_hash_(hash_of(info_->name)) {
    settings_.method.reserve(32); // another name in mid-run allocates nothing then
    settings_.method = kDefaultMethod;
    controller_ = StepController(settings_.controller, *info_);
}

void IntegratorService::configure(OdeSystem& system, const IntegratorSettings& settings) {
    // Everything that can throw comes first, so that a refusal changes nothing.
    if (const char* const why = why_unusable()) {
        throw std::logic_error(why);
    }
    const IntegrationMethod& method = detail::checked_method(settings);
    detail::require_capability(system, method.info());
    const StepController controller(settings.controller, method.info());

    // What changes the trajectory ends the segment: a new method starts at the state handed out last, with no stages of
    // its own. A budget says nothing about the trajectory.
    const bool same_trajectory = method.info().name == settings_.method && is_same_trajectory(settings_, settings);
    settings_changed_ = settings_changed_ || !same_trajectory;
    if (&method != method_) {
        fsal_ready_ = false; // stages of another method
        f1_ready_ = false;
    }
    const bool was_limited = settings_.budget > 0 || settings_.h_min > 0.0 || settings_.stabilise;
    if (!was_limited && (settings.budget > 0 || settings.h_min > 0.0 || settings.stabilise) &&
        method.info().needs == MethodNeeds::Derivative) {
        fsal_ready_ = false; // the stability guard wants frequencies with its derivatives
        f1_ready_ = false;
    }
    settings_ = settings;
    settings_.method = method.info().name;
    controller_ = controller;
    method_ = &method;
    info_ = &method.info();
    method_hash_ = hash_of(info_->name);
    if (!has_memory_ && system.size() <= kPreparedAtOnce) {
        prepare(system); // so that the first advance need not
    }
}

// Sizes the memory for this system and method. Allocates only when one of them changed.
void IntegratorService::prepare(OdeSystem& system) {
    const std::size_t n = system.size();
    const std::size_t slots = method_->stage_slots();
    const bool resized = workspace_.size() != n;
    if (resized || workspace_.stages() < slots) {
        interpolant_.resize(n);
        f1_.assign(n, 0.0);
        handed_.resize(n);
        event_state_.resize(n);
        as_it_was_.resize(n);
        located_.reserve(kRememberedEvents);
        workspace_.resize(n, slots); // last: its size says that all have theirs, also where memory ran out before
        settings_changed_ = true;
    }
    EventFunctions* const functions = system.event_functions();
    const std::size_t events = functions != nullptr ? functions->event_count() : 0;
    if (resized || events != locator_.count()) {
        locator_.resize(events, n);
        settings_changed_ = true;
    }
    if (info_->needs == MethodNeeds::VelocityStep) {
        const std::size_t remembered = system.velocity_step()->memory_size();
        workspace_.memory0.reserve(remembered);
        workspace_.memory1.reserve(remembered);
    }
    workspace_.theta = settings_.theta;
    const bool leaves_manifold_to_us =
        info_->needs == MethodNeeds::Derivative || info_->needs == MethodNeeds::LinearlyImplicitStep;
    const ErrorMeasure* const own = system.error_measure();
    workspace_.velocity_tolerance = settings_.atol / (kRateTime * (own != nullptr ? own->time_unit() : 1.0));
    projects_ = leaves_manifold_to_us && system.projection() != nullptr;
    finds_on_path_ = events > 0 && settings_.event_location == EventLocation::DenseOutput;
}

// Returns why no call can be made now; null where nothing speaks against it.
const char* IntegratorService::why_unusable() const noexcept {
    return !use_mark_.is_whole() ? "The IntegratorService was moved from; it may only be destroyed or assigned to."
           : use_mark_.is_in_use()
               ? "The IntegratorService was called while it was advancing, by its own model or by another thread."
               : nullptr;
}

StepReport IntegratorService::advance(OdeSystem& system, double t0, double t1, std::span<double> y) noexcept {
    if (const char* const why = why_unusable()) {
        StepReport report;
        report.status = StepStatus::InvalidInput;
        report.requested = t1 - t0;
        report.message = why;
        return report;
    }
    use_mark_.set_in_use(true);
    const StepReport report = advance_alone(system, t0, t1, y);
    use_mark_.set_in_use(false);
    return report;
}

StepReport IntegratorService::advance_alone(OdeSystem& system, double t0, double t1, std::span<double> y) noexcept {
    StepReport report;
    report.requested = t1 - t0;
    report.order = info_->order;
    report.method = info_->name;
    report.boundary = Boundary::Exact;
    attempt_count_ = 0;
    located_.clear();
    adopted_ = false;
    finishing_ = 0;
    work_at_begin_ = system.work_count();
    inner_at_begin_ = system.inner_work_count();
    if (!is_valid(system, t0, t1, y, report)) {
        return report;
    }
    try {
        prepare(system);
        if (info_->needs == MethodNeeds::VelocityStep) {
            system.velocity_step()->recall(workspace_.memory1);
        }
        const double direction = t1 == t0 ? direction_ : t1 > t0 ? 1.0 : -1.0;
        settings_changed_ = settings_changed_ || direction != direction_;
        if (direction != direction_ || !is_handed_time(t0)) {
            locator_.forget_times();
        }
        direction_ = direction;
        set_guard(system);
        floor_limit_ = std::numeric_limits<double>::infinity();
        t_overruled_ = std::numeric_limits<double>::quiet_NaN();

        // A stop ahead shortens the interval.
        const bool stops = direction_ * (settings_.t_stop - t0) >= 0.0 && direction_ * (t1 - settings_.t_stop) > 0.0;
        const double target = stops ? settings_.t_stop : t1;
        if (adopt(system, t0, y, report)) {
            if (info_->adaptive) {
                run_adaptive(system, target, report);
            } else {
                run_fixed(system, t0, target, report);
            }
        }
        hand_out(system, t0, target, y, report);
        if (stops && report.status == StepStatus::ReachedTarget) {
            report.status = StepStatus::ReachedStop;
        }
    } catch (const std::exception& exception) {
        recover(t0, t1, y, exception.what(), report);
    } catch (...) {
        recover(t0, t1, y, "an exception that is no std::exception", report);
    }
    count_work(system, report);
    report.degraded |= report.status == StepStatus::BudgetExhausted;
    if (report.status == StepStatus::BudgetExhausted && report.message == kBudgetSpent) {
        say_what_would_pay(report);
    }
    order_attempts();
    report.sampling_evaluations = std::exchange(sampling_evaluations_, 0);
    return report;
}

// Refuses, with a sentence, what cannot be advanced.
bool IntegratorService::is_valid(OdeSystem& system, double t0, double t1, std::span<const double> y,
                                 StepReport& report) noexcept {
    const auto refuse = [&](const char* sentence) {
        report.status = StepStatus::InvalidInput;
        report.message = sentence;
        return false;
    };
    if (!std::isfinite(t1 - t0)) {
        return refuse("t0 or t1 is not finite.");
    }
    if (y.empty()) {
        return refuse("The state is empty.");
    }
    if (y.size() != system.size()) {
        return refuse("The state's size is not the system's.");
    }
    if (!detail::all_finite(y)) {
        return refuse("The state holds a number that is not finite.");
    }
    if (t1 < t0 && (info_->needs == MethodNeeds::VelocityStep || info_->needs == MethodNeeds::LinearlyImplicitStep)) {
        return refuse("Velocity steps and linearly implicit steps do not run backwards in time.");
    }
    return true;
}

// Whether t is the time at which the state was handed out, but for the rounding of a host that counts frames.
bool IntegratorService::is_handed_time(double t) const noexcept {
    return std::fabs(t - t_handed_) <= kSameTime * std::max(std::fabs(t), std::fabs(t_handed_));
}

// Whether nothing has changed since the state was handed out.
bool IntegratorService::is_untouched(const OdeSystem& system, double t, std::span<const double> y) const noexcept {
    return has_memory_ && is_handed_time(t) && system.revision() == revision_ && detail::same_bits(y, handed_);
}

// Decides whether this call continues the last one, and whether substeps may run past its end. Where it does, t0
// becomes the time at which that one ended. Returns false, with the status set, if an event function cannot be
// evaluated where the advance starts.
bool IntegratorService::adopt(OdeSystem& system, double& t0, std::span<const double> y, StepReport& report) {
    const bool untouched = is_untouched(system, t0, y);
    calm_ = !has_memory_ ? kExactStepsAfterEdit : untouched ? std::min(calm_ + 1, kExactStepsAfterEdit) : 0;

    if (settings_.boundary == Boundary::RunAhead && info_->adaptive && calm_ == kExactStepsAfterEdit &&
        run_ahead_allowed_) {
        report.boundary = Boundary::RunAhead;
    }

    const bool segment_passes_t0 = t_end_ != t0 || t_carry_ != 0.0;
    const bool truncated = report.boundary == Boundary::Exact && segment_passes_t0;
    const bool starts_anew = !untouched || settings_changed_ || truncated;
    if (starts_anew) {
        report.restarted = has_memory_;
        restart(t0, y);
    } else {
        t0 = t_handed_;
    }
    settings_changed_ = false;
    revision_ = system.revision();
    has_memory_ = true;
    adopted_ = true;
    if (starts_anew && locator_.count() > 0 && !begin_to_look(system, t0, y)) {
        return refuse_event_value(report);
    }
    return true;
}

// Begins anew at (t0, y): remembered derivatives are worthless there, the length h is not.
void IntegratorService::restart(double t0, std::span<const double> y) noexcept {
    std::ranges::copy(y, workspace_.y1.begin());
    t_begin_ = t0;
    t_end_ = t0;
    t_carry_ = 0.0;
    h_segment_ = 0.0;
    by_fallback_ = false;
    f1_ready_ = false;
    fsal_ready_ = false;
    event_pending_ = false;
    history_ = {};
    interpolant_.clear();
}

// Hands out the state at t1, or where an advance that ended early stands, and remembers its bits.
void IntegratorService::hand_out(OdeSystem& system, double t0, double t1, std::span<double> y, StepReport& report) {
    bool samples = false;
    if (report.status == StepStatus::ReachedTarget && (t_end_ != t1 || t_carry_ != 0.0)) {
        // Run ahead: t1 lies inside the segment. A sample is off the manifold by its own error; logic gets it
        // projected. Also of methods that keep to the manifold themselves.
        report.evaluations += make_interpolant(system);
        interpolant_.evaluate(t1, workspace_.scratch);
        const bool on_manifold = project_sample(system.projection(), t1, workspace_.scratch, report);
        if (!detail::all_finite(workspace_.scratch)) {
            report.status = StepStatus::NonFinite;
            report.message = "The model is not finite where the dense output needs it.";
            restart(t0, y);
            settings_changed_ = true;
        } else if (on_manifold && !(locator_.count() > 0 && passes_surface(system, t1))) {
            samples = true;
        } else {
            remake_segment(system, t0, t1, y, report);
        }
    }
    t_handed_ = report.status == StepStatus::ReachedTarget ? t1 : t_end_;
    if (direction_ * (t_handed_ - t0) < 0.0) { // it began before this advance
        restart(t0, y);
        t_handed_ = t0;
    }
    const std::span<const double> state = samples ? workspace_.scratch : workspace_.y1;
    std::ranges::copy(state, y.begin());
    std::ranges::copy(state, handed_.begin());
    report.simulated = t_handed_ - t0;
}

// Whether the sample at t1 was projected beyond a surface, of which the path there knows nothing: a limit that a body
// would be seen behind.
bool IntegratorService::passes_surface(OdeSystem& system, double t1) {
    if (system.projection() == nullptr) {
        return false;
    }
    interpolant_.evaluate(t1, as_it_was_);
    return locator_.has_passed(*system.event_functions(), t1, as_it_was_, workspace_.scratch);
}

// A segment too long for its dense output is made again, to end at t1: from its start, or from t0, where the state is
// y, or from its last event, whichever is latest, so that nothing happens before what was handed out or announced.
// Events from there on were found on a path that is gone, and are looked for anew.
void IntegratorService::remake_segment(OdeSystem& system, double t0, double t1, std::span<const double> y,
                                       StepReport& report) {
    const auto is_later = [&](double a, double b) { return direction_ * (a - b) > 0.0; };
    const double last_event = finds_on_path_ ? locator_.looked_from() : t_begin_;
    if (is_later(last_event, t_begin_) && !is_later(t0, last_event)) {
        interpolant_.evaluate(last_event, workspace_.scratch);
        if (!project_sample(system.projection(), last_event, workspace_.scratch, report)) {
            interpolant_.evaluate(last_event, workspace_.scratch); // as it was announced, and said to be degraded
        }
        restart(last_event, workspace_.scratch);
    } else if (is_later(t0, t_begin_)) {
        restart(t0, y);
    } else {
        forget_first_stage();
        abandon_substep();
        t_end_ = t_begin_;
        t_carry_ = 0.0;
        event_pending_ = false;
    }
    report.boundary = Boundary::Exact;
    h_next_ = std::min(h_next_, remaining_to(t1));
    if (locator_.count() > 0) {
        locator_.set_watch(locator_.watch_at_begin());
        if (!begin_to_look(system, t_end_, workspace_.y1)) {
            refuse_event_value(report);
            return;
        }
    }
    run_adaptive(system, t1, report);
}

// After the model threw: the last good state is the end of the last substep; if that lies beyond t1, the advance is
// taken back.
void IntegratorService::recover(double t0, double t1, std::span<double> y, const char* what,
                                StepReport& report) noexcept {
    std::snprintf(message_.data(), message_.size(), "The model threw: %s", what);
    report.status = StepStatus::ModelThrew;
    report.message = message_.data();
    has_memory_ = false;
    if (workspace_.size() != y.size()) {
        return; // before there was any memory
    }
    t_handed_ = t0;
    if (!adopted_) {
        report.simulated = 0.0;
        attempting_ = false;
        restart(t0, y);
        return;
    }
    if (attempting_) {
        workspace_.swap_ends();
        attempting_ = false;
        t_end_ = t_begin_;
        t_carry_ = 0.0;
    }
    if (t_end_ == t1 || remaining_to(t1) > 0.0) {
        t_handed_ = t_end_;
        std::ranges::copy(workspace_.y1, y.begin());
    }
    restart(t_handed_, y);
    report.simulated = t_handed_ - t0;
}

// Everything but a sample from an interpolant that is there.
bool IntegratorService::begin_sampling(OdeSystem& system, double t, std::span<double> y) noexcept {
    if (!use_mark_.is_whole() || !has_memory_ || y.size() != workspace_.size() ||
        !(t >= segment_begin() && t <= segment_end())) {
        return false;
    }
    if (t == t_end_) {
        std::ranges::copy(workspace_.y1, y.begin());
        return true;
    }
    if (settings_changed_) {
        return false; // the segment belongs to settings that are gone
    }
    if (!interpolant_.is_set()) {
        // The derivative at the end is not kept for the next substep: looking must not change what a budget affords.
        const bool known = f1_ready_;
        try {
            sampling_evaluations_ += make_interpolant(system);
        } catch (...) {
            interpolant_.clear();
            f1_ready_ = false;
            return false;
        }
        f1_ready_ = known;
    }
    interpolant_.evaluate(t, y);
    return true;
}

void IntegratorService::drop_segment() noexcept {
    settings_changed_ = true; // restarts the next advance at the state that it is given
    interpolant_.clear();
}

void IntegratorService::forget_events() noexcept {
    locator_.resize(0, workspace_.size()); // `prepare` makes it watch those that the model has
    event_pending_ = false;
    settings_changed_ = true;
}

void IntegratorService::reset() noexcept {
    has_memory_ = false;
    settings_changed_ = true;
    h_next_ = 0.0;
    history_ = {};
    event_pending_ = false;
    workspace_.memory0.clear();
    workspace_.memory1.clear();
    sampling_evaluations_ = 0;
    attempt_count_ = 0;
    located_.clear();
    interpolant_.clear();
    locator_.resize(0, workspace_.size());
}

void IntegratorService::set_remembered_step(double h) noexcept { h_next_ = std::isfinite(h) && h > 0.0 ? h : 0.0; }

std::size_t IntegratorService::limiting_component(OdeSystem& system) const {
    const std::size_t n = system.size();
    if (!use_mark_.is_whole() || !has_memory_ || !info_->adaptive || n != workspace_.size() || h_segment_ == 0.0) {
        return n;
    }
    // Each component's error alone, measured as the controller measures them together.
    std::vector<double> alone(n, 0.0);
    std::size_t limiting = n;
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        alone[i] = workspace_.error[i];
        const double error = measure(system, alone, h_segment_);
        alone[i] = 0.0;
        if (error > largest) {
            largest = error;
            limiting = i;
        }
    }
    return limiting;
}

} // namespace substep
