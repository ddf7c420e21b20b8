// Velocity steps that continue a step whose contacts modes cannot hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "substep/integrators/integrator_service.h"

namespace substep::detail {

/// Holds the velocity steps of an island, whether they have taken over from the island's own method, and for how many
/// calm steps since the last one that was not. The way there and back:
///   modes --take_over--> velocity steps --kCalmSteps calm steps--> may_return --give_back--> modes.
class VelocityTakeover {
public:
    /// Steps running that must be calm before modes take contacts back.
    static constexpr int kCalmSteps = 6;

    /// True while velocity steps hold the contacts.
    bool is_active() const noexcept { return calm_steps_ >= 0; }
    /// True once enough steps have been calm.
    bool may_return() const noexcept { return calm_steps_ >= kCalmSteps; }

    /// Velocity steps begin, if they have not: whatever their service knew of an earlier time is forgotten.
    void take_over() noexcept;
    /// Modes take contacts back; the next take-over begins anew.
    void give_back() noexcept;
    /// There is nothing left to hold.
    void end() noexcept { calm_steps_ = -1; }
    /// Counts a velocity step, calm or not.
    void note_step(bool calm) noexcept { calm_steps_ = calm ? calm_steps_ + 1 : 0; }

    /// Makes the service, once. Allocates. Returns whether it was made now: it is to be configured then.
    bool prepare();
    bool is_prepared() const noexcept { return steps_ != nullptr; }
    /// Configures it beside the island's own service, which says with what method and tolerances, for steps up to
    /// `stop_time` (s) of at most `budget` evaluations, 0: no limit.
    ///
    /// Methods that take derivatives lose their order in a take-over: a few fixed velocity steps are what it costs.
    /// Others are taken over whenever something rests, and keep their own way of choosing the length: substeps or a
    /// tolerance.
    void configure(OdeSystem& system, const IntegratorService& own, double stop_time, int budget);

    /// The rest of a step.
    StepReport advance(OdeSystem& system, double t, double t1, std::span<double> y) noexcept;
    std::span<const SubstepAttempt> attempts() const noexcept;

    /// Forgets all steps.
    void forget() noexcept;

    /// For snapshots. The count is 0 while modes hold, else one more than the calm steps.
    static constexpr unsigned kLargestCount = kCalmSteps + 1;
    std::uint8_t count() const noexcept { return static_cast<std::uint8_t>(calm_steps_ + 1); }
    void set_count(std::uint8_t count) noexcept { calm_steps_ = static_cast<int>(count) - 1; }
    /// Whether the budget of the last step paid for steps to a tolerance, and a budget that does or does not.
    bool paid_for_tolerance() const noexcept;
    static int budget_that(bool pays_for_tolerance) noexcept;
    const IntegratorService& service() const noexcept { return steps_->service; }
    IntegratorService& service() noexcept { return steps_->service; }

private:
    struct Steps {
        IntegratorService service;
        IntegratorSettings settings;
    };
    std::unique_ptr<Steps> steps_; ///< null until an island could need them
    int calm_steps_ = -1;          ///< running, up to kCalmSteps; -1: modes hold
};

/// Which constraints modes could not hold.
enum class Overwhelming { Contacts, JointStops, Both };
/// Why modes did not hold them.
enum class TakeoverCause { BeyondModes, BudgetSpent, Painleve };
/// Returns a report's sentence about it.
std::string_view sentence_of(TakeoverCause cause, Overwhelming constraints) noexcept;

} // namespace substep::detail
