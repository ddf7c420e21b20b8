// A line meets a convex solid in a chord. What a ray hits is the chord's beginning, if the ray gets there.
#include "substep/collision/ray_cast.h"

#include <algorithm>
#include <cmath>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "chord.h"
#include "core.h"

namespace substep::detail {
namespace {

constexpr double kFarthest = std::numeric_limits<double>::max(); // m

// Relative: a line that passes a solid's bounding ball by less may still touch the solid, by rounding.
constexpr double kBallSlack = 1e-9;

// A line in the frame of a solid: point + s direction.
struct SolidLine {
    glm::dvec3 point{0.0};     // m
    glm::dvec3 direction{0.0}; // unit vector

    glm::dvec3 at(double s) const noexcept { return point + s * direction; }
};

// About the point of the line that is nearest to the centre: no squares of large numbers are subtracted.
Chord ball_chord(const SolidLine& line, const glm::dvec3& centre, double radius) noexcept {
    const double nearest = glm::dot(centre - line.point, line.direction);
    const double apart = glm::length(line.at(nearest) - centre);
    if (!(apart <= radius)) {
        return Chord::nothing();
    }
    const double half = std::sqrt((radius - apart) * (radius + apart));
    const glm::dvec3 out = line.at(nearest - half) - centre;
    const double length = glm::length(out);
    return {nearest - half, nearest + half, length > 0.0 ? out / length : -line.direction};
}

Chord frustum_chord(const SolidLine& line, const TaperedCylinder& f) noexcept {
    Chord chord;
    chord.cut({0.0, 1.0, 0.0}, f.half_length - line.point.y, line.direction.y);
    chord.cut({0.0, -1.0, 0.0}, f.half_length + line.point.y, -line.direction.y);
    const double slope = (f.radius_top - f.radius_bottom) / (2.0 * f.half_length);
    const double radius = 0.5 * (f.radius_bottom + f.radius_top) + slope * line.point.y;
    const Chord side = cone_chord({line.point.x, line.point.z}, {line.direction.x, line.direction.z}, radius,
                                  slope * line.direction.y);
    chord.leave = std::min(chord.leave, side.leave);
    if (side.enter > chord.enter) {
        chord.enter = side.enter;
        const glm::dvec3 hit = line.at(chord.enter);
        const double from_axis = std::sqrt(hit.x * hit.x + hit.z * hit.z);
        const double rise = f.radius_bottom - f.radius_top;
        const double share = from_axis > 0.0 ? 2.0 * f.half_length / from_axis : 0.0;
        chord.normal = share > 0.0 ? glm::normalize(glm::dvec3(share * hit.x, rise, share * hit.z))
                                   : along_y(rise < 0.0 ? -1.0 : 1.0); // at the tip
    }
    return chord;
}

Chord chord_of(const Sphere& ball, const SolidLine& line) noexcept {
    return ball_chord(line, glm::dvec3(0.0), ball.radius);
}

// Both balls, and what is between the circles in which a cone touches them.
Chord chord_of(const TaperedCapsule& c, const SolidLine& line) noexcept {
    Chord chord = Chord::nothing();
    chord.join(ball_chord(line, along_y(-c.half_length), c.radius_bottom));
    chord.join(ball_chord(line, along_y(c.half_length), c.radius_top));
    const double sine = (c.radius_bottom - c.radius_top) / (2.0 * c.half_length); // of the cone's half angle
    const double cosine_squared = (1.0 - sine) * (1.0 + sine);
    if (cosine_squared > 0.0) { // else one ball holds the other
        const double cosine = std::sqrt(cosine_squared);
        const double centre = 0.5 * (c.radius_bottom + c.radius_top) * sine;
        const TaperedCylinder between{c.radius_bottom * cosine, c.radius_top * cosine, c.half_length * cosine_squared};
        Chord side = frustum_chord({line.point - along_y(centre), line.direction}, between);
        // Its ends are inside the balls: where rounding lets one of them come first, it is at its rim.
        const glm::dvec3 hit = line.at(side.is_empty() ? 0.0 : side.enter);
        const double from_axis = std::sqrt(hit.x * hit.x + hit.z * hit.z);
        const double share = from_axis > 0.0 ? cosine / from_axis : 0.0;
        side.normal = glm::normalize(glm::dvec3(share * hit.x, sine, share * hit.z));
        chord.join(side);
    }
    return chord;
}

Chord chord_of(const Box& box, const SolidLine& line) noexcept {
    Chord chord;
    for (int i = 0; i < 3; ++i) {
        glm::dvec3 outward(0.0);
        outward[i] = 1.0;
        chord.cut(outward, box.half_sizes[i] - line.point[i], line.direction[i]);
        chord.cut(-outward, box.half_sizes[i] + line.point[i], -line.direction[i]);
    }
    return chord;
}

Chord chord_of(const TaperedCylinder& f, const SolidLine& line) noexcept { return frustum_chord(line, f); }

// In the coordinates before scaling, where the faces' planes are known. The line's parameter is the same.
Chord chord_of(const HullView& h, const SolidLine& line) noexcept {
    const glm::dvec3 point = line.point / h.scale;
    const glm::dvec3 direction = line.direction / h.scale;
    Chord chord;
    for (const ConvexHull::Face& face : h.hull->faces()) {
        chord.cut(face.normal, face.offset - glm::dot(face.normal, point), glm::dot(face.normal, direction));
    }
    if (!chord.is_empty()) {
        chord.normal = glm::normalize(chord.normal / h.scale);
    }
    return chord;
}

Chord chord_of(const HalfSpace&, const SolidLine& line) noexcept {
    Chord chord;
    chord.cut({0.0, 1.0, 0.0}, -line.point.y, line.direction.y);
    return chord;
}

// Of any length, also where its square is not a number of normal size; zero where there is none.
glm::dvec3 unit_direction(const glm::dvec3& direction) noexcept {
    const double largest = std::max({std::fabs(direction.x), std::fabs(direction.y), std::fabs(direction.z)});
    return largest > 0.0 && largest <= kFarthest ? glm::normalize(direction / largest) : glm::dvec3(0.0);
}

} // namespace

std::optional<RayHit> cast_ray(const Ray& ray, const Convex& solid, const Placement& at) noexcept {
    const glm::dvec3 direction = unit_direction(ray.direction);
    if (direction == glm::dvec3(0.0)) {
        return std::nullopt;
    }
    SolidLine line{(ray.origin - at.position) * at.rotation, direction * at.rotation};
    double before = 0.0; // m, from the ray's origin to the line's point
    if (!std::holds_alternative<HalfSpace>(solid)) {
        // The line is looked at from its point nearest to the solid's origin, so that no digits are spent on how far
        // away the ray begins.
        const double reach = core_of(solid).reach * (1.0 + kBallSlack);
        before = -glm::dot(line.point, line.direction);
        line.point = line.at(before);
        if (!(glm::dot(line.point, line.point) <= reach * reach) || before + reach < 0.0 ||
            before - reach > ray.length) {
            return std::nullopt;
        }
    }
    const Chord chord = std::visit([&](const auto& each) noexcept { return chord_of(each, line); }, solid);
    if (chord.is_empty() || !(before + chord.leave >= 0.0)) {
        return std::nullopt;
    }
    const double distance = before + chord.enter;
    if (distance <= 0.0) {
        return RayHit{0.0, -direction};
    }
    if (!(distance <= std::min(ray.length, kFarthest))) {
        return std::nullopt;
    }
    return RayHit{distance, at.rotation * chord.normal};
}

} // namespace substep::detail

namespace substep {

std::optional<RayHit> cast_ray(const Ray& ray, const Shape& shape, const glm::dvec3& position,
                               const glm::dquat& orientation) noexcept {
    if (const auto* const hull = std::get_if<ScaledHull>(&shape); hull != nullptr && hull->hull == nullptr) {
        return std::nullopt;
    }
    const detail::ShapeSolid solid = detail::solid_of(shape);
    return detail::cast_ray(ray, solid.solid, {position, glm::mat3_cast(orientation) * solid.rotation});
}

} // namespace substep
