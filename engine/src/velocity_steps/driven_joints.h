// Joints and actuators of one island, solved at once within velocity steps.
#pragma once

#include <span>
#include <vector>

#include "dynamics/actuator_rows.h"
#include "dynamics/configuration.h"
#include "joints/joint_solver.h"

namespace substep::detail {

/// The equations of joints with the rows of actuators behind them. Where nothing acts along joints it is not used: the
/// configuration's own solver is enough then.
class DrivenJoints {
public:
    /// Says that joints or actuators are others now.
    void outdate() noexcept { is_built_ = false; }
    /// Makes room for those of a configuration. Allocates where they are others.
    void prepare(const Configuration& configuration, const JointActuators& actuators);

    /// Begins a step of length h (s) where the bodies were placed last: what `prepare` was given.
    void begin(Configuration& configuration, JointActuators& actuators, double h) noexcept;
    /// Takes rows at other places. Both must stay where they are until the rows are taken again.
    void place(std::span<const BodyFrame> frames, std::span<const double> memory) noexcept;

    ActuatorRows& actuators() noexcept { return actuators_; }
    const ActuatorRows& actuators() const noexcept { return actuators_; }
    /// The joints as they were placed last.
    const JointSolver& joints() const noexcept { return system_; }

    /// Finds the impulses with which the rates of the equations' rows are those wanted, and actuators give what they
    /// ask for at the velocities that all of them lead to from these. Adds those of equations to theirs, and all to
    /// those of bodies.
    void solve(std::span<const Twist> velocities, std::span<const double> wanted, std::span<double> of_equations,
               std::span<Wrench> impulses) noexcept;
    /// Adds impulses of the equations along their rows, and those that actuators have given, to those of bodies.
    void add_impulses(std::span<const double> of_equations, std::span<Wrench> impulses) noexcept;

private:
    void linearise() noexcept;
    void follow() noexcept;

    ActuatorRows actuators_;
    JointSolver system_;              ///< joints, with the actuators' elements behind them
    std::vector<std::size_t> bodies_; ///< the dynamic ones at their ends
    bool is_built_ = false;
    bool is_factored_ = false; ///< at the places of the rows
    std::span<const BodyFrame> frames_;
    std::span<const double> memory_;
    double h_ = 0.0; ///< s
    // Scratch space.
    std::vector<double> impulses_before_;
    std::vector<double> unknowns_;
    std::vector<Wrench> changes_;   ///< impulses of one round
    std::vector<Twist> velocities_; ///< so far
    std::vector<Twist> following_;  ///< behind a round
};

} // namespace substep::detail
