// The joints of a pile as rows of a convex step: equations, hard limits and dry friction, and what acts along them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "convex_step/convex_step.h"
#include "dynamics/actuator_rows.h"
#include "dynamics/configuration.h"
#include "dynamics/works.h"

namespace substep::detail {

/// Whether convex steps can make an island with the joints and stops of this configuration: none couples others, holds
/// by being taut, or has a limit that rebounds.
bool are_rows_of_convex_steps(const Configuration& configuration) noexcept;

/// Lays out the joints of an island where its bodies were placed last, and takes their forces back.
class PileJoints {
public:
    /// For a step of length h (s); `actuators` have begun it. Rows remember no forces from step to step: what joints
    /// pull with is found anew. Allocates to grow.
    void lay_out(const Configuration& configuration, const ActuatorRows& actuators, double h);
    ConvexJoints rows() noexcept { return {joints_, rows_}; }
    bool empty() const noexcept { return joints_.empty(); }

    /// Impulses of the joints' equations in a step of length h (s), by their numbers: N s, N m s.
    std::span<const double> impulses(double h) noexcept;
    /// Keeps the forces of limits and dry friction for reports.
    void keep_stop_forces(ContactSolver& contacts) const noexcept;

    /// Books a step of length h (s): `all` is the work (J) of all rows; that of limits, dry friction and actuators is
    /// theirs, at the mean of the velocities before and after it. What pushed bodies back into limits counts as
    /// overlap.
    void book(double all, double h, std::span<const Twist> before, std::span<const PileBody> after,
              ActuatorRows& actuators, const Works& works, std::span<double> y);

private:
    void add_stops(const Configuration& configuration, double h);
    void add_actuators(const ActuatorRows& actuators, double h);
    ActuatorWorks works_of(ActuatorRows& actuators, double h, std::span<const Twist> before,
                           std::span<const PileBody> after);

    std::vector<ConvexJoint> joints_; ///< in the order of their numbers, then stops, then laws of actuators
    std::vector<ConvexRow> rows_;
    std::vector<std::size_t> stops_; ///< numbers of the constraints that they are
    std::vector<std::size_t> laws_;  ///< actuators of the rows behind those of stops
    std::size_t equations_ = 0;      ///< rows before those of stops
    std::vector<double> gaps_;       ///< scratch space, as the next one
    std::vector<double> impulses_;
    std::vector<Twist> velocities_;
};

} // namespace substep::detail
