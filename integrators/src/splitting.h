// Methods that are one function: splittings into kicks (forces change momenta) and drifts (momenta move positions), and
// the velocity step of game engines.
#pragma once

#include "substep/integrators/integration_method.h"

namespace substep::detail {

/// A method given by the function that makes one substep; see IntegrationMethod::step.
class StepFunctionMethod final : public IntegrationMethod {
public:
    using StepFunction = StepOutcome (*)(OdeSystem&, double t, double h, StepWorkspace&) noexcept;

    constexpr StepFunctionMethod(const MethodInfo& info, StepFunction function) : info_(info), step_(function) {}

    const MethodInfo& info() const noexcept override { return info_; }
    StepOutcome step(OdeSystem& system, double t, double h, StepWorkspace& w) const noexcept override {
        return step_(system, t, h, w);
    }

private:
    const MethodInfo& info_;
    StepFunction step_;
};

/// Symplectic Euler: kick h with the forces at the start, drift h, momenta projected onto the constraints.
StepOutcome symplectic_euler(OdeSystem& system, double t, double h, StepWorkspace& w) noexcept;

/// Velocity Verlet: kick h/2, drift h, kick h/2 with the forces at the end, momenta projected (RATTLE, where the system
/// has constraints: Andersen, J. Comput. Phys. 52, 24, 1983). The last force is the first of the next substep.
StepOutcome velocity_verlet(OdeSystem& system, double t, double h, StepWorkspace& w) noexcept;

/// One velocity-level step of the system, as game engines make it.
StepOutcome impulse_euler(OdeSystem& system, double t, double h, StepWorkspace& w) noexcept;

} // namespace substep::detail
