// Methods that are one function: splittings into kicks (forces change momenta) and drifts (momenta move positions), the
// velocity step of game engines, and the linearly implicit step.
#pragma once

#include <span>

#include "composition.h"
#include "substep/integrators/integration_method.h"

namespace substep::detail {

/// A method given by the function that makes one substep; see IntegrationMethod::step.
class StepFunctionMethod final : public IntegrationMethod {
public:
    using StepFunction = StepOutcome (*)(OdeSystem&, double t, double h, StepWorkspace&);

    constexpr StepFunctionMethod(const MethodInfo& info, StepFunction function) : info_(info), step_(function) {}

    const MethodInfo& info() const noexcept override { return info_; }
    StepOutcome step(OdeSystem& system, double t, double h, StepWorkspace& w) const override {
        return step_(system, t, h, w);
    }
    int extend_interpolant(OdeSystem& system, double, double, StepWorkspace&, std::span<const double>,
                           Interpolant& interpolant) const override {
        if (info_.dense_evaluations > 0) {
            interpolant.raise_order(system);
        }
        return info_.dense_evaluations;
    }

private:
    const MethodInfo& info_;
    StepFunction step_;
};

/// Symplectic Euler: kick h with the forces at the start, drift h, momenta projected onto the constraints.
StepOutcome symplectic_euler(OdeSystem& system, double t, double h, StepWorkspace& w);

/// Two steps of symplectic Euler of length h/2, and one of length h for comparison: error = halves - full. The two
/// half-length steps are propagated as they are; extrapolated, the method would be unstable near its limit. (Simbody's
/// SemiExplicitEuler2.)
StepOutcome symplectic_euler_doubling(OdeSystem& system, double t, double h, StepWorkspace& w);

/// A chain of velocity Verlet steps of lengths weights[i] h, which must sum to h: kick half of it, drift, kick half
/// with the force at the end, momenta projected (RATTLE, where the system has constraints: Andersen, J. Comput. Phys.
/// 52, 24, 1983). The last force is the first of the next substep.
StepOutcome verlet_chain(OdeSystem& system, double t, double h, StepWorkspace& w, std::span<const double> weights);

/// Velocity Verlet, composed.
template <const auto& kComposition>
StepOutcome composed_verlet(OdeSystem& system, double t, double h, StepWorkspace& w) {
    return verlet_chain(system, t, h, w, kComposition.weights);
}

/// One velocity-level step of the system, of the kind that a row of the table names.
StepOutcome one_velocity_step(OdeSystem& system, double t, double h, StepWorkspace& w, const MethodInfo& row);

/// Two velocity-level steps of length h/2, and one of length h for comparison: error = halves - full. All three see the
/// contacts of the whole interval, and start from the forces remembered at its start.
StepOutcome doubled_velocity_step(OdeSystem& system, double t, double h, StepWorkspace& w, const MethodInfo& row);

/// The two above, as the step functions of a row.
template <const MethodInfo& kRow>
StepOutcome one_velocity_step_of(OdeSystem& system, double t, double h, StepWorkspace& w) {
    return one_velocity_step(system, t, h, w, kRow);
}
template <const MethodInfo& kRow>
StepOutcome doubled_velocity_step_of(OdeSystem& system, double t, double h, StepWorkspace& w) {
    return doubled_velocity_step(system, t, h, w, kRow);
}

/// One linearly implicit step of the system, with the workspace's theta.
StepOutcome theta(OdeSystem& system, double t, double h, StepWorkspace& w);

} // namespace substep::detail
