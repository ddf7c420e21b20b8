// Forces along the coordinates of joints: soft limits, drives, and viscous friction.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bodies/rigid_motion.h"
#include "joints/actuator_laws.h"
#include "joints/island_joint.h"
#include "joints/joint_solver.h"

namespace substep::detail {

/// Throws std::invalid_argument unless limits, drives and friction of a joint are along coordinates that it has, with
/// numbers that make sense.
void require_actuators(const JointDesc& joint);

/// Returns the coordinates along which something acts, hard limits and dry friction included, each once.
std::vector<JointAxis> actuated_axes(const JointDesc& joint);

/// Returns everything that acts along one coordinate.
JointActuator make_actuator(JointId id, const JointDesc& desc, const IslandJoint& joint, JointAxis axis);

/// Returns the force (N or N m) of everything that acts along a coordinate at this instant, with the inverse inertia w
/// (1/kg or 1/(kg m^2)) that it has, each law on the side of its switches that `sides` says: not 0 for positive.
double actuate(const JointActuator& actuator, double value, double rate, double w,
               std::span<const std::uint8_t> sides) noexcept;

/// Returns how many switches a coordinate has: where limits begin and end to press, and drives reach their greatest
/// force.
std::size_t switch_count(const JointActuator& actuator) noexcept;

/// Whether a drive's greatest force is a bound that it may reach.
inline bool saturates(const JointDrive& drive) noexcept {
    return drive.maximum_force > 0.0 && drive.maximum_force < std::numeric_limits<double>::infinity();
}
/// Whether its spring alone reaches that force elsewhere than spring and damper together: two switches more, between
/// which its energy is smooth.
inline bool has_spring_switches(const JointDrive& drive) noexcept {
    return saturates(drive) && drive.unit == DriveUnit::Force && drive.stiffness > 0.0 && drive.damping > 0.0;
}
/// Number of switches of a drive: full force downwards and upwards, and the same of its spring alone.
inline std::size_t switch_count(const JointDrive& drive) noexcept {
    return saturates(drive) ? (has_spring_switches(drive) ? 4 : 2) : 0;
}

/// Whether the i-th limit of a coordinate is passed below or above, and presses.
struct LimitSides {
    bool below = false;
    bool above = false;
    bool presses = true;
};
inline LimitSides limit_sides(std::span<const std::uint8_t> sides, std::size_t i) noexcept {
    return {sides[3 * i] == 0, sides[3 * i + 1] == 0, sides[3 * i + 2] != 0};
}

/// The actuators of one island.
class JointActuators {
public:
    /// Allocates; `bodies` counts prescribed ends of joints too, `dynamic` those that forces move.
    void build(std::vector<JointActuator> actuators, std::size_t bodies, std::size_t dynamic, int joint_rows);

    bool empty() const noexcept { return actuators_.empty(); }
    std::span<JointActuator> all() noexcept { return actuators_; }
    std::span<const JointActuator> all() const noexcept { return actuators_; }

    /// Returns the fastest rate (rad/s, or 1/s where damping prevails) that drives and limits give a coordinate.
    double fastest(std::span<const BodyFrame> frames, std::span<const double> memory,
                   const JointSolver& joints) noexcept;

    /// Switches of all coordinates, one after the other, and the side of each. The sides are state; `add_wrenches` goes
    /// by them if `use_sides` says so.
    std::size_t switch_count() const noexcept { return sides_.size(); }
    /// Those that are events: none where forces do not go by the sides.
    std::size_t event_count() const noexcept { return uses_sides_ ? sides_.size() : 0; }
    std::span<std::uint8_t> sides() noexcept { return sides_; }
    std::span<const std::uint8_t> sides() const noexcept { return sides_; }
    void use_sides(bool use) noexcept { uses_sides_ = use; }
    void switch_values(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                       std::span<const double> memory, const JointSolver& joints, std::span<double> g) noexcept;
    /// Takes the sides from the values now. Returns whether one changed.
    bool find_sides(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                    std::span<const double> memory, const JointSolver& joints) noexcept;
    /// Whether a switch was as good as zero where the sides were found last. `find_sides_at_zero`, a moment later, puts
    /// such switches on the side where they are going to be.
    bool any_at_zero() const noexcept;
    bool find_sides_at_zero(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                            std::span<const double> memory, const JointSolver& joints) noexcept;
    /// Counts switches anew: limits or drives were replaced. Allocates.
    void count_switches();

    /// Adds the forces at the places where `joints` is linearised. Adds their powers to those of LedgerTerm, without
    /// the part of the springs' energy: none if `powers` is empty. Velocity steps have `ActuatorRows` instead.
    void add_wrenches(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                      std::span<const double> memory, const JointSolver& joints, std::span<Wrench> wrenches,
                      std::span<double> powers) noexcept;

    /// Adds the powers of the forces added last, at the same places and other velocities. These forces must have been
    /// added with powers.
    void add_powers(std::span<const BodyFrame> frames, std::span<const Twist> velocities,
                    std::span<const double> memory, const JointSolver& joints, std::span<double> powers) noexcept;

    /// Returns the energy (J) in the springs of limits and drives.
    double spring_energy(std::span<const BodyFrame> frames, std::span<const double> memory) const noexcept;

    /// Returns how fast the rate of a coordinate with this row between two bodies grows under a unit force along it,
    /// while the joints hold.
    double inverse_inertia(const std::array<int, 2>& body, const std::array<Twist, 2>& row,
                           std::span<const BodyFrame> frames, const JointSolver& joints) noexcept;

private:
    /// A coordinate where the bodies are.
    struct Coordinate {
        std::array<Twist, 2> row;
        double value = 0.0;            ///< with the turns that the joint remembers
        std::array<double, 2> rates{}; ///< by the motion of each end
        double inverse_inertia = 0.0;  ///< where something needs it
    };
    /// The last force of an actuator along its coordinate, N or N m, and its parts.
    struct Acting {
        double force = 0.0;   ///< all of it
        double spring = 0.0;  ///< the part that the springs' energy accounts for
        double viscous = 0.0; ///< the part of viscous friction, against the motion
    };
    void add_powers(const JointActuator& actuator, const Acting& acting, const std::array<double, 2>& rates,
                    std::span<double> powers) const noexcept;
    Coordinate coordinate_of(const JointActuator& actuator, std::span<const BodyFrame> frames,
                             std::span<const Twist> velocities, std::span<const double> memory,
                             const JointSolver& joints) noexcept;

    std::vector<JointActuator> actuators_;
    std::vector<std::uint8_t> sides_;
    std::vector<double> switch_values_;      ///< where the sides were found last
    std::vector<double> next_switch_values_; ///< scratch
    std::vector<Acting> last_forces_;
    bool uses_sides_ = true;
    std::size_t dynamic_count_ = 0;
    std::vector<Twist> responses_; ///< scratch: M^-1 J^T, of all bodies
    std::vector<Wrench> reactions_;
    std::vector<double> joint_rates_;
};

} // namespace substep::detail
