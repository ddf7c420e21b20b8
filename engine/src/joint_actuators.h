// Forces along the coordinates of joints: soft limits, drives, and viscous friction.
#pragma once

#include <span>
#include <vector>

#include "island_joint.h"
#include "joint_solver.h"
#include "rigid_motion.h"

namespace substep::detail {

/// What acts along one coordinate of a joint of the island.
struct JointActuator {
    JointId id;
    IslandJoint joint; ///< that knows what its angles are
    JointAxis axis = JointAxis::AngleZ;
    std::vector<JointLimit> limits;
    std::vector<JointDrive> drives;
    double viscous = 0.0; ///< N s/m or N m s/rad
};

/// Throws std::invalid_argument unless limits, drives and friction of a joint are along coordinates that it has, with
/// numbers that make sense.
void require_actuators(const JointDesc& joint);

/// Returns the coordinates along which something acts, each once.
std::vector<JointAxis> actuated_axes(const JointDesc& joint);

/// Returns everything that acts along one coordinate.
JointActuator make_actuator(JointId id, const JointDesc& desc, const IslandJoint& joint, JointAxis axis);

/// Returns the force (N or N m) of everything that acts along a coordinate at a value and rate, with the inverse
/// inertia w (1/kg or 1/(kg m^2)) that it has. With h > 0 (s) springs and dampers are taken where they will be after
/// that time, to first order: stable at any stiffness.
double actuate(const JointActuator& actuator, double value, double rate, double w, double h) noexcept;

/// Returns the energy (J) that the spring of a limit or a drive holds where its coordinate has a value, zero where it
/// pulls at nothing. A drive's spring pulls no harder than its greatest force; in units of acceleration it has no
/// energy, because what it moves decides how hard it pulls.
double spring_energy(const JointLimit& limit, double value) noexcept;
double spring_energy(const JointDrive& drive, double value) noexcept;

/// The actuators of one island.
class JointActuators {
public:
    /// Allocates; `bodies` counts prescribed ends of joints too, `dynamic` those that forces move.
    void build(std::vector<JointActuator> actuators, std::size_t bodies, std::size_t dynamic, int joint_rows);

    bool empty() const noexcept { return actuators_.empty(); }
    std::span<JointActuator> all() noexcept { return actuators_; }

    /// Returns the fastest rate (rad/s, or 1/s where damping prevails) that drives and limits give a coordinate.
    double fastest(std::span<const BodyFrame> frames, std::span<const double> memory,
                   const JointSolver& joints) noexcept;

    /// Adds the forces at the places where `joints` is linearised. `ahead` as in `actuate`. Adds their powers to those
    /// of LedgerTerm, but for what the springs' energy gives: none if `powers` is empty.
    void add_wrenches(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                      std::span<const double> memory, const JointSolver& joints, double ahead,
                      std::span<Wrench> wrenches, std::span<double> powers) noexcept;

    /// Returns the energy (J) in the springs of limits and drives.
    double spring_energy(std::span<const BodyFrame> frames, std::span<const double> memory) const noexcept;

private:
    double inverse_inertia(const JointActuator& actuator, const std::array<Twist, 2>& row,
                           std::span<const BodyFrame> frames, const JointSolver& joints) noexcept;

    std::vector<JointActuator> actuators_;
    std::size_t dynamic_ = 0;
    std::vector<Twist> responses_; ///< scratch: M^-1 J^T, of all bodies
    std::vector<Wrench> reactions_;
    std::vector<double> rows_;
};

} // namespace substep::detail
