// The laws along one coordinate of a joint: soft limits, drives, and viscous friction.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "joints/island_joint.h"
#include "joints/joint_rows.h"

namespace substep::detail {

/// A limit without stiffness is a stop (contact/joint_stops.h), not an actuator.
inline bool is_hard(const JointLimit& limit) noexcept { return limit.stiffness == 0.0; }

/// The limits, drives and friction along one coordinate of a joint of the island.
struct JointActuator {
    JointId id;
    IslandJoint joint; ///< with the memory of its angles
    JointAxis axis = JointAxis::AngleZ;
    std::vector<JointLimit> limits;
    std::vector<JointDrive> drives;
    double viscous = 0.0; ///< N s/m or N m s/rad

    bool acts() const noexcept { return !limits.empty() || !drives.empty() || viscous > 0.0; }
};

/// A spring and a damper along a coordinate, whose force stays within bounds.
struct ActuatorLaw {
    double stiffness = 0.0;                                  ///< N/m or N m/rad
    double damping = 0.0;                                    ///< N s/m or N m s/rad
    double stretch = 0.0;                                    ///< m or rad, to where it pulls
    double rate = 0.0;                                       ///< m/s or rad/s, to which it pulls
    double least = -std::numeric_limits<double>::infinity(); ///< N or N m
    double most = std::numeric_limits<double>::infinity();

    /// The force, not yet within its bounds, where the coordinate goes at a rate, and has gone so for a time `lag` (s).
    double unbounded(double at_rate, double lag) const noexcept {
        return stiffness * (stretch - lag * at_rate) + damping * (rate - at_rate);
    }
};

/// Whether a law along the coordinate depends on the inertia that it moves.
inline bool needs_inertia(const JointActuator& actuator) noexcept {
    return std::ranges::any_of(actuator.drives,
                               [](const JointDrive& drive) { return drive.unit == DriveUnit::Acceleration; });
}

/// The law of a limit at a value of its coordinate: nothing where it is not passed.
ActuatorLaw law_of(const JointLimit& limit, double value) noexcept;
/// The law of a drive, with the inverse inertia (1/kg or 1/(kg m^2)) of its coordinate: of one in units of
/// acceleration.
ActuatorLaw law_of(const JointDrive& drive, double value, double inverse_inertia) noexcept;

/// Calls `use` with every law along a coordinate at a value, in one order.
template <class Use>
void for_each_law(const JointActuator& actuator, double value, double inverse_inertia, Use&& use) {
    for (const JointLimit& limit : actuator.limits) {
        use(law_of(limit, value));
    }
    for (const JointDrive& drive : actuator.drives) {
        use(law_of(drive, value, inverse_inertia));
    }
    if (actuator.viscous > 0.0) {
        use(ActuatorLaw{.damping = actuator.viscous});
    }
}

/// A force along a coordinate (N or N m), and by how much it falls where the coordinate goes faster (by m/s or rad/s).
struct YieldingForce {
    double force = 0.0;
    double slope = 0.0; ///< of what is not at its bounds
};

/// Returns the force of everything along a coordinate at a value, where it goes at a rate and has gone so for a time
/// `lag` (s) already: with the rate of a step's end and its length as `lag` it is the force there, to first order.
YieldingForce force_along(const JointActuator& actuator, double value, double rate, double inverse_inertia,
                          double lag) noexcept;

/// Returns the energy (J) in the spring of a limit or a drive at a value of its coordinate, zero where it does not
/// pull. A drive's spring pulls no harder than its greatest force; in units of acceleration it has no energy, because
/// its force depends on the inertia that it moves.
double spring_energy(const JointLimit& limit, double value) noexcept;
double spring_energy(const JointDrive& drive, double value) noexcept;

/// Returns the force of a drive's spring alone: minus the derivative of its energy.
double spring_force(const JointDrive& drive, double value) noexcept;
/// Returns the same of all springs along a coordinate.
double spring_force(const JointActuator& actuator, double value) noexcept;

/// Returns the value of its coordinate (m or rad), with the turns that its joint remembers.
double value_of(const JointActuator& actuator, const JointGeometry& geometry, std::span<const double> memory) noexcept;

} // namespace substep::detail
