// Joints of every kind, and what acts along them.
#include "ingredients.h"
#include "substep/numerics/elementary_functions.h"

namespace hostile {
namespace {

using namespace substep;

/// An ellipse, or with a pitch a helix.
class Winding final : public Curve {
public:
    Winding(double a, double b, double pitch) : a_(a), b_(b), pitch_(pitch) {}
    Point at(double s) const noexcept override {
        double sine = 0.0, cosine = 0.0;
        sine_cosine(s, sine, cosine);
        return {
            {a_ * cosine, b_ * sine, pitch_ * s}, {-a_ * sine, b_ * cosine, pitch_}, {-a_ * cosine, -b_ * sine, 0.0}};
    }

private:
    double a_;
    double b_;
    double pitch_;
};

JointAxis any_axis(const JointDesc& joint, Random& random) {
    const auto axis = static_cast<JointAxis>(random.one_of(9));
    if (random.chance(0.3)) {
        return axis; // which it may not have
    }
    if (joint.curve) {
        return JointAxis::Curve;
    }
    if (joint.distance) {
        return JointAxis::Distance;
    }
    if (!joint.locked_translation[2]) {
        return joint.locked_rotation[2] || random.chance(0.5) ? JointAxis::Z : JointAxis::AngleZ;
    }
    return joint.locked_rotation[2] ? JointAxis::AngleX : random.chance(0.7) ? JointAxis::AngleZ : JointAxis::Swing;
}

} // namespace

JointDesc any_plain_joint(const World& world, Random& random, BodyId a, BodyId b, const glm::dvec3& point) {
    const glm::dvec3 axis = random.vector(1.0);
    switch (random.one_of(10)) {
    case 0:
        return slider(world, a, b, point, axis);
    case 1:
        return fixed(world, a, b, point);
    case 2:
        return universal(world, a, b, point, axis, glm::cross(axis, random.vector(1.0)));
    case 3:
        return cylindrical(world, a, b, point, axis);
    case 4:
        return planar(world, a, b, point, axis);
    case 5:
        return point_on_line(world, a, b, point, axis);
    case 6:
        return six_axis(world, a, b, {point, random.orientation()},
                        {random.chance(0.5), random.chance(0.5), random.chance(0.5)},
                        {random.chance(0.5), random.chance(0.5), random.chance(0.5)});
    case 7:
    case 8:
        return hinge(world, a, b, point, axis);
    default:
        return ball(world, a, b, point);
    }
}

JointDesc any_special_joint(const World& world, Random& random, BodyId a, BodyId b, const glm::dvec3& point) {
    const glm::dvec3 axis = random.vector(1.0);
    switch (random.one_of(6)) {
    case 0:
        return rod(world, a, b, point + random.vector(2.0), point);
    case 1:
        return rope(world, a, b, point + random.vector(2.0), point);
    case 2:
    case 3: {
        const double pitch = random.chance(0.4) ? 0.0 : random.decade(-2.0, 0.5);
        const double radius = random.decade(-1.0, 0.7), other = random.decade(-1.0, 0.7);
        const auto curve = std::make_shared<Winding>(radius, other, pitch);
        const double parameter = random.between(-4.0, 4.0);
        const glm::dquat turned = random.orientation();
        const glm::dvec3 away = random.chance(0.8) ? glm::dvec3(0.0) : random.vector(0.05);
        return point_on_curve(world, a, b, {point - turned * curve->at(parameter).position + away, turned}, curve,
                              point, parameter + random.between(-0.3, 0.3));
    }
    case 4:
        return cone_twist(world, a, b, point, axis);
    default:
        return six_axis(world, a, b, {point, random.orientation()}, {false, false, false}, {false, false, false});
    }
}

JointDrive any_drive(Random& random, JointAxis axis) {
    JointDrive drive;
    drive.axis = axis;
    drive.target_position = random.between(-4.0, 4.0);
    drive.target_rate = random.chance(0.5) ? 0.0 : random.between(-20.0, 20.0);
    drive.stiffness = random.chance(0.4) ? 0.0 : random.decade(-2.0, 5.0);
    drive.damping = random.chance(0.2) ? 0.0 : random.decade(-2.0, 4.0);
    drive.maximum_force = random.chance(0.5)   ? drive.maximum_force
                          : random.chance(0.1) ? 0.0
                                               : random.decade(-2.0, 4.0);
    drive.unit = random.chance(0.5) ? DriveUnit::Force : DriveUnit::Acceleration;
    if (random.chance(0.03)) {
        drive.damping = -1.0;
    }
    return drive;
}

void add_actuators(JointDesc& joint, Random& random) {
    for (std::size_t i = random.one_of(3); i > 0; --i) {
        JointLimit limit;
        limit.axis = any_axis(joint, random);
        limit.lower = random.chance(0.2) ? limit.lower : random.between(-2.0, 0.5);
        limit.upper = random.chance(0.2) ? limit.upper : limit.lower + random.decade(-2.0, 0.5);
        limit.stiffness = random.decade(-1.0, 6.0);
        limit.damping = random.chance(0.4) ? 0.0 : random.decade(-2.0, 3.0);
        joint.limits.push_back(limit);
    }
    for (std::size_t i = random.one_of(3); i > 0; --i) {
        const JointAxis axis = any_axis(joint, random);
        joint.drives.push_back(any_drive(random, axis));
    }
    if (random.chance(0.4)) {
        joint.friction.push_back({any_axis(joint, random), random.decade(-3.0, 3.0)});
    }
}

} // namespace hostile
