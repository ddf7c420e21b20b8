// Velocity steps that continue a step whose contacts modes cannot hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "contact/contact_regime.h"
#include "substep/integrators/integrator_service.h"

namespace substep::detail {

/// The velocity steps of an island beside its own method. ContactRegime says when they take over.
class VelocityTakeover {
public:
    /// Makes the service, once. Allocates. Returns whether it was made now: it is to be configured then.
    bool prepare();
    bool is_prepared() const noexcept { return velocity_steps_ != nullptr; }
    /// What velocity steps have to do.
    struct Task {
        int budget = 0; ///< evaluations of a step, at most; 0: no limit
        PileKind pile = PileKind::None;
        int convex_steps = 1;  ///< at least, where these make a pile
        int soft_substeps = 1; ///< likewise
    };
    /// Configures it beside the island's own service, which says with what method and tolerances, for steps up to
    /// `stop_time` (s).
    ///
    /// Methods that take derivatives lose their order in a take-over: a few fixed velocity steps bound its cost. Others
    /// are taken over whenever something rests, and keep their own way of choosing the length: substeps or a tolerance.
    /// A pile is made by soft or convex steps.
    void configure(OdeSystem& system, const IntegratorService& own, double stop_time, const Task& task);
    /// Whether what takes over from a method keeps its tolerance, if the budget pays for it.
    static bool keeps_tolerance(const MethodInfo& own) noexcept {
        return own.adaptive && own.needs != MethodNeeds::Derivative;
    }

    /// Makes the rest of a step.
    StepReport advance(OdeSystem& system, double t, double t1, std::span<double> y) noexcept;
    std::span<const SubstepAttempt> attempts() const noexcept;

    /// Forgets all steps.
    void forget() noexcept;

    /// Whether the budget of the last step paid for steps to a tolerance, and a budget that does or does not.
    bool paid_for_tolerance() const noexcept;
    static int budget_that(bool pays_for_tolerance) noexcept;
    const IntegratorService& service() const noexcept { return velocity_steps_->service; }
    IntegratorService& service() noexcept { return velocity_steps_->service; }

private:
    struct Steps {
        IntegratorService service;
        IntegratorSettings settings;
    };
    std::unique_ptr<Steps> velocity_steps_; ///< null until an island could need them
};

/// Returns how many substeps a method makes of a step by its settings; 1 where it chooses them itself.
int own_substeps(const IntegratorService& own) noexcept;

/// Which constraints modes could not hold.
enum class Overwhelming { Contacts, JointStops, Both };
/// Why modes did not hold them.
enum class TakeoverCause { BeyondModes, BudgetSpent, BoundMet, Painleve, MetOthers, Pile };
/// Returns a report's sentence about it.
std::string_view sentence_of(TakeoverCause cause, Overwhelming constraints) noexcept;

} // namespace substep::detail
