// What stops, holds and drives joints as if there were no give: hard limits, dry friction, drives at their limit,
// cones.
#include <array>
#include <numbers>

#include "ingredients.h"

namespace hostile {

using namespace substep;

namespace {

JointAxis any_free_axis(const JointDesc& joint, Draws draw, std::string_view name) {
    std::array<std::size_t, kAxes.size()> free{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < free.size(); ++i) {
        if (has_coordinate(joint, static_cast<JointAxis>(i))) {
            free[count++] = i;
        }
    }
    return static_cast<JointAxis>(draw.one_of(name, kAxes, [&](Random& random) {
        return count == 0 ? static_cast<std::size_t>(JointAxis::AngleZ) : free[random.one_of(count)];
    }));
}

double any_restitution(Draws draw) {
    return draw.number("restitution", [](Random& random) {
        return random.chance(0.3) ? 0.0 : random.chance(0.2) ? 1.0 : random.between(-0.02, 1.0);
    });
}

} // namespace

void add_stops(JointDesc& joint, Draws draw) {
    for (Draws one : draw.list("stops", [](Random& random) { return 1 + random.one_of(2); })) {
        JointLimit limit;
        limit.axis = any_free_axis(joint, one, "axis");
        const std::vector<double> range = one.numbers(
            "range",
            [&](Random& random) {
                const double width = random.decade(-3.0, 0.5);
                const bool positive = limit.axis == JointAxis::Distance || limit.axis == JointAxis::Swing;
                const double least = positive ? random.between(0.0, 1.5) : random.between(-1.5, 0.2);
                const double lower = random.chance(0.3) ? limit.lower : least;
                return std::vector{lower, random.chance(0.3) ? limit.upper : least + width};
            },
            2);
        limit.lower = range[0];
        limit.upper = range[1];
        limit.restitution = any_restitution(one);
        joint.limits.push_back(limit);
    }
    if (draw.chance("has_dry_friction", 0.5)) {
        Draws friction = draw.part("dry_friction");
        const double viscous = friction.number(
            "viscous", [](Random& random) { return random.chance(0.6) ? 0.0 : random.decade(-3.0, 2.0); });
        const JointAxis axis = any_free_axis(joint, friction, "axis");
        joint.friction.push_back({axis, viscous, friction.decade("dry", -3.0, 3.0)});
    }
    if (draw.chance("has_strong_drive", 0.5)) { // at its limit most of the time
        Draws strong = draw.part("strong_drive");
        JointDrive drive = any_drive(strong, any_free_axis(joint, strong, "axis"));
        Draws limited = strong.part("instead");
        drive.maximum_force = limited.decade("maximum_force", -3.0, 2.0);
        drive.stiffness = limited.number(
            "stiffness", [](Random& random) { return random.chance(0.3) ? 0.0 : random.decade(2.0, 7.0); });
        drive.damping = limited.number("damping", [&](Random& random) {
            return drive.stiffness > 0.0 && random.chance(0.5) ? 0.0 : random.decade(0.0, 5.0);
        });
        joint.drives.push_back(drive);
    }
}

JointDesc any_cone(const World& world, Draws draw, BodyId a, BodyId b, const glm::dvec3& point) {
    ConeTwistLimits limits;
    limits.swing = draw.number(
        "swing", [](Random& random) { return random.chance(0.1) ? std::numbers::pi : random.decade(-2.0, 0.49); });
    if (draw.chance("limits_twist", 0.7)) {
        limits.twist_lower = draw.between("twist_lower", -3.0, 0.5);
        limits.twist_upper = limits.twist_lower + draw.decade("twist_width", -2.0, 0.5);
    }
    if (draw.chance("is_soft", 0.4)) {
        limits.stiffness = draw.decade("stiffness", -1.0, 6.0);
        limits.damping =
            draw.number("damping", [](Random& random) { return random.chance(0.4) ? 0.0 : random.decade(-2.0, 3.0); });
    } else {
        limits.restitution = any_restitution(draw);
    }
    JointDesc joint = cone_twist(world, a, b, point, draw.vector("axis", 1.0), limits);
    if (draw.chance("has_dry_friction", 0.3)) {
        joint.friction.push_back({JointAxis::AngleZ, 0.0, draw.decade("dry", -3.0, 3.0)});
    }
    return joint;
}

} // namespace hostile
