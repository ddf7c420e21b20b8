// An island dressed as a system of ordinary differential equations: a facade over the parts of its dynamics.
#pragma once

#include "contact/contact_regime.h"
#include "contact_modes/contact_events.h"
#include "contact_modes/contact_response.h"
#include "contact_modes/held_contacts.h"
#include "contact_modes/island_derivative.h"
#include "dynamics/kick_drift.h"
#include "dynamics/manifold_projection.h"
#include "dynamics/stiff_elements.h"
#include "dynamics/theta_step.h"
#include "substep/integrators/ode_system.h"
#include "system/motion_error.h"
#include "velocity_steps/impulse_step.h"

namespace substep::detail {

/// Bodies that influence one another, as y' = f(t, y) on the manifold where joints are closed and quaternions have unit
/// length. In y come the bodies, then the memory of joints, then works (state_layout.h). Each part is an object of its
/// own, and each capability of OdeSystem one of them.
class IslandSystem final : public OdeSystem {
public:
    explicit IslandSystem(ForceModel& forces) noexcept : accelerations_(configuration_, works_, forces) {}
    IslandSystem(const IslandSystem&) = delete;
    IslandSystem& operator=(const IslandSystem&) = delete;

    /// Takes over an island: dynamic bodies first, then prescribed ones, in the numbering that the joints use.
    /// Allocates everything that stepping needs.
    void build(std::span<const BodyInertia> inertias, std::span<const PrescribedMotion> prescribed,
               std::span<const IslandJoint> joints, std::span<const IslandCoupling> couplings);
    /// The same for the bodies and joints that it has, whose inertias did not change, with all that acts along the
    /// joints. Allocates nothing.
    void start_anew(std::span<const PrescribedMotion> prescribed);

    // Edits. Each says that f changed where it does.
    void set_inertia(std::size_t body, const BodyInertia& inertia) noexcept;
    void set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept;
    void set_joint_correction(JointCorrection correction) noexcept;
    void set_actuators(std::vector<JointActuator> actuators);
    void set_stops(std::vector<JointStop> stops);
    /// Takes over contacts with their memory, and the prescribed bodies that they alone name; `same` says that all are
    /// those of the step before. Allocates to grow.
    void set_contacts(std::span<const UnilateralConstraint> contacts, std::span<const PrescribedMotion> touched,
                      bool same);
    /// Takes over `most` contacts, more than there will ever be, so that everything is sized for them, also the memory
    /// of velocity steps.
    void make_room_for_contacts(std::span<const UnilateralConstraint> most);
    /// Makes room for works after the rest of y; 0: none are booked.
    void set_ledger_terms(std::size_t count);
    /// Finds the stiff elements of the forces anew, after fields came or went.
    void refresh_stiffness();
    void model_changed() noexcept { derivative_.change(); }
    /// Chooses the regime of contacts by the needs of the method, and makes the parts agree with it.
    void choose_regime(MethodNeeds needs) noexcept;

    Configuration& configuration() noexcept { return configuration_; }
    const Configuration& configuration() const noexcept { return configuration_; }
    ContactSolver& contacts() noexcept { return configuration_.contacts(); }
    const ContactSolver& contacts() const noexcept { return configuration_.contacts(); }
    Works& works() noexcept { return works_; }
    const Works& works() const noexcept { return works_; }
    Accelerations& accelerations() noexcept { return accelerations_; }
    const Accelerations& accelerations() const noexcept { return accelerations_; }
    ManifoldProjection& manifold() noexcept { return projection_; }
    ContactRegime& regime() noexcept { return regime_; }
    const ContactRegime& regime() const noexcept { return regime_; }
    HeldContacts& held_contacts() noexcept { return held_contacts_; }
    IslandDerivative& island_derivative() noexcept { return derivative_; }
    ContactResponse& contact_response() noexcept { return contact_response_; }
    const ContactResponse& contact_response() const noexcept { return contact_response_; }
    ContactEvents& contact_events() noexcept { return contact_events_; }
    ThetaStep& theta_step() noexcept { return theta_step_; }

    std::size_t size() const noexcept override;
    void derivative(double t, std::span<const double> y, std::span<double> dydt) noexcept override {
        derivative_.evaluate(t, y, dydt);
    }
    std::uint64_t revision() const noexcept override { return derivative_.revision(); }
    KickDriftSplit* kick_drift_split() noexcept override { return &kick_drift_; }
    Projection* projection() noexcept override { return &projection_; }
    ErrorMeasure* error_measure() noexcept override { return &motion_error_; }
    VelocityStep* velocity_step() noexcept override { return &impulse_step_; }
    LinearlyImplicitStep* linearly_implicit_step() noexcept override { return &theta_step_; }
    FrequencyBound* frequency_bound() noexcept override;
    EventFunctions* event_functions() noexcept override;

private:
    void size_scratch_space();
    void size_contact_memory();

    // Snapshots of the island read the revision, then the contacts: these members come first.
    IslandDerivative derivative_{configuration_, works_, accelerations_, held_contacts_, regime_};
    Configuration configuration_;
    Works works_{configuration_};
    Accelerations accelerations_;
    ManifoldProjection projection_{configuration_};
    ContactRegime regime_;
    HeldContacts held_contacts_{configuration_, accelerations_, regime_};
    ContactResponse contact_response_{configuration_, works_, accelerations_, projection_, regime_};
    ContactEvents contact_events_{configuration_, accelerations_,    projection_, derivative_,
                                  held_contacts_, contact_response_, regime_};
    KickDrift kick_drift_{configuration_, works_, accelerations_, projection_.joints()};
    StiffElements stiff_elements_{configuration_, accelerations_};
    ThetaStep theta_step_{configuration_, works_, accelerations_, projection_.joints(), stiff_elements_, regime_};
    ImpulseStep impulse_step_{configuration_, works_, accelerations_, projection_.joints()};
    MotionError motion_error_{configuration_, impulse_step_, regime_};
};

} // namespace substep::detail
