// Joints of every kind, and what acts along them.
#include <array>

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

JointAxis any_axis(const JointDesc& joint, Draws draw) {
    const auto at = [](JointAxis axis) { return static_cast<std::size_t>(axis); };
    return static_cast<JointAxis>(draw.one_of("axis", kAxes, [&](Random& random) {
        const std::size_t any = random.one_of(kAxes.size());
        if (random.chance(0.3)) {
            return any; // which it may not have
        }
        if (joint.curve_lock()) {
            return at(JointAxis::Curve);
        }
        if (joint.distance_lock()) {
            return at(JointAxis::Distance);
        }
        if (!joint.locked_translation()[2]) {
            return at(joint.locked_rotation[2] || random.chance(0.5) ? JointAxis::Z : JointAxis::AngleZ);
        }
        return at(joint.locked_rotation[2] ? JointAxis::AngleX
                  : random.chance(0.7)     ? JointAxis::AngleZ
                                           : JointAxis::Swing);
    }));
}

} // namespace

std::array<bool, 3> any_locks(Draws draw, std::string_view name) {
    std::array<bool, 3> locks{};
    Draws each = draw.part(name);
    locks[0] = each.chance("x", 0.5);
    locks[1] = each.chance("y", 0.5);
    locks[2] = each.chance("z", 0.5);
    return locks;
}

JointDesc any_plain_joint(const World& world, Draws draw, BodyId a, BodyId b, const glm::dvec3& point) {
    const glm::dvec3 axis = draw.vector("axis", 1.0);
    switch (draw.one_of("kind", {"slider", "fixed", "universal", "cylindrical", "planar", "point_on_line", "six_axis",
                                 "hinge", "hinge", "ball"})) {
    case 0:
        return slider(world, a, b, point, axis);
    case 1:
        return fixed(world, a, b, point);
    case 2:
        return universal(world, a, b, point, axis, glm::cross(axis, draw.vector("across", 1.0)));
    case 3:
        return cylindrical(world, a, b, point, axis);
    case 4:
        return planar(world, a, b, point, axis);
    case 5:
        return point_on_line(world, a, b, point, axis);
    case 6: {
        const std::array<bool, 3> rotation = any_locks(draw, "locked_rotation");
        const std::array<bool, 3> translation = any_locks(draw, "locked_translation");
        return six_axis(world, a, b, {point, draw.orientation("orientation")}, translation, rotation);
    }
    case 7:
    case 8:
        return hinge(world, a, b, point, axis);
    default:
        return ball(world, a, b, point);
    }
}

JointDesc any_special_joint(const World& world, Draws draw, BodyId a, BodyId b, const glm::dvec3& point) {
    const glm::dvec3 axis = draw.vector("axis", 1.0);
    switch (draw.one_of("kind", {"rod", "rope", "winding", "winding", "cone_twist", "measure"})) {
    case 0:
        return rod(world, a, b, point + draw.vector("reach", 2.0), point);
    case 1:
        return gauge(world, a, b, point + draw.vector("reach", 2.0), point);
    case 2:
    case 3: {
        const double pitch =
            draw.number("pitch", [](Random& random) { return random.chance(0.4) ? 0.0 : random.decade(-2.0, 0.5); });
        const double radius = draw.decade("radius", -1.0, 0.7), other = draw.decade("other_radius", -1.0, 0.7);
        return joint_on_curve(world, draw, a, b, point, std::make_shared<Winding>(radius, other, pitch), 4.0, 0.05);
    }
    case 4:
        return cone_twist(world, a, b, point, axis);
    default:
        return six_axis(world, a, b, {point, draw.orientation("orientation")}, {false, false, false},
                        {false, false, false});
    }
}

JointDrive any_drive(Draws draw, JointAxis axis) {
    JointDrive drive;
    drive.axis = axis;
    drive.target_position = draw.between("target_position", -4.0, 4.0);
    drive.target_rate = draw.number(
        "target_rate", [](Random& random) { return random.chance(0.5) ? 0.0 : random.between(-20.0, 20.0); });
    drive.stiffness =
        draw.number("stiffness", [](Random& random) { return random.chance(0.4) ? 0.0 : random.decade(-2.0, 5.0); });
    drive.damping =
        draw.number("damping", [](Random& random) { return random.chance(0.2) ? 0.0 : random.decade(-2.0, 4.0); });
    drive.maximum_force = draw.number("maximum_force", [&](Random& random) {
        return random.chance(0.5) ? drive.maximum_force : random.chance(0.1) ? 0.0 : random.decade(-2.0, 4.0);
    });
    drive.unit = draw.chance("in_newtons", 0.5) ? DriveUnit::Force : DriveUnit::Acceleration;
    if (draw.chance("has_odd_damping", 0.03)) {
        drive.damping = -1.0;
    }
    return drive;
}

void add_actuators(JointDesc& joint, Draws draw) {
    const auto up_to_two = [](Random& random) { return random.one_of(3); };
    for (Draws one : draw.list("limits", up_to_two)) {
        JointLimit limit;
        limit.axis = any_axis(joint, one);
        limit.lower = one.number(
            "lower", [&](Random& random) { return random.chance(0.2) ? limit.lower : random.between(-2.0, 0.5); });
        limit.upper = one.number("upper", [&](Random& random) {
            return random.chance(0.2) ? limit.upper : limit.lower + random.decade(-2.0, 0.5);
        });
        limit.stiffness = one.decade("stiffness", -1.0, 6.0);
        limit.damping =
            one.number("damping", [](Random& random) { return random.chance(0.4) ? 0.0 : random.decade(-2.0, 3.0); });
        joint.limits.push_back(limit);
    }
    for (const Draws& one : draw.list("drives", up_to_two)) {
        const JointAxis axis = any_axis(joint, one);
        joint.drives.push_back(any_drive(one, axis));
    }
    if (draw.chance("has_friction", 0.4)) {
        Draws friction = draw.part("friction");
        const JointAxis axis = any_axis(joint, friction);
        joint.friction.push_back({axis, friction.decade("viscous", -3.0, 3.0)});
    }
}

} // namespace hostile
