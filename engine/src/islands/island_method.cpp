// The settings that bodies ask for, and the choice that `auto` makes from them.
#include "islands/island_method.h"

#include <algorithm>

#include "bodies/tolerances.h"
#include "islands/island_settings.h"
#include "islands/world_settings.h"
#include "substep/engine/automatic.h"

namespace substep::detail {
namespace {

// A frame is a little longer than it should be where times are rounded.
constexpr double kRoundedFrame = 1.0 + 1e-6;

} // namespace

// Longer convex steps have softer contacts: one and its halves would not agree where things rest.
void limit_length(const Model& model, IntegratorSettings& settings) noexcept {
    const IntegrationMethod* const row = integration_method(settings.method);
    if (row != nullptr && row->info().adaptive && row->info().velocity_step == VelocityStepKind::ConvexStep) {
        const double longest = kRoundedFrame * kConvexTime * scale_of(model.settings).time();
        settings.h_max = std::max(std::min(settings.h_max, longest), settings.h_min);
    }
}

IslandMethod::IslandMethod() {
    combined_settings_.method.reserve(32); // other names in mid-run allocate nothing then
}

void IslandMethod::configure(const Model& model, std::span<const BodyId> bodies, double next_jump) {
    combine_settings(model, bodies, combined_settings_);
    take_combined(model, next_jump);
}

void IslandMethod::configure(const Model& model, const IntegratorSettings& combined, double next_jump) {
    combined_settings_ = combined;
    take_combined(model, next_jump);
}

void IslandMethod::take_combined(const Model& model, double next_jump) {
    stop_time_ = combined_settings_.t_stop;
    combined_settings_.t_stop = std::min(stop_time_, next_jump);
    has_grant_ = true;
    limit_length(model, combined_settings_);
    if (combined_settings_.method != kAutoMethod) {
        chooser_.reset();
        return;
    }
    if (!chooser_) {
        chooser_.emplace();
    }
    chooser_->configure(combined_settings_, model.settings.length);
}

void IslandMethod::forget_steps() noexcept {
    if (chooser_) {
        chooser_->forget();
    }
}

int IslandMethod::limit(std::int64_t evaluations) noexcept {
    has_grant_ = evaluations > 0;
    const std::int64_t own = combined_settings_.budget;
    const std::int64_t budget = own > 0 ? std::min(own, evaluations) : evaluations;
    return static_cast<int>(std::max<std::int64_t>(budget, 1));
}

bool IslandMethod::look(StepReport& report, const StepFacts& facts) noexcept {
    report.reason = chooser_->reason();
    return chooser_->look(report, facts);
}

} // namespace substep::detail
