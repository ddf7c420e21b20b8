// An island dressed as a system of ordinary differential equations.
#pragma once

#include "substep/integrators/ode_system.h"
#include "system/island_dynamics.h"
#include "system/motion_trace.h"

namespace substep::detail {

/// Bodies that influence one another, as y' = f(t, y) on the manifold where joints are closed and quaternions have unit
/// length. Each capability that a method may ask for is one of the parts.
class IslandSystem final : public OdeSystem, public IslandDynamics {
public:
    using IslandDynamics::IslandDynamics;

    std::size_t size() const noexcept override { return state_size(); }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) noexcept override {
        island_derivative().evaluate(t, y, dydt);
    }
    void substep_begins(double t, std::span<const double> y) noexcept override { trace_.pass(t, y); }
    std::uint64_t revision() const noexcept override { return island_derivative().revision(); }
    std::int64_t work_count() const noexcept override {
        return contacts().work().in_evaluations(configuration().body_count());
    }

    std::int64_t inner_work_count() const noexcept override {
        return contacts().work().inner_in_evaluations(configuration().body_count());
    }

    KickDriftSplit* kick_drift_split() noexcept override { return &kick_drift(); }
    Projection* projection() noexcept override { return &manifold(); }
    ErrorMeasure* error_measure() noexcept override { return &motion_error(); }
    VelocityStep* velocity_step() noexcept override {
        return regime().is_pile() ? static_cast<VelocityStep*>(&pile_step()) : &impulse_step();
    }
    LinearlyImplicitStep* linearly_implicit_step() noexcept override { return &theta_step(); }
    /// None without joints, stiff fields and forces across the velocity: what vibrates then is up to the forces, which
    /// only a method's stages tell.
    FrequencyBound* frequency_bound() noexcept override;
    /// None without contacts and switches, and where velocity steps handle them.
    EventFunctions* event_functions() noexcept override;
    /// None without contacts and stops of joints, and where velocity steps handle them.
    SubstepWatch* substep_watch() noexcept override;

    MotionTrace& trace() noexcept { return trace_; }

private:
    MotionTrace trace_;
};

} // namespace substep::detail
