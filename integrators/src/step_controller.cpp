// The elementary step size controller with dead band.
#include "substep/integrators/step_controller.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "substep/integrators/elementary_functions.h"

namespace substep {

namespace {

void require(bool ok, const char* name, double value, const char* range) {
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
    require(settings.safety > 0.0 && settings.safety < 1.0, "safety", settings.safety, "between 0 and 1");
    require(settings.shrink_limit > 0.0 && settings.shrink_limit < 1.0, "shrink_limit", settings.shrink_limit,
            "between 0 and 1");
    require(settings.growth_limit > 1.0 && settings.growth_limit <= 1000.0, "growth_limit", settings.growth_limit,
            "between 1 and 1000");
    require(settings.keep_from > 0.0 && settings.keep_from <= 1.0, "keep_from", settings.keep_from, "in (0, 1]");
    require(settings.keep_to >= 1.0 && settings.keep_to <= settings.growth_limit, "keep_to", settings.keep_to,
            "between 1 and growth_limit");
    require(settings.retry_root >= 0 && settings.retry_root <= 16, "retry_root", settings.retry_root, "0 to 16");
    require(settings.next_root >= 0 && settings.next_root <= 16, "next_root", settings.next_root, "0 to 16");
    retry_root_ = settings.retry_root > 0 ? settings.retry_root : method.error_order + 1;
    next_root_ = settings.next_root > 0 ? settings.next_root : method.error_order + 1;
    keep_above_ = error_for_factor(settings.safety, settings.keep_to, next_root_);
    keep_below_ = error_for_factor(settings.safety, settings.keep_from, next_root_);
    grow_below_ = error_for_factor(settings.safety, settings.growth_limit, next_root_);
}

StepController::Decision StepController::judge(double err, double h, bool retried) const noexcept {
    // A NaN fails this comparison, and is handled as an error far too large.
    if (!(err <= 1.0)) {
        const double factor = std::isfinite(err) ? settings_.safety / nth_root(err, retry_root_) : 0.0;
        return {false, h * std::max(factor, settings_.shrink_limit)};
    }
    const bool may_grow = !retried || settings_.grow_after_rejection;
    if (settings_.keep_from < settings_.keep_to && err >= keep_above_ && err <= keep_below_) {
        return {true, h};
    }
    double factor = settings_.growth_limit;
    if (err > grow_below_) {
        factor = std::clamp(settings_.safety / nth_root(err, next_root_), settings_.shrink_limit, factor);
    }
    return {true, may_grow ? h * factor : h * std::min(factor, 1.0)};
}

} // namespace substep
