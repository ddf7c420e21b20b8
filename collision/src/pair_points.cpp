// Balls: the signed distance of a point from a solid, in closed form.
#include <algorithm>
#include <cmath>

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "pairs.h"
#include "point_distance.h"

namespace substep::detail {
namespace {

Meeting meeting(const CorePair& pair, const FromSurface& found) noexcept {
    return {found.distance, pair.b_in_a.rotation * found.normal, glm::dvec3(0.0), pair.from_b(found.place), true};
}

FromSurface from_box(const glm::dvec3& sizes, const glm::dvec3& point) noexcept {
    const glm::dvec3 clamped = glm::clamp(point, -sizes, sizes);
    const glm::dvec3 apart = point - clamped;
    const double distance = glm::length(apart);
    if (distance > 0.0) {
        return {distance, apart / distance, clamped};
    }
    glm::dvec3::length_type axis = 0;
    for (glm::dvec3::length_type i = 1; i < 3; ++i) {
        axis = sizes[i] - std::fabs(point[i]) < sizes[axis] - std::fabs(point[axis]) ? i : axis;
    }
    const double side = point[axis] < 0.0 ? -1.0 : 1.0;
    FromSurface inside{std::fabs(point[axis]) - sizes[axis], glm::dvec3(0.0), point};
    inside.normal[axis] = side;
    inside.place[axis] = side * sizes[axis];
    return inside;
}

/// A half plane through the axis of a solid of revolution: how far from the axis, how far along it.
struct Profile {
    double across;
    double along;
};

/// The way back from the half plane that a point lies in.
struct HalfPlane {
    explicit HalfPlane(const glm::dvec3& point) noexcept
        : place{std::sqrt(point.x * point.x + point.z * point.z), point.y},
          radial(place.across > 0.0 ? glm::dvec3(point.x / place.across, 0.0, point.z / place.across)
                                    : glm::dvec3(1.0, 0.0, 0.0)) {}
    glm::dvec3 back(const Profile& p) const noexcept { return p.across * radial + glm::dvec3(0.0, p.along, 0.0); }

    Profile place;
    glm::dvec3 radial;
};

FromSurface from_frustum(const Core& core, const glm::dvec3& point) noexcept {
    const HalfPlane plane(point);
    const Profile& p = plane.place;
    const double h = core.half_length;
    const double slant = std::sqrt(4.0 * h * h + (core.bottom - core.top) * (core.bottom - core.top));
    const Profile side_normal{2.0 * h / slant, (core.bottom - core.top) / slant};
    const double from_side = (p.across - core.bottom) * side_normal.across + (p.along + h) * side_normal.along;
    const double up_side = (p.along + h) * side_normal.across - (p.across - core.bottom) * side_normal.along;
    const double above = p.along - h;
    const double below = -h - p.along;
    const bool inside = from_side <= 0.0 && above <= 0.0 && below <= 0.0;
    const auto at = [&](double distance, const Profile& normal) {
        const Profile place{p.across - distance * normal.across, p.along - distance * normal.along};
        return FromSurface{distance, plane.back(normal), plane.back(place)};
    };
    if (inside ? above >= std::max(from_side, below) : above > 0.0 && p.across <= core.top) {
        return at(above, {0.0, 1.0});
    }
    if (inside ? below >= from_side : below > 0.0 && p.across <= core.bottom) {
        return at(below, {0.0, -1.0});
    }
    if (inside || (from_side > 0.0 && up_side >= 0.0 && up_side <= slant)) {
        return at(from_side, side_normal);
    }
    const Profile from_bottom{p.across - core.bottom, p.along + h};
    const Profile from_top{p.across - core.top, p.along - h};
    const double squared_bottom = from_bottom.across * from_bottom.across + from_bottom.along * from_bottom.along;
    const double squared_top = from_top.across * from_top.across + from_top.along * from_top.along;
    const bool is_top = squared_top < squared_bottom;
    const Profile& from = is_top ? from_top : from_bottom;
    const double distance = std::sqrt(is_top ? squared_top : squared_bottom);
    return {distance, plane.back({from.across / distance, from.along / distance}),
            plane.back({is_top ? core.top : core.bottom, is_top ? h : -h})};
}

// The hull of two balls is the union of all balls between them: the closest one has its centre where the side's normal
// through the point meets the axis.
FromSurface from_balls(const Core& core, const glm::dvec3& point) noexcept {
    const HalfPlane plane(point);
    const Profile& p = plane.place;
    const double h = core.half_length;
    const double length = 2.0 * h;
    const double narrowing = core.bottom - core.top;
    bool is_top = narrowing < 0.0;
    if (std::fabs(narrowing) < length) { // else one ball holds the other
        const double lean = narrowing / length;
        const double steep = std::sqrt((1.0 - lean) * (1.0 + lean));
        const double centre = p.along - p.across * lean / steep;
        is_top = centre > h;
        if (centre >= -h && centre <= h) {
            const double radius = core.bottom - lean * (centre + h);
            const Profile normal{steep, lean};
            return {p.across / steep - radius, plane.back(normal),
                    plane.back({radius * steep, centre + radius * lean})};
        }
    }
    const double centre = is_top ? h : -h;
    const double radius = is_top ? core.top : core.bottom;
    const Profile from{p.across, p.along - centre};
    const double apart = std::sqrt(from.across * from.across + from.along * from.along);
    const Profile normal =
        apart > 0.0 ? Profile{from.across / apart, from.along / apart} : Profile{0.0, is_top ? 1.0 : -1.0};
    return {apart - radius, plane.back(normal), plane.back({radius * normal.across, centre + radius * normal.along})};
}

} // namespace

FromSurface from_surface(const Core& core, const glm::dvec3& point) noexcept {
    return core.kind == Core::Kind::Box ? from_box(core.sizes, point) : from_frustum(core, point);
}

Meeting meet_points(const CorePair& pair, double /*limit*/) noexcept {
    const glm::dvec3& b = pair.b_in_a.position;
    const double distance = glm::length(b);
    return {distance, distance > 0.0 ? -b / distance : glm::dvec3(0.0, 1.0, 0.0), glm::dvec3(0.0), b, true};
}

Meeting meet_point_and_capsule(const CorePair& pair, double /*limit*/) noexcept {
    return meeting(pair, from_balls(pair.b, pair.to_b(glm::dvec3(0.0))));
}

Meeting meet_point_and_box(const CorePair& pair, double /*limit*/) noexcept {
    return meeting(pair, from_box(pair.b.sizes, pair.to_b(glm::dvec3(0.0))));
}

Meeting meet_point_and_frustum(const CorePair& pair, double /*limit*/) noexcept {
    return meeting(pair, from_frustum(pair.b, pair.to_b(glm::dvec3(0.0))));
}

} // namespace substep::detail
