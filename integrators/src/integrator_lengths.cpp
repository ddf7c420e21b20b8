// The length of an adaptive method's next attempt: the controller's, fitted to interval, budget and stability.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "adaptive_search.h"
#include "substep/integrators/exact_advance.h"
#include "substep/integrators/integrator_service.h"
#include "tolerances.h"

namespace substep {

// What the attempts from here share; where nothing is known of the first length, after a look at the model.
IntegratorService::Search IntegratorService::begin_search(OdeSystem& system, double t1, StepReport& report) {
    Search search;
    search.remaining = remaining_to(t1);
    search.to_stop = remaining_to(settings_.t_stop);
    search.exact = report.boundary == Boundary::Exact;
    search.h_longest = settings_.h_max;
    if (!search.exact) {
        search.h_longest = std::min(search.h_longest, longest_ahead(system, std::fabs(report.requested)));
        if (ErrorMeasure* const own = system.error_measure()) {
            // What t1 cannot be read from ends there.
            const double readable = info_->needs == MethodNeeds::Derivative
                                        ? own->longest_readable_by_stages(workspace_.y0)
                                        : own->longest_readable(workspace_.y0, settings_.atol, settings_.rtol);
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

// How long a substep that runs ahead may be: whole calls, as many as fit into the time that the model names. Calls that
// are longer than that are no frames of a picture, and may count in days.
double IntegratorService::longest_ahead(OdeSystem& system, double requested) const {
    const ErrorMeasure* const own = system.error_measure();
    const double named = own != nullptr ? own->longest_segment() : std::numeric_limits<double>::infinity();
    const double calls = std::floor((1.0 + kRoundingOfCalls) * (named / requested));
    return (std::isfinite(calls) && calls >= 1.0 ? calls : kLongestSegment) * requested;
}

// True if the next attempt leaves the budget's reserve whole, and the controller may still bring the substeps to the
// end before only that is left: else the budget does not suffice, and the sooner that is noticed the better. Where
// theta can finish the interval, one that would reach its end as well may be tried without: a guard that looks only at
// frequencies would not let it.
bool IntegratorService::is_free(const Search& search, const StepReport& report) const noexcept {
    if (settings_.budget == 0) {
        return true;
    }
    const std::int64_t so_far = spent(report) - search.looked;
    const double h = std::min(search.natural, search.h_longest);
    const std::int64_t sample = search.exact ? 0 : dense_cost();
    const std::int64_t before_reserve = affordable_substeps(so_far + reserve(), workspace_.k0_ready);
    if (affordable_substeps(so_far + sample, workspace_.k0_ready) > 0 &&
        detail::may_arrive(settings_.controller, h, search.attempt > 1, search.remaining, before_reserve)) {
        return true;
    }
    const bool can_finish = search.has_theta && h >= search.remaining;
    return can_finish && affordable_substeps(so_far + 1 + dense_cost(), workspace_.k0_ready) > 0;
}

// Has the guard look at the model where this substep begins, once, and turns it on where it waited for the reserve.
void IntegratorService::look_under_guard(OdeSystem& system, Search& search, StepReport& report) {
    if (guards_reserve_ && search.attempt > 1 && affordable_substeps(spent(report), workspace_.k0_ready) > 0 &&
        affordable_substeps(spent(report), false) == 0) {
        // A look would cost the last substep. What the attempt before it measured tells as much.
        search.omega = std::numeric_limits<double>::infinity();
        search.guarded = true;
        return;
    }
    if (guards_reserve_) {
        guards_reserve_ = false;
        guarded_ = true;
        forget_first_stage(); // it was evaluated without asking for its frequency
    }
    if (!search.guarded && guarded_ && affordable_substeps(spent(report), workspace_.k0_ready) > 0) {
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
    const auto with_sample = affordable_substeps(spent(report) - search.looked + dense_cost(), workspace_.k0_ready);
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
        search.most = detail::error_growth(factor, info_->error_order);
    }
    search.at_floor = h <= floor && (!search.stretches || h <= search.h_allowed);
    search.h = std::max(h, floor);
    search.floor = floor;
}

// By how much substeps in the reserve have to be longer than the controller's, if those go on to cost what they have
// cost in this advance. Where lengths differ, as along an eccentric orbit, it spares the short ones. They may turn out
// to cost more: of the reserve a fifth is again left to the floor alone.
double IntegratorService::stretch(const Search& search, const StepReport& report) const noexcept {
    const std::int64_t last = std::max(reserve() / kReservedPart, substep_cost());
    const bool pays_for_few = settings_.budget < kFewSubsteps * substep_cost();
    if (pays_for_few || affordable_substeps(spent(report) - search.looked + last, workspace_.k0_ready) == 0) {
        return std::numeric_limits<double>::infinity();
    }
    const double done = std::fabs(report.requested) - search.remaining;
    const auto so_far = static_cast<double>(spent(report));
    const double left = static_cast<double>(settings_.budget) - so_far;
    return done > 0.0 ? std::max(1.0, (search.remaining / done) * (so_far / left))
                      : std::numeric_limits<double>::infinity();
}

// A substep that may have to be accepted whatever its error must at least be stable: no longer than the floor, or made
// by theta where that is too long as well, which is what false says. Where an attempt was measured, and found a little
// too long, the method is worth more than theta: no further from it than a stretch goes.
bool IntegratorService::keep_stable(Search& search, std::int64_t affordable) const noexcept {
    const double largest = detail::error_growth(kLongestStretch, info_->error_order);
    const auto is_followed = [&] {
        const double expected =
            search.tried_error * detail::error_growth(search.h / search.tried_h, info_->error_order);
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

// The first substep's length: one evaluation tells how fast the derivative changes (Hairer, Norsett & Wanner I, II.4).
// Where the budget does not pay for that, or the model is not finite there, a tenth of the interval.
double IntegratorService::first_length(OdeSystem& system, double remaining, StepReport& report) {
    const int cost = (workspace_.k0_ready ? 1 : 2) + (guards_reserve_ ? 1 : 0); // the guard evaluates the first again
    if (info_->needs != MethodNeeds::Derivative || affordable_substeps(spent(report) + cost, true) < 1) {
        return 0.1 * remaining;
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
    const FirstLength choice{remaining, system.error_measure() != nullptr ? system.error_measure()->time_unit() : 1.0};
    const double h0 = short_of_stop(choice.probe(d0, d1));

    // An explicit Euler step of that length, and the change of the derivative along it.
    const std::span<double> f1 = workspace_.scratch;
    follow_tangent(h0, workspace_.y1);
    system.derivative(t_begin_ + direction_ * h0, workspace_.y1, f1);
    ++report.evaluations;
    for (std::size_t i = 0; i < f0.size(); ++i) {
        workspace_.error[i] = f1[i] - f0[i];
    }
    return choice.length(h0, d1, size_of(workspace_.error), info_->error_order);
}

} // namespace substep
