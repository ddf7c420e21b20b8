// One velocity-level step, as game engines make it: joints exactly, contacts by projected Gauss-Seidel with a warm
// start. The plain baseline, without tricks; it also takes over where contact modes do not hold.
#pragma once

#include <span>
#include <vector>

#include "contact/contact_regime.h"
#include "dynamics/accelerations.h"
#include "dynamics/implicit_damping.h"
#include "dynamics/joint_closing.h"
#include "dynamics/velocity_turn.h"
#include "dynamics/works.h"
#include "substep/integrators/ode_system.h"
#include "velocity_steps/joint_impulses.h"
#include "velocity_steps/rebound_energy.h"
#include "velocity_steps/rebound_times.h"
#include "velocity_steps/step_contacts.h"
#include "velocity_steps/step_stops.h"

namespace substep::detail {

/// How far off (m) a body is because velocity steps make impacts at their start, and a bound of it for impacts anywhere
/// in the step. Two halves and the whole step agree about it where the impact is in the first half.
struct EarlyImpact {
    double by = 0.0;
    double at_most = 0.0;
};

/// Symplectic Euler with impulses of joints, contacts and stops, in turns until none changes the others' velocities.
class ImpulseStep final : public VelocityStep {
public:
    ImpulseStep(Configuration& configuration, Works& works, Accelerations& accelerations, JointClosing& closing,
                StiffElements& elements, VelocityTurn& turn, const ContactRegime& regime) noexcept
        : c_(&configuration), works_(&works), accelerations_(&accelerations), joint_closing_(&closing),
          velocity_turn_(&turn), regime_(&regime), damping_(configuration, accelerations, elements),
          joint_impulses_(configuration, accelerations), contacts_(configuration),
          stops_(configuration, closing, joint_impulses_), rebound_times_(configuration, contacts_, stops_),
          rebound_energy_(configuration, contacts_, stops_, joint_impulses_) {}

    /// Sizes scratch space for the configuration and states of so many numbers. Allocates to grow.
    void resize(std::size_t state_size);
    /// Sizes scratch space for another set of contacts; none is found yet. Allocates to grow.
    void resize_contacts();
    /// Assumes `count` contacts, so that everything sized by `memory_size` has room for them.
    void assume_contacts(std::size_t count) { contacts_.assume(count); }

    JointImpulses& joints() noexcept { return joint_impulses_; }
    bool has_contacts() const noexcept { return !contacts_.empty(); }
    /// The largest within the interval, for each dynamic body.
    std::span<const EarlyImpact> early_impacts() const noexcept { return early_impacts_; }

    void find_contacts(double t, double h, std::span<const double> y) noexcept override;
    std::size_t memory_size() const noexcept override { return contacts_.memory_size(); }
    void recall(std::vector<RememberedForce>& memory) const override { contacts_.recall(memory); }
    VelocityStepResult velocity_step(const VelocityStepRequest& request, std::span<double> y,
                                     std::span<RememberedForce> memory) noexcept override;

private:
    void solve_velocities(const VelocityStepRequest& request, std::span<double> y, VelocityStepResult& result) noexcept;
    ImpactTime impact_time() const noexcept;
    void note_early_impacts(double h) noexcept;
    double energy_at(double t, std::span<const double> y) noexcept;
    void push_apart(double t, double h, std::span<double> y) noexcept;
    void move_bodies(double t, double h, std::span<double> y) noexcept;
    void book_works(double t, double h, std::span<double> y) noexcept;

    Configuration* c_;
    Works* works_;
    Accelerations* accelerations_;
    JointClosing* joint_closing_;
    VelocityTurn* velocity_turn_;
    const ContactRegime* regime_;
    ImplicitDamping damping_;
    JointImpulses joint_impulses_;
    StepContacts contacts_;
    StepStops stops_;
    ReboundTimes rebound_times_;
    ReboundEnergy rebound_energy_;
    std::vector<EarlyImpact> early_impacts_;
    // Scratch space.
    std::vector<double> start_state_;          ///< y at the step's start, where works are kept
    std::vector<Twist> unmet_velocities_;      ///< of the bodies, before contacts and stops
    std::vector<BodyFrame> end_frames_;        ///< at the step's end
    std::vector<RigidState> looked_at_states_; ///< where energy is asked for, where works are kept
    std::vector<BodyFrame> looked_at_frames_;
};

} // namespace substep::detail
