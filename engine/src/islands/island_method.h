// Which method advances an island, how far, and for how many evaluations.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "islands/method_choice.h"
#include "islands/model.h"
#include "substep/integrators/integrator_service.h"

namespace substep::detail {

/// Keeps adaptive convex steps as short as they may be: settings of bodies become those that islands have.
void limit_length(const Model& model, IntegratorSettings& settings) noexcept;

/// The settings of an island: those of its bodies combined, and under `auto` the method chosen for it; and its share of
/// the world's budget.
class IslandMethod {
public:
    IslandMethod();

    /// Takes over the settings of bodies; forces jump at `next_jump` (s), and no substep may pass that.
    void configure(const Model& model, std::span<const BodyId> bodies, double next_jump);
    /// The same of settings that were combined before.
    void configure(const Model& model, const IntegratorSettings& combined, double next_jump);
    /// Forgets what the choice under `auto` has learnt from the steps so far.
    void forget_steps() noexcept;

    /// The settings that the service is to be configured with.
    const IntegratorSettings& settings() const noexcept { return chooser_ ? chooser_->settings() : combined_settings_; }
    const IntegratorSettings& combined() const noexcept { return combined_settings_; } ///< those that bodies ask for
    /// The stop time that the bodies' settings ask for, s.
    double stop_time() const noexcept { return stop_time_; }

    /// Grants evaluations of the world's budget for the next step. Returns the budget that the service is to have,
    /// which the settings may make smaller.
    int limit(std::int64_t evaluations) noexcept;
    /// Whether the grant pays for an evaluation.
    bool has_grant() const noexcept { return has_grant_; }

    bool is_automatic() const noexcept { return chooser_.has_value(); }
    /// Under `auto`: says in the report why its method was chosen, and judges the step. Returns true if the next step
    /// is to be made with other `settings`.
    bool look(StepReport& report, const StepFacts& facts) noexcept;
    /// Under `auto`: the memory of the choice. `restore` returns false if it makes no sense.
    const MethodChooser::Memory& memory() const noexcept { return chooser_->memory(); }
    bool restore(const MethodChooser::Memory& memory) { return chooser_->set_memory(memory); }

private:
    void take_combined(const Model& model, double next_jump);

    std::optional<MethodChooser> chooser_; ///< under `auto`
    IntegratorSettings combined_settings_; ///< those of the bodies
    double stop_time_ = std::numeric_limits<double>::infinity();
    bool has_grant_ = true;
};

} // namespace substep::detail
