// What stops, holds and drives joints as if there were no give: hard limits, dry friction, drives at their limit,
// cones.
#include <array>
#include <numbers>

#include "ingredients.h"

namespace hostile {

using namespace substep;

namespace {

JointAxis any_free_axis(const JointDesc& joint, Random& random) {
    std::array<JointAxis, 9> free{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < free.size(); ++i) {
        if (has_coordinate(joint, static_cast<JointAxis>(i))) {
            free[count++] = static_cast<JointAxis>(i);
        }
    }
    return count == 0 ? JointAxis::AngleZ : free[random.one_of(count)];
}

double any_restitution(Random& random) {
    return random.chance(0.3) ? 0.0 : random.chance(0.2) ? 1.0 : random.between(-0.02, 1.0);
}

} // namespace

void add_stops(JointDesc& joint, Random& random) {
    for (std::size_t i = 1 + random.one_of(2); i > 0; --i) {
        JointLimit limit;
        limit.axis = any_free_axis(joint, random);
        const double width = random.decade(-3.0, 0.5);
        const bool positive = limit.axis == JointAxis::Distance || limit.axis == JointAxis::Swing;
        const double lower = positive ? random.between(0.0, 1.5) : random.between(-1.5, 0.2);
        limit.lower = random.chance(0.3) ? limit.lower : lower;
        limit.upper = random.chance(0.3) ? limit.upper : lower + width;
        limit.restitution = any_restitution(random);
        joint.limits.push_back(limit);
    }
    if (random.chance(0.5)) {
        const double viscous = random.chance(0.6) ? 0.0 : random.decade(-3.0, 2.0);
        joint.friction.push_back({any_free_axis(joint, random), viscous, random.decade(-3.0, 3.0)});
    }
    if (random.chance(0.5)) { // at its limit most of the time
        JointDrive drive = any_drive(random, any_free_axis(joint, random));
        drive.maximum_force = random.decade(-3.0, 2.0);
        drive.stiffness = random.chance(0.3) ? 0.0 : random.decade(2.0, 7.0);
        drive.damping = drive.stiffness > 0.0 && random.chance(0.5) ? 0.0 : random.decade(0.0, 5.0);
        joint.drives.push_back(drive);
    }
}

JointDesc any_cone(const World& world, Random& random, BodyId a, BodyId b, const glm::dvec3& point) {
    ConeTwistLimits limits;
    limits.swing = random.chance(0.1) ? std::numbers::pi : random.decade(-2.0, 0.49);
    if (random.chance(0.7)) {
        limits.twist_lower = random.between(-3.0, 0.5);
        limits.twist_upper = limits.twist_lower + random.decade(-2.0, 0.5);
    }
    if (random.chance(0.4)) {
        limits.stiffness = random.decade(-1.0, 6.0);
        limits.damping = random.chance(0.4) ? 0.0 : random.decade(-2.0, 3.0);
    } else {
        limits.restitution = any_restitution(random);
    }
    JointDesc joint = cone_twist(world, a, b, point, random.vector(1.0), limits);
    if (random.chance(0.3)) {
        joint.friction.push_back({JointAxis::AngleZ, 0.0, random.decade(-3.0, 3.0)});
    }
    return joint;
}

} // namespace hostile
