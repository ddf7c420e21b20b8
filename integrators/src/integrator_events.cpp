// Events within an advance: found along a segment, waited for, announced, and what becomes of the integration then.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "state_checks.h"
#include "substep/integrators/integrator_service.h"
#include "substep_messages.h"
#include "tolerances.h"

namespace substep {

bool IntegratorService::event_is_due(double t1) const noexcept {
    return event_pending_ && direction_ * (locator_.time() - t1) <= 0.0;
}

bool IntegratorService::awaits_event(const OdeSystem& system, double t, std::span<const double> y,
                                     std::size_t event) const noexcept {
    const bool segment_passes_t = t_end_ != t || t_carry_ != 0.0;
    const bool is_truncated = segment_passes_t && !run_ahead_allowed_;
    return event < locator_.count() && !settings_changed_ && !is_truncated && is_untouched(system, t, y) &&
           locator_.may_come(event);
}

bool IntegratorService::refuse_event_value(StepReport& report) noexcept {
    report.status = StepStatus::NonFinite;
    report.message = "An event function returned a number that is not finite.";
    settings_changed_ = true; // the next advance begins to watch anew
    return false;
}

// Watches event functions anew from (t, y). What the last substep's stages told, of times behind t too, holds no more.
bool IntegratorService::begin_to_look(OdeSystem& system, double t, std::span<const double> y) {
    begin_watched_attempt(system, t, 0.0);
    return locator_.begin(*system.event_functions(), t, y);
}

// Looks along the substep just made, on the way to t1, for the first event, and asks the model whether it may stand.
// Returns false, with the status set, if that cannot be told.
bool IntegratorService::watch_segment(OdeSystem& system, double t1, StepReport& report) {
    taken_back_ = false;
    attempting_ = true; // until its events are known, the substep may be taken back
    if (finds_on_path_) {
        report.evaluations += make_interpolant(system);
        if (!look_for_event(system, t_begin_, work_limit(system, report), report)) {
            abandon_substep();
            t_end_ = t_begin_;
            t_carry_ = 0.0;
            return false;
        }
        count_work(system, report);
    }
    if (!stands(system, t1, report)) {
        take_back(system, report);
        if (!begin_to_look(system, t_end_, workspace_.y1)) {
            return refuse_event_value(report);
        }
    }
    attempting_ = false;
    return true;
}

// Whether the substep just made is to stay: because the model says so, or it could not be made shorter.
bool IntegratorService::stands(OdeSystem& system, double t1, StepReport& report) {
    SubstepWatch* const watch = system.substep_watch();
    if (watch == nullptr || by_fallback_) {
        return true;
    }
    const bool is_cut = event_pending_ && finds_on_path_ && locator_.time() != t_end_;
    if (is_cut) {
        interpolant_.evaluate(locator_.time(), workspace_.scratch);
    }
    if (watch->holds_until(is_cut ? locator_.time() : t_end_, is_cut ? workspace_.scratch : workspace_.y1)) {
        return true;
    }
    const double h = 0.5 * std::fabs(h_segment_);
    const double resolved = kTimeResolution * std::max(std::fabs(t_begin_), std::fabs(t1));
    const std::int64_t affordable = affordable_substeps(spent(report), false);
    const bool leaves_reserve = info_->adaptive && affordable_substeps(spent(report) + reserve(), false) > 0;
    const bool is_paid_for =
        leaves_reserve || settings_.budget == 0 || std::fabs(t1 - t_begin_) <= h * static_cast<double>(affordable);
    const bool stays = h <= resolved || h < settings_.h_min || !is_paid_for;
    report.degraded = report.degraded || stays;
    return stays;
}

// Back to the start of the substep just made, in which nothing has been announced. Its successor is half as long.
void IntegratorService::take_back(OdeSystem& system, StepReport& report) {
    const double h = std::fabs(h_segment_);
    forget_first_stage(); // the model may have changed f
    abandon_substep();
    t_end_ = t_begin_;
    t_carry_ = 0.0;
    event_pending_ = false;
    const std::uint64_t changed = system.revision();
    revision_ = changed;
    locator_.set_watch(locator_.watch_at_begin());
    taken_back_ = true;
    h_next_ = h_standing_ = 0.5 * h;
    --report.accepted;
    ++report.rejected;
    record_attempt(h, std::numeric_limits<double>::infinity(), false);
}

bool IntegratorService::look_for_event(OdeSystem& system, double from, const WorkLimit& limit, StepReport& report) {
    switch (locator_.scan(*system.event_functions(), interpolant_, from, t_end_, workspace_.y1, limit)) {
    case EventLocator::Outcome::Nothing:
        return true;
    case EventLocator::Outcome::Found:
        event_pending_ = true;
        return true;
    case EventLocator::Outcome::Spent:
        return give_up_scan(system, report);
    case EventLocator::Outcome::NotANumber:
        break;
    }
    return refuse_event_value(report);
}

// Announces the event that time has reached, and goes on as the model says. Returns false if the advance ends here.
bool IntegratorService::fire_event(OdeSystem& system, StepReport& report) {
    EventFunctions& functions = *system.event_functions();
    const double t = locator_.time();
    const bool at_end = t == t_end_;
    event_pending_ = false;

    // The state at the event, once for the model to change and once as it was.
    if (at_end) {
        std::ranges::copy(workspace_.y1, event_state_.begin());
    } else {
        // What joints cannot follow is kept, and said.
        interpolant_.evaluate(t, workspace_.scratch);
        report.degraded |= !project_sample(manifold_of(system), t, workspace_.scratch, report);
        if (!detail::all_finite(workspace_.scratch)) {
            interpolant_.evaluate(t, workspace_.scratch);
        }
        if (!detail::all_finite(workspace_.scratch)) {
            std::ranges::copy(workspace_.y0, as_it_was_.begin());
            end_segment_at(t_begin_, as_it_was_);
            settings_changed_ = true;
            report.status = StepStatus::NonFinite;
            report.message = "The model is not finite where the dense output needs it.";
            return false;
        }
        std::ranges::copy(workspace_.scratch, event_state_.begin());
    }
    std::ranges::copy(event_state_, as_it_was_.begin());

    report.events += static_cast<std::int64_t>(locator_.events().size());
    for (const std::size_t event : locator_.events()) {
        if (located_.size() == located_.capacity()) {
            located_.erase(located_.begin());
        }
        located_.push_back({t, event});
    }

    EventAction action = EventAction::Stop;
    try {
        action = functions.on_event(t, locator_.events(), event_state_);
    } catch (...) {
        retreat_before_event(t);
        throw;
    }
    if (action == EventAction::Continue && !detail::same_bits(event_state_, as_it_was_)) {
        retreat_before_event(t);
        throw std::logic_error(
            "on_event changed the state and returned Continue, which keeps no change: return Restart.");
    }
    if (action == EventAction::Continue) {
        if (!locator_.resume(functions, t, as_it_was_)) {
            end_segment_at(t, as_it_was_);
            return refuse_event_value(report);
        }
        if (at_end || look_for_event(system, t, work_limit(system, report), report)) {
            return true;
        }
        end_segment_at(t, as_it_was_);
        return false;
    }

    // The segment ends here; from here on everything is new but the length h.
    const bool finite = detail::all_finite(event_state_);
    end_segment_at(t, finite ? event_state_ : as_it_was_);
    history_ = {};
    revision_ = system.revision();
    if (!finite) {
        report.status = StepStatus::NonFinite;
        report.message = "The model made the state not finite at an event.";
        return false;
    }
    const std::size_t count = functions.event_count();
    const bool same_list = count == locator_.count();
    finds_on_path_ = settings_.event_location == EventLocation::DenseOutput && count > 0;
    if (!(same_list ? locator_.resume(functions, t, workspace_.y1)
                    : locator_.resume_with(functions, count, t, workspace_.y1))) {
        return refuse_event_value(report);
    }
    if (locator_.accumulates()) {
        report.status = StepStatus::StepTooSmall;
        report.message =
            "Events follow each other faster than time resolves, as bounces do that never end; on_event must "
            "end them once they are small.";
        return false;
    }
    if (action == EventAction::Stop) {
        report.status = StepStatus::EventLocated;
        return false;
    }
    return true;
}

// The segment ends at an event, with the state given; from here on everything is new but the length h.
void IntegratorService::end_segment_at(double t, std::span<const double> y) noexcept {
    std::ranges::copy(y, workspace_.y1.begin());
    t_end_ = t;
    t_carry_ = 0.0;
    f1_ready_ = false;
    fsal_ready_ = false;
    if (!interpolant_.is_set()) {
        t_begin_ = t; // none can be made any more: its end was another state
    }
}

// After `on_event` threw: back to where the event is still ahead, so that it is met again.
void IntegratorService::retreat_before_event(double t) noexcept {
    const double back = direction_ * 2.0 * kEventWindow * (std::fabs(t) + std::fabs(h_segment_));
    if (interpolant_.is_set() && direction_ * (t - back - t_begin_) > 0.0) {
        interpolant_.evaluate(t - back, as_it_was_);
        end_segment_at(t - back, as_it_was_);
    } else {
        std::ranges::copy(workspace_.y0, as_it_was_.begin());
        end_segment_at(t_begin_, as_it_was_);
    }
}

// EventLocation::RepeatShorter, after an attempt of length h. Where it passed a surface, the substep is repeated with
// lengths between (the secant, kept honest by halving: Illinois) until the crossing lies within the window; h is then
// the length that reaches it, and y1 the state there.
IntegratorService::Meeting IntegratorService::meet_surface(OdeSystem& system, double& h, StepReport& report) {
    EventFunctions& functions = *system.event_functions();
    Projection* const manifold = manifold_of(system);
    const auto end_of = [&](double length) { return t_begin_ + direction_ * length; };
    const std::int64_t sample = report.boundary == Boundary::RunAhead ? dense_cost() : 0;
    const auto affordable = [&] { return affordable_substeps(spent(report) + sample, true); };
    bool left_manifold = false; // the last attempt
    const auto attempt = [&](double length) {
        const StepOutcome outcome = attempt_substep(system, length);
        report.evaluations += outcome.evaluations;
        const bool on_manifold = outcome.ok && project(manifold, end_of(length), workspace_.y1, report);
        left_manifold = outcome.ok && !on_manifold && detail::all_finite(workspace_.y1);
        return on_manifold && detail::all_finite(workspace_.y1)
                   ? locator_.margin(functions, end_of(length), workspace_.y1)
                   : std::numeric_limits<double>::quiet_NaN();
    };

    double margin = locator_.margin(functions, end_of(h), workspace_.y1);
    double inside = 0.0;
    double inside_margin = locator_.margin_at_begin();
    if (locator_.may_have_hopped() && affordable() >= kHopCosts) {
        const double hop = find_hop(system, h, report);
        if (hop > 0.0) {
            const double away = std::isnan(attempt(hop)) ? 0.0 : locator_.arm_hops();
            inside = away > 0.0 ? hop : inside;
            inside_margin = away > 0.0 ? away : inside_margin;
            margin = attempt(h);
        }
    }
    if (margin > 0.0) {
        locator_.move_on();
        return Meeting::None;
    }

    double beyond = h;
    double beyond_margin = margin;
    bool beyond_left_manifold = false;
    const double window = kEventWindow * (std::fabs(t_begin_) + h);
    int same_side = 0;
    for (int i = 0; i < kMaxRepetitions && beyond - inside > window; ++i) {
        if (affordable() < 3 || is_beyond_bound(system, report)) {
            break; // two are left to return to lengths already tried: beyond, and from there before the surface
        }
        const double width = beyond - inside;
        double length = inside + 0.5 * width;
        if (std::isfinite(beyond_margin) && std::isfinite(inside_margin) && i % 4 != 3) {
            length = inside + width * inside_margin / (inside_margin - beyond_margin);
            length = std::clamp(length, inside + 0.25 * window, beyond - 0.25 * window);
        }
        margin = attempt(length);
        count_work(system, report);
        if (margin > 0.0) {
            inside = length;
            inside_margin = margin;
            beyond_margin *= same_side > 0 ? 0.5 : 1.0;
            same_side = 1;
        } else {
            beyond = length;
            beyond_margin = margin;
            beyond_left_manifold = left_manifold;
            inside_margin *= same_side < 0 ? 0.5 : 1.0;
            same_side = -1;
        }
    }

    // The side that is asked for. Where the model does not exist beyond, the near side it is, if that is the surface.
    const bool located = beyond - inside <= window;
    if (located && !std::isnan(beyond_margin)) {
        (void)attempt(beyond);
        locator_.take_nearest(end_of(beyond));
        h = beyond;
        if (!locator_.wants_before()) {
            event_pending_ = true;
            return Meeting::Found;
        }
    }
    h = inside;
    if (inside > 0.0) {
        margin = attempt(inside);
    } else {
        std::ranges::copy(workspace_.y0, workspace_.y1.begin());
        end_moved_ = true; // the last stage is that of another length
        margin = locator_.margin(functions, t_begin_, workspace_.y1);
    }
    if (located && std::isnan(beyond_margin) && margin > kArrived) {
        abandon_substep();
        refuse_event_value(report);
        if (beyond_left_manifold) {
            report.status = StepStatus::StepTooSmall;
            report.message = kLeavesManifold;
        }
        return Meeting::Failed;
    }
    if (located) {
        locator_.take_nearest(end_of(inside));
        event_pending_ = true;
        return Meeting::Found;
    }
    report.degraded = true;
    locator_.move_on();
    return Meeting::None;
}

// When, after the substep's start, a function that was zero there is seen to have left zero to the side from which its
// event comes, s; 0 if none is.
double IntegratorService::find_hop(OdeSystem& system, double h, StepReport& report) {
    std::span<const double> f = workspace_.k(0);
    if (info_->needs != MethodNeeds::Derivative) {
        system.derivative(t_begin_, workspace_.y0, workspace_.scratch);
        ++report.evaluations;
        f = workspace_.scratch;
    }
    return std::fabs(locator_.find_hop(*system.event_functions(), t_begin_, direction_ * h, workspace_.y0, f));
}

// True if the tangent at the substep's start leads across an event's surface within h. Where a substep failed there,
// the model may be undefined beyond: on dense output an event is located behind a substep that has passed its surface.
bool IntegratorService::leads_beyond_event(OdeSystem& system, double h) {
    if (locator_.count() == 0 || repeats_shorter() || !detail::all_finite(workspace_.k(0))) {
        return false;
    }
    follow_tangent(h, workspace_.scratch);
    return locator_.margin(*system.event_functions(), t_begin_ + direction_ * h, workspace_.scratch) <= 0.0;
}

// The same, and the model, asked there, is not finite. One evaluation, where the budget pays for it.
bool IntegratorService::is_undefined_beyond_event(OdeSystem& system, double h, StepReport& report) {
    if (!leads_beyond_event(system, h) || (settings_.budget > 0 && spent(report) >= settings_.budget)) {
        return false;
    }
    ++report.evaluations;
    system.derivative(t_begin_ + direction_ * h, workspace_.scratch, workspace_.error);
    return !detail::all_finite(workspace_.error);
}

// True if the model ends where an event's surface is: the event is then the segment's end itself.
bool IntegratorService::arrived_at_surface(OdeSystem& system) {
    const double margin = locator_.margin(*system.event_functions(), t_end_, workspace_.y1);
    if (!(margin <= kArrived)) {
        return false;
    }
    locator_.take_nearest(t_end_);
    event_pending_ = true;
    return true;
}

} // namespace substep
