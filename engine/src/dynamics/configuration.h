// The bodies, joints and contacts of one island at one time and state: frames, the joints' J and S, the rows of
// contacts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bodies/body_frames.h"
#include "bodies/world_scale.h"
#include "contact/contact_solver.h"
#include "contact/joint_stops.h"
#include "contact/solid_pairs.h"
#include "joints/joint_solver.h"

namespace substep::detail {

/// The starting point of all dynamics: `place` brings frames, joint equations and the rows of held contacts to a state
/// of the island. Each is kept with the versions that it was computed from, so that a projection and the derivative at
/// the same places factorise once.
class Configuration {
public:
    /// Takes over bodies and joints, the joints in the numbering of dynamic bodies first. Allocates.
    void build(std::span<const BodyInertia> inertias, std::span<const IslandJoint> joints,
               std::span<const IslandCoupling> couplings);
    /// Takes over prescribed bodies. There are no contacts then, and the stops of joints have empty memory.
    void start_anew(std::span<const PrescribedMotion> prescribed);

    /// Takes over the units of the world, which all parts go by that stand on this.
    void set_scale(const WorldScale& scale) noexcept {
        scale_ = scale;
        joints_.set_length(scale.length());
    }
    const WorldScale& scale() const noexcept { return scale_; }

    void set_inertia(std::size_t body, const BodyInertia& inertia) noexcept { bodies_.set_inertia(body, inertia); }
    void set_prescribed(std::size_t index, const PrescribedMotion& motion) noexcept;

    /// Holds the bodies that the memory of joints in y names, and lets go all others. Returns whether that changed
    /// anything.
    bool hold_as_remembered(std::span<const double> y) noexcept;
    /// Holds bodies, and remembers that in y; their velocities in y become zero.
    void hold(std::span<const BodyHold> holds, std::span<double> y) noexcept;
    /// Lets all bodies go until `hold_again`, for a look at how they would answer.
    void let_go() noexcept;
    void hold_again() noexcept;
    bool holds_any() const noexcept { return holds_any_; }
    std::span<const BodyHold> holds() const noexcept { return holds_; }
    /// Whether a dynamic body turns by `torque_free_turn` for as long as no torque acts on it: unequal moments change
    /// the axis that it turns about, and no row of a joint holds this axis. Where one does, as in a hinge, the joint's
    /// torque keeps the angular velocity instead.
    bool tumbles(std::size_t body) const noexcept {
        return bodies_.inertia(body).tumbles() && !has_rotation_rows_[body];
    }

    /// Takes over hard limits and dry friction of joints. Allocates.
    void set_stops(std::vector<JointStop> stops);
    std::span<const JointStop> stops() const noexcept { return stops_; }
    /// Takes over contacts with their memory, the solids that some are points of, and the prescribed bodies that they
    /// alone name, numbered after all others; the stops of joints stay as they are. `same` says that all are those of
    /// the step before. Allocates to grow.
    void set_contacts(std::span<const UnilateralConstraint> contacts, std::span<const SolidPair> solids,
                      std::span<const PrescribedMotion> touched, bool same);
    /// The solids that a constraint is a point of.
    const SolidPair& solids_of(const UnilateralConstraint& constraint) const noexcept {
        return solids_[static_cast<std::size_t>(constraint.solids)];
    }
    /// Finds the points at which solids are closer than `margin` (m) at (t, y). Returns whether one that held by a mode
    /// is gone.
    bool find_points(double t, std::span<const double> y, double margin) noexcept;
    /// Finds those that could be closer within h (s) under gravity (m/s^2), where bodies were placed and moved last.
    void find_points_ahead(double t, std::span<const double> y, double h, double gravity) noexcept;

    /// Begins to count the work of a step. Nothing computed before it is used again: what a question or the step before
    /// left behind is in no snapshot, and would make the step cheaper than it is where it is made again.
    void begin_step() noexcept {
        contacts_.work().begin();
        bodies_.outdate();
    }

    BodyFrames& bodies() noexcept { return bodies_; }
    const BodyFrames& bodies() const noexcept { return bodies_; }
    const JointSolver& joints() const noexcept { return joints_; }
    /// For estimates that need scratch space of the solver.
    JointSolver& joints() noexcept { return joints_; }
    ContactSolver& contacts() noexcept { return contacts_; }
    const ContactSolver& contacts() const noexcept { return contacts_; }

