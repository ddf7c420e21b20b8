// The engine for a host that keeps its own bodies and forces.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "substep/collision/glm_types.h"
#include "substep/engine/body.h"
#include "substep/integrators/integrator_service.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// State of one body of the host.
struct RigidState {
    glm::dvec3 position{0.0};                                        ///< m, centre of mass
    glm::dquat orientation = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< principal axes to world
    glm::dvec3 velocity{0.0};                                        ///< m/s, of the centre of mass
    glm::dvec3 angular_velocity{0.0};                                ///< rad/s, world axes
};

/// Mass of one body of the host.
struct RigidMass {
    double mass = 1.0;       ///< kg, positive
    glm::dvec3 inertia{1.0}; ///< kg m^2, about the principal axes: positive, none above the sum of the others
};

/// Advances spans of rigid bodies that the host owns. Edits that the host makes to the states between two calls are
/// noticed (the bits differ from those handed out) and restart the step; other changes of the model, say of a constant
/// that the force callback reads, are announced by `model_changed`.
///
/// Joints, islands and snapshots are `World`'s; all bodies here share one substep.
class BodyIntegrator {
public:
    /// Throws std::invalid_argument on a bad setting, as IntegratorService::configure does.
    explicit BodyIntegrator(const IntegratorSettings& settings = {});
    ~BodyIntegrator();
    BodyIntegrator(BodyIntegrator&&) noexcept;
    BodyIntegrator& operator=(BodyIntegrator&&) noexcept;

    const IntegratorSettings& settings() const noexcept;
    void set_settings(const IntegratorSettings& settings); ///< effective from the next call; throws as the constructor

    /// Evaluations that the next `advance` and later ones may make, as IntegratorService::set_bound; 0, the default: as
    /// many as the tolerance needs.
    void set_bound(std::int64_t bound) noexcept;

    /// Advances `states` from t to t + dt (s, 0 < dt <= 1) under `forces(t, states, wrenches)`, a pure function that
    /// writes one Wrench per body and is called once per stage. What it throws ends the step with
    /// StepStatus::ModelThrew and its message. Invalid masses, sizes or states give StepStatus::InvalidInput and change
    /// nothing. A step goes on from the last one where t is its end, summed or counted as a frame's number times dt.
    /// Allocates only when the number of bodies changes.
    template <class Forces>
    StepReport advance(std::span<RigidState> states, std::span<const RigidMass> masses, double t, double dt,
                       Forces&& forces) noexcept {
        using Callable = std::remove_reference_t<Forces>;
        const auto call = [](void* callable, double time, std::span<const RigidState> s, std::span<Wrench> w) {
            (*static_cast<Callable*>(callable))(time, s, w);
        };
        return advance_with(states, masses, t, dt, call, const_cast<void*>(static_cast<const void*>(&forces)));
    }

    /// The same with forces held constant over the step: first order whatever the method, and the report says so.
    StepReport advance_constant(std::span<RigidState> states, std::span<const RigidMass> masses, double t, double dt,
                                std::span<const Wrench> wrenches) noexcept;

    /// Says that the force callback or a mass changed in a way that the states do not show.
    void model_changed() noexcept;

private:
    using ForceCall = void (*)(void*, double, std::span<const RigidState>, std::span<Wrench>);
    StepReport advance_with(std::span<RigidState> states, std::span<const RigidMass> masses, double t, double dt,
                            ForceCall call, void* callable) noexcept;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace substep

#pragma GCC visibility pop
