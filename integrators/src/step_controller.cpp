// The laws of step size control, with dead band.
#include "substep/integrators/step_controller.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "substep/numerics/elementary_functions.h"

#include "tolerances.h"

namespace substep {

namespace {

void require_in_controller(bool ok, const char* name, double value, const char* range) {
    if (!ok) {
        throw std::invalid_argument(std::string("controller.") + name + " is " + std::to_string(value) +
                                    "; it must be " + range + ".");
    }
}

/// The error at which an attempt wants the factor `factor`: (safety / factor)^root.
double error_for_factor(double safety, double factor, int root) {
    const double base = safety / factor;
    double power = 1.0;
    for (int i = 0; i < root; ++i) {
        power *= base;
    }
    return power;
}

} // namespace

StepController::StepController(const ControllerSettings& settings, const MethodInfo& method) : settings_(settings) {
    require_in_controller(settings.safety > 0.0 && settings.safety < 1.0, "safety", settings.safety, "between 0 and 1");
    require_in_controller(settings.shrink_limit > 0.0 && settings.shrink_limit < 1.0, "shrink_limit",
                          settings.shrink_limit, "between 0 and 1");
    require_in_controller(settings.growth_limit > 1.0 && settings.growth_limit <= 1000.0, "growth_limit",
                          settings.growth_limit, "between 1 and 1000");
    require_in_controller(settings.keep_from > 0.0 && settings.keep_from <= 1.0, "keep_from", settings.keep_from,
                          "in (0, 1]");
    require_in_controller(settings.keep_to >= 1.0 && settings.keep_to <= settings.growth_limit, "keep_to",
                          settings.keep_to, "between 1 and growth_limit");
    require_in_controller(settings.retry_root >= 0 && settings.retry_root <= 16, "retry_root", settings.retry_root,
                          "0 to 16");
    require_in_controller(settings.next_root >= 0 && settings.next_root <= 16, "next_root", settings.next_root,
                          "0 to 16");
    retry_root_ = settings.retry_root > 0 ? settings.retry_root : method.error_order + 1;
    next_root_ = settings.next_root > 0 ? settings.next_root : method.error_order + 1;
    aim_ = error_for_factor(settings.safety, 1.0, next_root_);
    keep_above_ = error_for_factor(settings.safety, settings.keep_to, next_root_);
    keep_below_ = error_for_factor(settings.safety, settings.keep_from, next_root_);
    grow_below_ = error_for_factor(settings.safety, settings.growth_limit, next_root_);
    if (settings.kind == ControllerKind::I && settings.keep_from < settings.keep_to) {
        band_from_ = keep_above_;
        band_to_ = std::min(keep_below_, 1.0);
    }
}

std::string_view to_string(ControllerKind kind) noexcept {
    switch (kind) {
    case ControllerKind::I:
        return "i";
    case ControllerKind::PI:
        return "pi";
    case ControllerKind::H211b:
        return "h211b";
    }
    return "unknown";
}

StepController::Decision StepController::judge(double err, double h, bool retried,
                                               const History& history) const noexcept {
    // A NaN fails this comparison, and is handled as an error far too large.
    if (!(err <= 1.0)) {
        const double factor = std::isfinite(err) ? settings_.safety / nth_root(err, retry_root_) : 0.0;
        return {false, h * std::max(factor, settings_.shrink_limit)};
    }
    const bool may_grow = !retried || settings_.grow_after_rejection;
    double wanted = 1.0;
    if (settings_.kind == ControllerKind::I || !(history.error > 0.0 && history.h > 0.0)) {
        // Thresholds on the error keep the root off the path of most substeps.
        if (keeps(err)) {
            return {true, h};
        }
        wanted = err > grow_below_ ? settings_.safety / nth_root(err, next_root_) : settings_.growth_limit;
    } else {
        wanted = factor(err, h, history);
    }
    wanted = std::clamp(wanted, settings_.shrink_limit, settings_.growth_limit);
    return {true, may_grow ? h * wanted : h * std::min(wanted, 1.0)};
}

// The laws that look back; exponents in units of 1/k.
double StepController::factor(double err, double h, const History& history) const noexcept {
    const double k = next_root_;
    const double now = binary_logarithm(std::max(err / aim_, kSmallestError));
    const double before = binary_logarithm(std::max(history.error / aim_, kSmallestError));
    if (settings_.kind == ControllerKind::PI) {
        return binary_power((-0.7 * now + 0.4 * before) / k);
    }
    return binary_power(-0.25 * (now + before) / k - 0.25 * binary_logarithm(h / history.h));
}

} // namespace substep
