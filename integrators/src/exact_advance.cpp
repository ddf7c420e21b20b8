// The rules of an advance under plain settings. IntegratorService makes the same decisions among many others: that both
// agree to the bit is tested on bodies (tests/engine/free_bodies_test.cpp).
#include "substep/integrators/exact_advance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "substep/integrators/integrator_service.h"
#include "substep/numerics/elementary_functions.h"
#include "tolerances.h"

namespace substep {

bool is_same_trajectory(const IntegratorSettings& before, const IntegratorSettings& now) noexcept {
    return now.substeps == before.substeps && now.theta == before.theta && now.stabilise == before.stabilise &&
           now.atol == before.atol && now.rtol == before.rtol && now.boundary == before.boundary &&
           now.h_max == before.h_max && now.t_stop == before.t_stop && now.norm == before.norm &&
           now.event_location == before.event_location;
}

bool is_plain(const IntegratorSettings& settings) noexcept {
    return settings.boundary == Boundary::Exact && settings.budget == 0 && !(settings.h_min > 0.0) &&
           !settings.stabilise && settings.t_stop == std::numeric_limits<double>::infinity();
}

double FirstLength::probe(double of_state, double of_rate) const noexcept {
    const double d1 = of_rate * unit;
    const double length = (of_state < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * (of_state / d1)) * unit;
    return std::min(length, remaining);
}

double FirstLength::length(double probe, double of_rate, double of_change, int error_order) const noexcept {
    const double d2 = of_change * unit / (probe / unit);
    const double steepest = std::max(of_rate * unit, d2);
    if (!std::isfinite(steepest)) {
        return 0.1 * remaining;
    }
    const double h1 =
        steepest <= 1e-15 ? std::max(1e-6, 1e-3 * (probe / unit)) : nth_root(0.01 / steepest, error_order + 1);
    return std::min({100.0 * probe, h1 * unit, remaining});
}

void ExactAdvance::begin(const AdvanceMemory& memory, double t0, double t1, bool untouched) noexcept {
    const bool is_handed_time =
        std::fabs(t0 - memory.t_handed) <= kSameTime * std::max(std::fabs(t0), std::fabs(memory.t_handed));
    const bool goes_on = memory.has_memory && untouched && is_handed_time;
    calm_ = static_cast<std::uint8_t>(!memory.has_memory ? kExactStepsAfterEdit
                                      : goes_on          ? std::min(memory.calm + 1, kExactStepsAfterEdit)
                                                         : 0);
    const bool starts_anew = !goes_on || memory.settings_changed || memory.t_handed != t0;
    has_restarted_ = starts_anew && memory.has_memory;
    history_ = starts_anew ? StepController::History{} : memory.history;
    h_next_ = memory.h_next;
    t_end_ = t0;
    t1_ = t1;
    carry_ = 0.0;
    accepted = accepted_after_retry = rejected = 0;
    h_smallest = h_largest = h_last = largest_error = 0.0;
}

void ExactAdvance::begin_substep(double first) noexcept {
    h_shortest_ = kTimeResolution * std::max(std::fabs(t_end_), std::fabs(t1_));
    natural_ = std::max(knows_length() ? h_next_ : first, 2.0 * h_shortest_);
    attempt_ = 1;
}

double ExactAdvance::next_length(double h_max, bool clip_last) noexcept {
    const double left = remaining();
    const double longest = std::min(natural_, h_max);
    h_last = clip_last ? std::min(longest, left) : left / std::ceil(left / longest);
    return h_last < left && h_last <= h_shortest_ ? 0.0 : h_last;
}

ExactAdvance::Verdict ExactAdvance::judge(const StepController& controller, double error) noexcept {
    if (!std::isfinite(error)) {
        return Verdict::GaveUp;
    }
    const StepController::Decision judged = controller.judge(error, h_last, attempt_ > 1, history_);
    if (!judged.accepted) {
        if (attempt_ == kMaxAttempts) {
            return Verdict::GaveUp;
        }
        ++rejected;
        ++attempt_;
        h_next_ = natural_ = std::min(natural_, judged.h_next);
        return Verdict::Rejected;
    }
    h_next_ = judged.h_next;
    if (h_last < kShortened * natural_) {
        h_next_ = std::max(h_next_, natural_); // the interval's end shortened it, not the error
    } else {
        history_ = {error, h_last};
    }
    accepted_after_retry += attempt_ > 1 ? 1 : 0;
    largest_error = std::max(largest_error, error);
    accept(h_last);
    return Verdict::Accepted;
}

void ExactAdvance::accept(double h) noexcept {
    if (h == remaining()) {
        t_end_ = t1_;
        carry_ = 0.0;
    } else {
        const double t_begin = t_end_;
        t_end_ = t_begin + (h + carry_);
        carry_ = (h + carry_) - (t_end_ - t_begin);
    }
    h_smallest = accepted == 0 ? h : std::min(h_smallest, h);
    h_largest = std::max(h_largest, h);
    ++accepted;
}

} // namespace substep
