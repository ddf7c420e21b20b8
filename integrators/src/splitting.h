// Symplectic methods made of kicks (forces change momenta) and drifts (momenta move positions).
#pragma once

#include "substep/integrators/integration_method.h"

namespace substep::detail {

/// Symplectic Euler: kick h with the forces at the start, drift h, momenta projected onto the constraints.
class SymplecticEuler final : public IntegrationMethod {
public:
    explicit constexpr SymplecticEuler(const MethodInfo& info) : info_(info) {}
    const MethodInfo& info() const noexcept override { return info_; }
    StepOutcome step(OdeSystem& system, double t, double h, StepWorkspace& w) const noexcept override;

private:
    const MethodInfo& info_;
};

/// Velocity Verlet: kick h/2, drift h, kick h/2 with the forces at the end, momenta projected (RATTLE, where the system
/// has constraints: Andersen, J. Comput. Phys. 52, 24, 1983). The last force is the first of the next substep.
class VelocityVerlet final : public IntegrationMethod {
public:
    explicit constexpr VelocityVerlet(const MethodInfo& info) : info_(info) {}
    const MethodInfo& info() const noexcept override { return info_; }
    StepOutcome step(OdeSystem& system, double t, double h, StepWorkspace& w) const noexcept override;

private:
    const MethodInfo& info_;
};

/// One velocity-level step of the system, as game engines make it.
class ImpulseEuler final : public IntegrationMethod {
public:
    explicit constexpr ImpulseEuler(const MethodInfo& info) : info_(info) {}
    const MethodInfo& info() const noexcept override { return info_; }
    StepOutcome step(OdeSystem& system, double t, double h, StepWorkspace& w) const noexcept override;

private:
    const MethodInfo& info_;
};

} // namespace substep::detail
