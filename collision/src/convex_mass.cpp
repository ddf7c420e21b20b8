// Solids of revolution in slices, hulls in tetrahedra.
#include "convex_mass.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <glm/geometric.hpp>

#include "polyhedron_sums.h"
#include "revolved_solid.h"
#include "substep/numerics/number_checks.h"

namespace substep::detail {
namespace {

RevolvedSolid slices(const TaperedCylinder& f) noexcept {
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

} // namespace

void require_sizes(const TaperedCapsule& capsule) {
    require_positive("The tapered capsule's bottom radius", capsule.radius_bottom, "m");
    require_positive("The tapered capsule's top radius", capsule.radius_top, "m");
    require_positive("The tapered capsule's half length", capsule.half_length, "m");
}

void require_sizes(const TaperedCylinder& cylinder) {
    require_not_negative("The tapered cylinder's bottom radius", cylinder.radius_bottom, "m");
    require_not_negative("The tapered cylinder's top radius", cylinder.radius_top, "m");
    require_positive("The tapered cylinder's larger radius", std::fmax(cylinder.radius_bottom, cylinder.radius_top),
                     "m");
    require_positive("The tapered cylinder's half length", cylinder.half_length, "m");
}

void require_sizes(const ScaledHull& hull) {
    if (hull.hull == nullptr) {
        throw std::invalid_argument("The shape of a scaled hull was given no hull; it must have one.");
    }
    require_positive("The hull's scale along x", hull.scale.x, "");
    require_positive("The hull's scale along y", hull.scale.y, "");
    require_positive("The hull's scale along z", hull.scale.z, "");
}

MassProperties properties_of(const TaperedCapsule& capsule, double mass) noexcept {
    return of_mass(slices(capsule), mass);
}
MassProperties properties_of(const TaperedCylinder& cylinder, double mass) noexcept {
    return of_mass(slices(cylinder), mass);
}
MassProperties properties_of(const ScaledHull& hull, double mass) noexcept {
    return polyhedron_sums(*hull.hull, hull.scale).of_mass(mass);
}

double volume_of(const TaperedCapsule& capsule) noexcept { return std::numbers::pi * slices(capsule).volume; }
double volume_of(const TaperedCylinder& cylinder) noexcept { return std::numbers::pi * slices(cylinder).volume; }
double volume_of(const ScaledHull& hull) noexcept {
    return hull.hull != nullptr ? polyhedron_sums(*hull.hull, hull.scale).volume : 0.0;
}

} // namespace substep::detail
