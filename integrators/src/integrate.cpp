// The rules by which `integrate` and the batches go on, away from the stage loop.
#include "substep/integrators/integrate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "substep/numerics/elementary_functions.h"

#include "tolerances.h"

namespace substep {

void validate(const IntegrateSettings& settings) {
    const auto require = [](bool ok, const char* name, double value, const char* range) {
        if (!ok) {
            std::ostringstream message;
            message << name << " is " << value << "; it must be " << range << ".";
            throw std::invalid_argument(message.str());
        }
    };
    require(std::isfinite(settings.atol) && settings.atol > 0.0, "atol", settings.atol, "positive and finite");
    require(std::isfinite(settings.rtol) && settings.rtol > 0.0, "rtol", settings.rtol, "positive and finite");
    require(std::isfinite(settings.h_initial) && settings.h_initial >= 0.0, "h_initial", settings.h_initial,
            "zero (chosen by the method) or positive, in seconds");
    require(std::isfinite(settings.h_min) && settings.h_min >= 0.0, "h_min", settings.h_min,
            "zero or positive, in seconds");
    require(settings.h_max > 0.0 && settings.h_max >= settings.h_min, "h_max", settings.h_max,
            "positive and not below h_min, in seconds");
    require(settings.max_attempts >= 1, "max_attempts", static_cast<double>(settings.max_attempts), "at least 1");
}

namespace detail {

double Progress::limited(double length, const IntegrateSettings& settings) const {
    return direction_ * std::clamp(length, settings.h_min, settings.h_max);
}

StepController make_controller(const IntegrateSettings& settings, int error_order) {
    MethodInfo info;
    info.error_order = error_order;
    return {settings.controller, info};
}

void Progress::accept_elsewhere(std::int64_t n, double at, double at_carry) {
    accepted_ += n;
    retried_ = retried_ && n == 0;
    non_finite_ = n == 0 ? non_finite_ : 0;
    t = at;
    carry = at_carry;
}

void Progress::finish(StepStatus status) {
    status_ = status;
    finished_ = true;
}

void Progress::start(const IntegrateSettings& settings) {
    start_evaluations_ = 1;
    h = limited(settings.h_initial, settings);
}

double Progress::probe_step(std::span<const double> y, std::span<const double> f0,
                            const IntegrateSettings& settings) const {
    // An Euler step that changes y by a hundredth of itself.
    double d0 = 0.0;
    double d1 = 0.0;
    for (std::size_t e = 0; e < y.size(); ++e) {
        const double scale = settings.atol + settings.rtol * std::fabs(y[e]);
        d0 = std::max(d0, std::fabs(y[e]) / scale);
        d1 = std::max(d1, std::fabs(f0[e]) / scale);
    }
    const double guess = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    return direction_ * std::min(guess, std::fabs(t1_ - t0_));
}

void Progress::start(double probe, std::span<const double> y, std::span<const double> f0, std::span<const double> f1,
                     const IntegrateSettings& settings, int error_order) {
    start_evaluations_ = 2;
    double d1 = 0.0;
    double d2 = 0.0;
    for (std::size_t e = 0; e < y.size(); ++e) {
        const double scale = settings.atol + settings.rtol * std::fabs(y[e]);
        d1 = std::max(d1, std::fabs(f0[e]) / scale);
        d2 = std::max(d2, std::fabs((f1[e] - f0[e]) / probe) / scale);
    }
    // h^(q+1) max(d1, d2) = 0.01
    const double interval = std::fabs(t1_ - t0_);
    const double length = std::fabs(probe);
    const double largest = std::max(d1, d2);
    const double wanted = largest <= 1e-15 ? std::max(1e-6, length * 1e-3) : nth_root(0.01 / largest, error_order + 1);
    const double first = std::min({100.0 * length, wanted, interval});
    h = limited(first > 0.0 ? first : 1e-3 * interval, settings); // else not finite: the first attempt will say so
}

bool Progress::judge(const StepController& controller, const IntegrateSettings& settings, double error, double step,
                     bool last, bool start_is_finite) {
    const StepController::Decision judged = controller.judge(error, step, retried_, history_);
    const double wanted = std::fabs(judged.h_next);

    // Rejected, unless it cannot be shorter: a model that is not finite however short the substep has no future.
    if (!judged.accepted && (std::isnan(error) || std::fabs(step) > settings.h_min)) {
        ++rejected_;
        retried_ = true;
        non_finite_ = std::isnan(error) ? non_finite_ + 1 : 0;
        h = limited(wanted, settings);
        if (!start_is_finite || non_finite_ > kMaxNonFinite ||
            std::fabs(step) <= kTimeResolution * std::max(std::fabs(t), std::fabs(t1_))) {
            finish(std::isnan(error) ? StepStatus::NonFinite : StepStatus::StepTooSmall);
        } else if (attempts_left(settings) <= 0) {
            finish(StepStatus::BudgetExhausted);
        }
        return false;
    }
    degraded_ = degraded_ || !judged.accepted;

    // A substep that the end shortened says nothing against a longer one.
    h = limited(std::fabs(step) < std::fabs(h) ? std::max(wanted, std::fabs(h)) : wanted, settings);
    accept(error, step);
    if (last) {
        t = t1_;
        carry = 0.0;
        finish(StepStatus::ReachedTarget);
    } else if (attempts_left(settings) <= 0) {
        finish(StepStatus::BudgetExhausted);
    }
    return true;
}

IntegrateReport Progress::report(std::size_t stages, bool first_same_as_last) const {
    // Every attempt makes all stages but the first. That one is known at the start, in every retry, and where it is the
    // same as the last; otherwise it is made after every acceptance but the final one.
    const std::int64_t attempts = accepted_ + rejected_;
    const std::int64_t first_stages = first_same_as_last || attempts == 0 ? 0 : accepted_ - (retried_ ? 0 : 1);
    return {.status = status_,
            .degraded = degraded_,
            .simulated = t - t0_,
            .accepted = accepted_,
            .rejected = rejected_,
            .evaluations = start_evaluations_ + attempts * (static_cast<std::int64_t>(stages) - 1) + first_stages,
            .h_next = std::fabs(h)};
}

} // namespace detail

} // namespace substep
