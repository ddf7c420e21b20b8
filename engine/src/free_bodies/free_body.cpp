// The rules that free bodies go by, and the reports of what they came to.
#include "free_bodies/free_body.h"

#include <algorithm>

namespace substep::detail {
namespace {

const LaneKernel* kernel_for(std::string_view method) noexcept {
    const std::span<const LaneKernel> kernels = lane_kernels();
    const auto kernel = std::ranges::find(kernels, method, &LaneKernel::method);
    return kernel == kernels.end() ? nullptr : &*kernel;
}

} // namespace

bool FreeBodyRule::suits_lanes(const IntegratorSettings& settings) noexcept {
    return is_plain(settings) && kernel_for(settings.method) != nullptr;
}

FreeBodyRule::FreeBodyRule(const IntegratorSettings& settings, bool in_lanes) : settings_(settings) {
    if (in_lanes) {
        const MethodInfo& method = integration_method(settings.method)->info();
        lanes_ = Lanes{&method, StepController(settings.controller, method), kernel_for(settings.method)};
    }
}

void FreeTotals::add(const FreeBody& body) noexcept {
    h_smallest = accepted > 0 ? std::min(h_smallest, body.h_smallest) : body.h_smallest;
    h_largest = std::max(h_largest, body.h_largest);
    largest_error = std::max(largest_error, body.largest_error);
    accepted += body.accepted;
    accepted_after_retry += body.accepted_after_retry;
    rejected += body.rejected;
    evaluations += body.evaluations;
    is_unstable |= body.is_unstable;
    has_restarted |= body.has_restarted;
}

StepReport FreeTotals::report(const FreeBodyRule& rule, double requested) const noexcept {
    StepReport report;
    report.requested = report.simulated = requested;
    report.order = rule.method().order;
    report.method = rule.method().name;
    report.accepted = report.projections = accepted;
    report.accepted_after_retry = accepted_after_retry;
    report.rejected = rejected;
    report.evaluations = evaluations;
    report.h_smallest = h_smallest;
    report.h_largest = h_largest;
    report.achieved_tolerance = largest_error * rule.settings().rtol;
    report.unstable = is_unstable;
    report.restarted = has_restarted;
    return report;
}

StepReport report_of(const FreeBody& body, double requested) noexcept {
    if (!body.has_stepped) {
        return {};
    }
    FreeTotals totals;
    totals.add(body);
    return totals.report(*body.rule, requested);
}

} // namespace substep::detail
