// What a step told, in fewer bytes: ten thousand loose bodies have a report each.
#include <algorithm>
#include <limits>

#include "islands/parked_island.h"

namespace substep::detail {

ParkedReport::ParkedReport(const StepReport& report) noexcept
    : requested_(report.requested), simulated_(report.simulated), h_smallest_(report.h_smallest),
      h_largest_(report.h_largest), achieved_tolerance_(report.achieved_tolerance), method_(report.method),
      reason_(report.reason), accepted_(static_cast<std::int32_t>(report.accepted)),
      accepted_after_retry_(static_cast<std::int32_t>(report.accepted_after_retry)),
      rejected_(static_cast<std::int32_t>(report.rejected)),
      contact_work_(static_cast<std::int32_t>(report.contact_work)),
      evaluations_(static_cast<std::int32_t>(report.evaluations)),
      projections_(static_cast<std::int32_t>(report.projections)),
      fallback_substeps_(static_cast<std::int32_t>(report.fallback_substeps)),
      iterations_(static_cast<std::int32_t>(report.velocity_steps.iterations)),
      order_(static_cast<std::int16_t>(report.order)), status_(static_cast<std::uint8_t>(report.status)),
      boundary_(static_cast<std::uint8_t>(report.boundary)), degraded_(report.degraded), met_bound_(report.met_bound),
      unstable_(report.unstable), restarted_(report.restarted) {}

bool ParkedReport::fits(const StepReport& report) noexcept {
    const VelocityStepsReport& steps = report.velocity_steps;
    const bool touches = steps.unconverged != 0 || steps.residual != 0.0 || steps.deepest_penetration != 0.0 ||
                         steps.contacts != 0 || steps.fresh_contacts != 0;
    const std::int64_t most =
        std::max({report.accepted, report.accepted_after_retry, report.rejected, report.contact_work,
                  report.evaluations, report.projections, report.fallback_substeps, steps.iterations});
    return !touches && report.events == 0 && report.sampling_evaluations == 0 &&
           most <= std::numeric_limits<std::int32_t>::max();
}

StepReport ParkedReport::report() const noexcept {
    StepReport report;
    report.status = status();
    report.requested = requested_;
    report.simulated = simulated_;
    report.accepted = accepted_;
    report.accepted_after_retry = accepted_after_retry_;
    report.rejected = rejected_;
    report.contact_work = contact_work_;
    report.evaluations = evaluations_;
    report.projections = projections_;
    report.fallback_substeps = fallback_substeps_;
    report.order = order_;
    report.h_smallest = h_smallest_;
    report.h_largest = h_largest_;
    report.achieved_tolerance = achieved_tolerance_;
    report.degraded = degraded_;
    report.met_bound = met_bound_;
    report.unstable = unstable_;
    report.velocity_steps.iterations = iterations_;
    report.restarted = restarted_;
    report.boundary = static_cast<Boundary>(boundary_);
    report.method = method_;
    report.reason = reason_;
    return report;
}

ParkedHeritage::ParkedHeritage(const IslandHeritage& heritage) noexcept
    : step_(heritage.step), takeover_count_(heritage.takeover_count), pile_count_(heritage.pile_count),
      has_choice_(heritage.choice.has_value()) {
    if (heritage.choice) {
        choice_ = *heritage.choice;
    }
}

IslandHeritage ParkedHeritage::heritage() const noexcept {
    IslandHeritage heritage;
    heritage.step = step_;
    heritage.takeover_count = takeover_count_;
    heritage.pile_count = pile_count_;
    if (has_choice_) {
        heritage.choice = choice_;
    }
    heritage.bodies = 1;
    return heritage;
}

StepReport ParkedIsland::told() const noexcept {
    StepReport told = report.report();
    if (message != nullptr) {
        told.message = *message;
    }
    return told;
}

} // namespace substep::detail
