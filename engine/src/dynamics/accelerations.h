// Forces and accelerations of an island at one time and state.
#pragma once

#include <span>
#include <vector>

#include "contact/friction_threshold.h"
#include "dynamics/configuration.h"
#include "dynamics/works.h"
#include "forces/force_model.h"
#include "joints/joint_actuators.h"
#include "substep/engine/joint.h"

namespace substep::detail {

/// Whether forces across the velocity that fields state are among the forces, or left to VelocityTurn.
enum class AcrossVelocity { Included, LeftOut };

/// Forces of fields and actuators; then the joints' multipliers, by their Schur complement S,
///   S lambda = -gamma - J_v F / m - J_w I^-1 (tau - omega x L),  S = J M^-1 J^T  (see JointSolver);
/// then the forces of contacts that slide or stick, with the joints' reactions to them (see ContactSolver).
class Accelerations {
public:
    Accelerations(Configuration& configuration, Works& works, ForceModel& forces) noexcept
        : c_(&configuration), works_(&works), forces_(&forces) {}

    /// Sizes scratch space for the configuration's bodies and joints. Allocates to grow.
    void resize();
    /// Makes room for its contacts. Allocates to grow.
    void resize_contacts();

    ForceModel& forces() noexcept { return *forces_; }
    const ForceModel& forces() const noexcept { return *forces_; }
    JointActuators& actuators() noexcept { return actuators_; }
    const JointActuators& actuators() const noexcept { return actuators_; }
    FrictionThreshold& friction_threshold() noexcept { return friction_threshold_; }
    const FrictionThreshold& friction_threshold() const noexcept { return friction_threshold_; }

    /// Finds all forces at (t, y). Returns false, without the forces of contacts, where friction presses a contact
    /// together harder than it lets go (Painleve), so that there are none.
    bool solve(double t, std::span<const double> y) noexcept;

    // The same in parts, at the last places and velocities. Each part needs the one before.
    /// Forces of fields, and of actuators where they are now.
    void write_forces(double t, AcrossVelocity across) noexcept;
    /// Powers of the forces written last, at the same places and other velocities.
    void write_powers(double t) noexcept;
    /// The same of fields alone: steps at velocity level solve for what actuators do (ActuatorRows).
    void write_field_forces(double t, AcrossVelocity across) noexcept;
    void write_field_powers(double t) noexcept;
    /// Adds those of actuators where they are now, without powers.
    void add_actuator_forces() noexcept;
    /// Accelerations by the forces known so far: v' = F / m, omega' = I^-1 (tau - omega x L).
    void write_accelerations(std::span<const double> y) noexcept;
    /// Multipliers for the forces known so far. Their own forces are not added.
    void solve_multipliers(std::span<const double> y) noexcept;
    void add_multipliers() noexcept { c_->joints().add_forces(lambda_, wrenches_); }
    bool solve_contacts(std::span<const double> y) noexcept;

    /// Adds the forces of held contacts at y to those of fields and actuators; joints react to them later, by impulses.
    /// Returns false, having added nothing, where `solve` would.
    bool add_contact_forces(std::span<const double> y) noexcept;

    /// Takes the sides of the forces' switches from the bodies' motion, which an impact may have changed.
    void find_sides(double t) noexcept;

    std::span<Wrench> wrenches() noexcept { return wrenches_; } ///< on dynamic bodies
    std::span<const Wrench> wrenches() const noexcept { return wrenches_; }
    std::span<const double> multipliers() const noexcept { return lambda_; }
    /// Rates of the involved contacts, as `solve_contacts` found them: gap rate and two slips each, m/s.
    std::span<const double> contact_rates() const noexcept { return contact_rates_; }
    /// The multipliers of the last evaluation or step, as forces, for estimates of vibration.
    std::span<const double> joint_forces() const noexcept { return joint_forces_; }
    /// Takes them from the impulses of a step of length h (s).
    void keep_joint_forces(std::span<const double> impulses, double h) noexcept;

    /// Returns force and torque of a joint on its body_b, at frame_b and in world axes, at (t, y), without its stops.
    /// Leaves `joint_forces` as they are.
    Wrench joint_force(double t, std::span<const double> y, int joint);
    /// Force of a stop at the last evaluation, N or N m.
    double stop_force(std::size_t constraint) const noexcept;
    /// Energy in the springs of joints' limits and drives, J.
    double spring_energy(double t, std::span<const double> y) noexcept;
    /// The same at other places than those of the bodies.
    double spring_energy(std::span<const BodyFrame> frames, std::span<const double> memory) noexcept {
        return actuators_.empty() ? 0.0 : actuators_.spring_energy(frames, memory);
    }
    /// An estimate of the fastest vibration across joints, rad/s, at the last evaluation; of actuators, that of their
    /// springs and dampers.
    double joint_frequency() noexcept;
    double actuator_frequency() noexcept;

private:
    void share_among_taut(double t, std::span<const double> y);

    Configuration* c_;
    Works* works_;
    ForceModel* forces_;
    JointActuators actuators_;
    FrictionThreshold friction_threshold_;
    std::vector<Wrench> wrenches_;
    std::vector<double> lambda_;
    std::vector<double> joint_forces_;
    std::vector<double> contact_rates_;         ///< of the involved ones
    std::vector<double> contact_accelerations_; ///< scratch space: theirs, without their forces
    // Scratch space.
    std::vector<double> joint_reactions_;
    std::vector<Wrench> wrenches_without_contacts_;
};

} // namespace substep::detail
