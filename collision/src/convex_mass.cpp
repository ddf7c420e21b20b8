// Mass properties of the narrow phase's own solids.
#include <numbers>

#include <glm/geometric.hpp>

#include "polyhedron_sums.h"
#include "revolved_solid.h"
#include "substep/collision/convex.h"
#include "substep/numerics/number_checks.h"

namespace substep::detail {
namespace {

RevolvedSolid slices(const Frustum& f) noexcept {
    RevolvedSolid solid;
    const double slope = (f.radius_top - f.radius_bottom) / (2.0 * f.half_length);
    solid.add(-f.half_length, f.half_length, [&](double y) {
        const double radius = f.radius_bottom + slope * (y + f.half_length);
        return radius * radius;
    });
    return solid;
}

RevolvedSolid slices(const TaperedCapsule& c) noexcept {
    const double l = c.half_length;
    const auto ball = [](double centre, double radius) {
        return [=](double y) { return radius * radius - (y - centre) * (y - centre); };
    };
    RevolvedSolid solid;
    // The sine of the angle by which the side's normal leans to the top.
    const double lean = (c.radius_bottom - c.radius_top) / (2.0 * l);
    if (!(lean > -1.0 && lean < 1.0)) { // one ball holds the other
        const double radius = std::fmax(c.radius_bottom, c.radius_top);
        const double centre = c.radius_bottom > c.radius_top ? -l : l;
        solid.add(centre - radius, centre + radius, ball(centre, radius));
        return solid;
    }
    const double low = -l + lean * c.radius_bottom;
    const double high = l + lean * c.radius_top;
    const double across = std::sqrt((1.0 - lean) * (1.0 + lean));
    solid.add(-l - c.radius_bottom, low, ball(-l, c.radius_bottom));
    solid.add(low, high, [&](double y) {
        const double radius = across * (c.radius_bottom + (c.radius_top - c.radius_bottom) * (y - low) / (high - low));
        return radius * radius;
    });
    solid.add(high, l + c.radius_top, ball(l, c.radius_top));
    return solid;
}

MassProperties of_mass(const RevolvedSolid& solid, double mass) {
    const double density = mass / solid.volume;
    const double height = solid.height / solid.volume;
    const double side = density * (solid.across + solid.along) - mass * height * height;
    MassProperties result;
    result.mass = mass;
    result.centre_of_mass = {0.0, height, 0.0};
    result.inertia = {side, 0.0, 0.0, 0.0, density * 2.0 * solid.across, 0.0, 0.0, 0.0, side};
    return result;
}

void require_scale(const glm::dvec3& scale) {
    require_positive("The hull's scale along x", scale.x, "");
    require_positive("The hull's scale along y", scale.y, "");
    require_positive("The hull's scale along z", scale.z, "");
}

} // namespace

MassProperties mass_properties(const TaperedCapsule& capsule, double mass) {
    require_positive("The mass", mass, "kg");
    require_positive("The capsule's bottom radius", capsule.radius_bottom, "m");
    require_positive("The capsule's top radius", capsule.radius_top, "m");
    require_positive("The capsule's half length", capsule.half_length, "m");
    return of_mass(slices(capsule), mass);
}

MassProperties mass_properties(const Frustum& frustum, double mass) {
    require_positive("The mass", mass, "kg");
    require_not_negative("The cone's bottom radius", frustum.radius_bottom, "m");
    require_not_negative("The cone's top radius", frustum.radius_top, "m");
    require_positive("The cone's larger radius", std::fmax(frustum.radius_bottom, frustum.radius_top), "m");
    require_positive("The cone's half length", frustum.half_length, "m");
    return of_mass(slices(frustum), mass);
}

MassProperties mass_properties(const ScaledHull& hull, double mass) {
    require_positive("The mass", mass, "kg");
    require_scale(hull.scale);
    return polyhedron_sums(*hull.hull, hull.scale).of_mass(mass);
}

double volume(const TaperedCapsule& capsule) noexcept { return std::numbers::pi * slices(capsule).volume; }
double volume(const Frustum& frustum) noexcept { return std::numbers::pi * slices(frustum).volume; }
double volume(const ScaledHull& hull) noexcept { return polyhedron_sums(*hull.hull, hull.scale).volume; }

} // namespace substep::detail