    std::size_t body_count() const noexcept { return bodies_.dynamic_count(); }
    std::size_t memory_count() const noexcept { return static_cast<std::size_t>(joints_.memory_count()); }
    /// The memory of joints, after the bodies in y.
    std::span<double> memory(std::span<double> y) const noexcept {
        return y.subspan(body_count() * kNumbersPerBody, memory_count());
    }
    std::span<const double> memory(std::span<const double> y) const noexcept {
        return y.subspan(body_count() * kNumbersPerBody, memory_count());
    }

    /// Brings everything to the places of (t, y).
    void place(double t, std::span<const double> y) noexcept;
    /// The same, and velocities.
    void place_and_move(double t, std::span<const double> y) noexcept {
        place(t, y);
        bodies_.set_velocities(y);
    }

    /// States of dynamic, then prescribed bodies at (t, y).
    std::span<const RigidState> states_at(double t, std::span<const double> y) noexcept {
        place_and_move(t, y);
        return bodies_.states();
    }

    /// Involves constraints by their numbers, and computes their rows where the bodies were placed last, until others
    /// are involved or something moves.
    void involve(std::span<const int> constraints) noexcept;
    /// Involves none, until bodies are placed again.
    void involve_none() noexcept { contacts_.involve({}); }

    /// Gap of a constraint at (t, y), m, without rows or forces: of an angle times the world's length. Infinite of a
    /// point that solids do not have.
    double gap(std::size_t constraint, double t, std::span<const double> y) const noexcept;
    /// The same as a distance: that of an angle at its lever.
    double distance(std::size_t constraint, double t, std::span<const double> y) const noexcept {
        return contacts_[constraint].lever * gap(constraint, t, y);
    }
    /// The constraint whose event watches the gap of another: its own, of solids their first.
    std::size_t watching(std::size_t constraint) const noexcept {
        const UnilateralConstraint& c = contacts_[constraint];
        return c.is_of_solids() ? solids_of(c).first : constraint;
    }
    /// What an event of a gap is about: the gap; of solids the distance of both, for their first constraint, and
    /// infinity for the others.
    double event_gap(std::size_t constraint, double t, std::span<const double> y) const noexcept;
    /// How far (m) a ball that a solid holds is from the border of the part that holds it, at (t, y). Regions overlap
    /// by a hair: who comes into one is within it, and is seen to leave it again wherever he goes.
    double distance_from_border(std::size_t constraint, double t, std::span<const double> y) const noexcept;
    /// Place of a constraint where the bodies were placed last.
    ConstraintPlace constraint_place(std::size_t constraint) const noexcept {
        return contacts_.place(constraint, bodies_.all_frames(), bodies_.memory());
    }

    // J or S of the joints for other places than those of the bodies, until `place` is called again (see JointSolver).
    void place_joints(std::span<const BodyFrame> frames, std::span<const double> memory) noexcept;
    void linearise_joints(std::span<const BodyFrame> frames, std::span<const double> memory) noexcept;
    void linearise_joints_ridged(std::span<const double> memory, double ridge) noexcept;
    void linearise_joints_damped(std::span<const double> memory, double damping) noexcept;
    void choose_joint_rows(std::span<double> memory) noexcept;

    /// Whether solids come together within h (s) from where they were placed last, at the velocities set last.
    bool meet_within(const UnilateralConstraint& constraint, double h) noexcept;

private:
    void assign_stops();
    bool find_points_of(const SolidPair& pair, double t, std::span<const double> y, double margin) noexcept;
    Twist velocity_of(const SolidPair& pair, std::size_t e) const noexcept;

    ContactSolver contacts_; ///< first: a snapshot of the island looks at it
    WorldScale scale_;
    BodyFrames bodies_;
    JointSolver joints_;
    std::vector<bool> has_rotation_rows_;    ///< of dynamic bodies: joints lock some of their rotation
    std::vector<BodyHold> holds_;            ///< of dynamic bodies, by taut joints
    std::vector<BodyHold> remembered_holds_; ///< scratch space
    bool holds_any_ = false;
    std::vector<SolidPair> solids_;
    std::vector<JointStop> stops_;                       ///< the constraints after the contacts point to them
    std::vector<UnilateralConstraint> stop_constraints_; ///< as they are handed to contacts_
    std::uint64_t joint_places_version_ = 0;             ///< version of the places of J and S; 0: none
    std::uint64_t row_places_version_ = 0;               ///< version of the places of the contacts' rows,
    std::uint64_t rows_version_ = 0;                     ///< and the contacts' own version for these rows
};

} // namespace substep::detail
