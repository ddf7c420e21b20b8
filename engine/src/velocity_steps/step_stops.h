// Hard limits and dry friction of joints within a velocity step.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "dynamics/configuration.h"
#include "dynamics/joint_closing.h"
#include "joints/joint_actuators.h"
#include "velocity_steps/joint_impulses.h"

namespace substep::detail {

/// A stop that may act within the interval of a velocity step.
struct StepStop {
    std::size_t number = 0; ///< of the constraint
    std::size_t row = 0;    ///< the row that it has
    ConstraintPlace place;  ///< at the step's start
    double response = 0.0;  ///< rate along the row by a unit impulse, joints obeyed
    double approach = 0.0;  ///< m/s or rad/s, at the start
    double allowed = 0.0;   ///< m/s or rad/s: the fastest closing allowed
    double impulse = 0.0;

    bool rebounds() const noexcept { return allowed < 0.0; }
};

/// The stops of one interval: neighbours solved at once as one cone problem, joints obeyed after it.
class StepStops {
public:
    StepStops(Configuration& configuration, JointClosing& closing, JointImpulses& joints) noexcept
        : c_(&configuration), joint_closing_(&closing), joint_impulses_(&joints) {}

    /// Forgets the interval's stops, and makes room for the configuration's. Allocates to grow.
    void resize();

    std::span<StepStop> all() noexcept { return stops_; }
    std::span<const StepStop> all() const noexcept { return stops_; }
    bool empty() const noexcept { return stops_.empty(); }
    const UnilateralConstraint& constraint(const StepStop& stop) const noexcept { return c_->contacts()[stop.number]; }

    /// Finds stops that may act within h (s) from the last places and velocities, under gravity (m/s^2).
    void find(double h, double gravity);
    /// Begins a step at the same places: computes each row's response with joints obeyed.
    void begin_step(JointActuators& actuators) noexcept;
    /// Lets each limit close its gap within h (s).
    void allow_gaps(double h) noexcept;
    /// Treats groups of neighbours one after the other, with other borders in every second turn (`shifted`). Returns
    /// the largest change of a velocity that was asked for, m/s.
    double turn(double h, double tolerance, bool shifted, std::span<double> y) noexcept;
    /// Keeps the forces for reports, after a step of length h (s).
    void keep_forces(double h) noexcept;
    /// Moves bodies back out of limits that are passed at (t, y). Returns false if the joints could not be closed.
    bool push_out_of_limits(double t, std::span<double> y) noexcept;

    double rate(const StepStop& stop) const noexcept; ///< along its row, m/s or rad/s

private:
    double change_wanted(const StepStop& stop, double h) const noexcept;
    void add_impulse(StepStop& stop, double impulse) noexcept;
    bool solve(double h, std::span<StepStop> group, std::span<double> y) noexcept;
    bool find_passed(double t, std::span<const double> y) noexcept;
    void involve() noexcept { c_->involve(constraint_numbers_); }

    Configuration* c_;
    JointClosing* joint_closing_;
    JointImpulses* joint_impulses_;
    std::vector<StepStop> stops_;
    // Scratch space.
    std::vector<int> constraint_numbers_;             ///< of the constraints that are solved together
    std::vector<std::pair<double, int>> passed_gaps_; ///< m, with the constraint's number
    std::vector<double> lambda_;
    std::vector<Wrench> reactions_;
};

} // namespace substep::detail
