// Forces and energies of what acts along a joint's coordinate.
#include "joints/actuator_laws.h"

#include <cmath>

#include "joints/joint_coordinates.h"

namespace substep::detail {

ActuatorLaw law_of(const JointLimit& limit, double value) noexcept {
    const bool below = value < limit.lower;
    if (!below && !(value > limit.upper)) {
        return {};
    }
    ActuatorLaw law{limit.stiffness, limit.damping, (below ? limit.lower : limit.upper) - value};
    (below ? law.least : law.most) = 0.0; // pushes back, never pulls
    return law;
}

ActuatorLaw law_of(const JointDrive& drive, double value, double inverse_inertia) noexcept {
    const double inertia = drive.unit == DriveUnit::Acceleration && inverse_inertia > 0.0 ? 1.0 / inverse_inertia : 1.0;
    return {inertia * drive.stiffness, inertia * drive.damping, drive.target_position - value,
            drive.target_rate,         -drive.maximum_force,    drive.maximum_force};
}

YieldingForce force_along(const JointActuator& actuator, double value, double rate, double inverse_inertia,
                          double lag) noexcept {
    YieldingForce all;
    for_each_law(actuator, value, inverse_inertia, [&](const ActuatorLaw& law) {
        const double asked = law.unbounded(rate, lag);
        const double force = std::clamp(asked, law.least, law.most);
        all.force += force;
        all.slope += force == asked ? law.damping + lag * law.stiffness : 0.0;
    });
    return all;
}

double spring_energy(const JointLimit& limit, double value) noexcept {
    const ActuatorLaw law = law_of(limit, value);
    return 0.5 * law.stiffness * law.stretch * law.stretch;
}

// Where the spring would pull harder than it may, its force is constant: energy grows in proportion there.
double spring_energy(const JointDrive& drive, double value) noexcept {
    const double stretch = std::abs(drive.target_position - value);
    const double force = std::abs(spring_force(drive, value));
    return force > 0.0 ? force * (stretch - 0.5 * force / drive.stiffness) : 0.0;
}

double spring_force(const JointDrive& drive, double value) noexcept {
    const double pull = drive.stiffness * (drive.target_position - value);
    return drive.unit == DriveUnit::Force ? std::clamp(pull, -drive.maximum_force, drive.maximum_force) : 0.0;
}

double spring_force(const JointActuator& actuator, double value) noexcept {
    double force = 0.0;
    for (const JointLimit& limit : actuator.limits) {
        const ActuatorLaw law = law_of(limit, value);
        force += law.stiffness * law.stretch;
    }
    for (const JointDrive& drive : actuator.drives) {
        force += spring_force(drive, value);
    }
    return force;
}

double value_of(const JointActuator& actuator, const JointGeometry& geometry, std::span<const double> memory) noexcept {
    const double value = coordinate_value(actuator.joint, actuator.axis, geometry);
    if (!is_turning(actuator.axis)) {
        return value;
    }
    const int slot = memory_of(actuator.axis);
    return unwrapped(value, memory[static_cast<std::size_t>(actuator.joint.memory[slot])]);
}

} // namespace substep::detail
