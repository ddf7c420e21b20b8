// The parts of one island's dynamics: made, sized and edited together.
#pragma once

#include "contact/contact_regime.h"
#include "contact_modes/contact_events.h"
#include "contact_modes/contact_response.h"
#include "contact_modes/held_contacts.h"
#include "contact_modes/island_derivative.h"
#include "contact_modes/slip_watch.h"
#include "dynamics/kick_drift.h"
#include "dynamics/manifold_projection.h"
#include "dynamics/stiff_elements.h"
#include "dynamics/theta_step.h"
#include "dynamics/velocity_turn.h"
#include "system/motion_error.h"
#include "velocity_steps/impulse_step.h"
#include "velocity_steps/pile_velocity_step.h"

namespace substep::detail {

/// Owns the parts, over one configuration. In y come the bodies, then the memory of joints, then works
/// (state_layout.h). Whatever changes how many numbers these are, or how many contacts there may be, sizes the parts'
/// memory here, in an order that each of them can rely on: configuration, accelerations, then the rest.
class IslandDynamics {
public:
    explicit IslandDynamics(ForceModel& forces) noexcept : accelerations_(configuration_, works_, forces) {}
    IslandDynamics(const IslandDynamics&) = delete;
    IslandDynamics& operator=(const IslandDynamics&) = delete;

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
    void set_contacts(std::span<const UnilateralConstraint> contacts, std::span<const SolidPair> solids,
                      std::span<const PrescribedMotion> touched, bool same);
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
    SlipWatch& slip_watch() noexcept { return slip_watch_; }
    ThetaStep& theta_step() noexcept { return theta_step_; }
    const IslandDerivative& island_derivative() const noexcept { return derivative_; }
    KickDrift& kick_drift() noexcept { return kick_drift_; }
    StiffElements& stiff_elements() noexcept { return stiff_elements_; }
    ImpulseStep& impulse_step() noexcept { return impulse_step_; }
    PileVelocityStep& pile_step() noexcept { return pile_step_; }
    const PileVelocityStep& pile_step() const noexcept { return pile_step_; }
    MotionError& motion_error() noexcept { return motion_error_; }

    /// Counts the numbers in y.
    std::size_t state_size() const noexcept;

private:
    void size_scratch_space();
    void size_contact_memory();

    // Snapshots of the island read the revision, the regime and the contacts: these members come first.
    IslandDerivative derivative_{configuration_, works_, accelerations_, held_contacts_, regime_};
    ContactRegime regime_;
    Configuration configuration_;
    Works works_{configuration_};
    Accelerations accelerations_;
    ManifoldProjection projection_{configuration_, works_};
    HeldContacts held_contacts_{configuration_, accelerations_, regime_};
    ContactResponse contact_response_{configuration_, works_, accelerations_, projection_, regime_};
    ContactEvents contact_events_{configuration_, accelerations_,    projection_, derivative_,
                                  held_contacts_, contact_response_, regime_};
    SlipWatch slip_watch_{configuration_, accelerations_, derivative_, held_contacts_, contact_response_};
    VelocityTurn velocity_turn_{configuration_, accelerations_.forces()};
    KickDrift kick_drift_{configuration_, works_, accelerations_, projection_.joints(), velocity_turn_};
    StiffElements stiff_elements_{configuration_, accelerations_, velocity_turn_, regime_};
    ThetaStep theta_step_{configuration_,  works_,         accelerations_, projection_,
                          stiff_elements_, velocity_turn_, regime_};
    ImpulseStep impulse_step_{configuration_,  works_,         accelerations_, projection_.joints(),
                              stiff_elements_, velocity_turn_, regime_};
    PileVelocityStep pile_step_{configuration_, works_, accelerations_, projection_.joints()};
    MotionError motion_error_{configuration_, impulse_step_, regime_};
};

} // namespace substep::detail
