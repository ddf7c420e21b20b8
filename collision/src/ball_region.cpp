// Voronoi regions of boxes, and of the ends and sides of capsules, cylinders and cones.
#include "substep/collision/ball_region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "hull_region.h"

namespace substep::detail {
namespace {

using Index = glm::dvec3::length_type;

// Which side of a box a point is beyond, for each axis: -1, 0 or 1. It names a part.
using BoxSides = std::array<int, 3>;

std::uint32_t high_bit(const BoxSides& sides, Index i) noexcept {
    return sides[static_cast<std::size_t>(i)] > 0 ? 1u : 0u;
}

// As part_at (core.h) names them.
Part part_beyond(const BoxSides& sides) noexcept {
    const auto count = std::ranges::count_if(sides, [](int side) { return side != 0; });
    if (count == 3) {
        return {PartKind::Vertex, high_bit(sides, 0) | high_bit(sides, 1) << 1 | high_bit(sides, 2) << 2};
    }
    const auto axis = [&](bool beyond) {
        return static_cast<Index>(std::ranges::find_if(sides, [&](int side) { return (side != 0) == beyond; }) -
                                  sides.begin());
    };
    if (count == 2) {
        const Index along = axis(false);
        return {PartKind::Edge, static_cast<std::uint32_t>(4 * along) + high_bit(sides, (along + 1) % 3) +
                                    2 * high_bit(sides, (along + 2) % 3)};
    }
    const Index across = axis(true);
    return {PartKind::Face, static_cast<std::uint32_t>(2 * across) + high_bit(sides, across)};
}

BoxSides box_sides_of(Part part) noexcept {
    BoxSides sides{};
    const auto set = [&](Index axis, std::uint32_t high) {
        sides[static_cast<std::size_t>(axis)] = high != 0 ? 1 : -1;
    };
    const std::uint32_t index = part.index();
    if (part.kind() == PartKind::Vertex) {
        for (Index i = 0; i < 3; ++i) {
            set(i, index >> i & 1u);
        }
    } else if (part.kind() == PartKind::Edge) {
        const auto along = static_cast<Index>(index / 4);
        set((along + 1) % 3, index & 1u);
        set((along + 2) % 3, index & 2u);
    } else {
        set(static_cast<Index>(index / 2), index & 1u);
    }
    return sides;
}

double from_axis(const glm::dvec3& point) noexcept { return std::sqrt(point.x * point.x + point.z * point.z); }

Feature feature_of_box(const Box& box, Part part) noexcept {
    const BoxSides sides = box_sides_of(part);
    Feature feature;
    for (Index i = 0; i < 3; ++i) {
        const int side = sides[static_cast<std::size_t>(i)];
        feature.point[i] = side * box.half_sizes[i];
        feature.normal[i] = part.kind() == PartKind::Face                ? side
                            : part.kind() == PartKind::Edge && side == 0 ? 1.0
                                                                         : 0.0;
    }
    feature.kind = part.kind() == PartKind::Face   ? FeatureKind::Face
                   : part.kind() == PartKind::Edge ? FeatureKind::Line
                                                   : FeatureKind::Point;
    return feature;
}

// How far a point is above the lower border of a region about the end of an axis: that which a ray from the end
// outlines that rises by `rise` where it leaves the axis by `run`, both of one unit vector.
double above_ray(const glm::dvec3& from_end, double run, double rise) noexcept {
    return run * from_end.y - rise * from_axis(from_end);
}

glm::dvec3 from_end(const glm::dvec3& point, std::uint32_t end, double half_length) noexcept {
    return {point.x, end == 1 ? point.y - half_length : -half_length - point.y, point.z}; // upwards away from it
}

double distance_from_border_of(const TaperedCapsule& capsule, Part part, const glm::dvec3& centre) noexcept {
    if (part.kind() == PartKind::Edge) {
        return capsule.half_length - std::abs(centre.y);
    }
    const double narrowing =
        part.index() == 1 ? capsule.radius_bottom - capsule.radius_top : capsule.radius_top - capsule.radius_bottom;
    const double rise = narrowing / (2.0 * capsule.half_length); // of the side's normal, away from the other end
    if (std::abs(rise) >= 1.0) {                                 // one ball holds the other
        return rise < 0.0 ? capsule.half_length : -capsule.half_length;
    }
    const double run = std::sqrt((1.0 - rise) * (1.0 + rise));
    return above_ray(from_end(centre, part.index(), capsule.half_length), run, rise);
}

double end_radius(const TaperedCylinder& cylinder, std::uint32_t end) noexcept {
    return end == 1 ? cylinder.radius_top : cylinder.radius_bottom;
}

bool is_straight(const TaperedCylinder& cylinder) noexcept { return cylinder.radius_bottom == cylinder.radius_top; }
bool is_straight(const TaperedCapsule& capsule) noexcept { return capsule.radius_bottom == capsule.radius_top; }

double distance_from_border_of(const TaperedCylinder& cylinder, Part part, const glm::dvec3& centre) noexcept {
    switch (part.kind()) {
    case PartKind::Side:
        return cylinder.half_length - std::abs(centre.y);
    case PartKind::Disc:
        return end_radius(cylinder, part.index()) - from_axis(centre);
    default: { // a tip
        const double run = 2.0 * cylinder.half_length;
        const double rise = end_radius(cylinder, 1 - part.index());
        const double slant = std::sqrt(run * run + rise * rise);
        return above_ray(from_end(centre, part.index(), cylinder.half_length), run / slant, rise / slant);
    }
    }
}

std::optional<Part> nearest_part_of(const TaperedCapsule& capsule, const glm::dvec3& centre) noexcept {
    const std::uint32_t end = centre.y > 0.0 ? 1 : 0;
    if (is_straight(capsule)) {
        return std::abs(centre.y) < capsule.half_length ? Part(PartKind::Edge, 0) : Part(PartKind::Vertex, end);
    }
    for (const std::uint32_t each : {0u, 1u}) {
        if (distance_from_border_of(capsule, {PartKind::Vertex, each}, centre) >= 0.0) {
            return Part(PartKind::Vertex, each);
        }
    }
    return {};
}

std::optional<Part> nearest_part_of(const TaperedCylinder& cylinder, const glm::dvec3& centre) noexcept {
    const std::uint32_t end = centre.y > 0.0 ? 1 : 0;
    if (end_radius(cylinder, end) == 0.0) {
        const Part tip(PartKind::Vertex, end);
        return distance_from_border_of(cylinder, tip, centre) >= 0.0 ? std::optional(tip) : std::nullopt;
    }
    const bool is_beyond = std::abs(centre.y) >= cylinder.half_length;
    if (is_beyond && from_axis(centre) < end_radius(cylinder, end)) {
        return Part(PartKind::Disc, end);
    }
    if (is_straight(cylinder) && !is_beyond && from_axis(centre) >= cylinder.radius_top) {
        return Part(PartKind::Side, 0);
    }
    return {};
}

} // namespace

double rounding_at(const Convex& solid, Part part) noexcept {
    if (const TaperedCylinder* const cylinder = std::get_if<TaperedCylinder>(&solid)) {
        return part.kind() == PartKind::Side && is_straight(*cylinder) ? cylinder->radius_top : 0.0;
    }
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid)) {
        const double radius = part.index() == 1 ? capsule->radius_top : capsule->radius_bottom;
        return part.kind() == PartKind::Vertex || is_straight(*capsule) ? radius : 0.0;
    }
    const Sphere* const ball = std::get_if<Sphere>(&solid);
    return ball != nullptr ? ball->radius : 0.0;
}

std::optional<Part> nearest_part(const Convex& solid, const glm::dvec3& centre) noexcept {
    if (const Box* const box = std::get_if<Box>(&solid)) {
        BoxSides sides{};
        for (Index i = 0; i < 3; ++i) {
            const double half = box->half_sizes[i];
            sides[static_cast<std::size_t>(i)] = centre[i] >= half ? 1 : centre[i] <= -half ? -1 : 0;
        }
        return sides == BoxSides{} ? std::nullopt : std::optional(part_beyond(sides));
    }
    if (const HullView* const hull = std::get_if<HullView>(&solid)) {
        return nearest_part(*hull, centre);
    }
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid)) {
        return nearest_part_of(*capsule, centre);
    }
    const TaperedCylinder* const cylinder = std::get_if<TaperedCylinder>(&solid);
    return cylinder != nullptr ? nearest_part_of(*cylinder, centre) : std::nullopt;
}

bool has_region(const Convex& solid, Part part) noexcept {
    const auto is_one_of = [part](PartKind kind, std::uint32_t count) {
        return part.kind() == kind && part.index() < count;
    };
    if (std::holds_alternative<Box>(solid)) {
        return is_one_of(PartKind::Face, 6) || is_one_of(PartKind::Edge, 12) || is_one_of(PartKind::Vertex, 8);
    }
    if (const HullView* const hull = std::get_if<HullView>(&solid)) {
        return has_region(*hull, part);
    }
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid)) {
        return is_one_of(PartKind::Vertex, 2) || (is_straight(*capsule) && is_one_of(PartKind::Edge, 1));
    }
    const TaperedCylinder* const cylinder = std::get_if<TaperedCylinder>(&solid);
    if (cylinder == nullptr) {
        return false;
    }
    const bool is_tip = part.index() < 2 && end_radius(*cylinder, part.index()) == 0.0;
    return is_one_of(is_tip ? PartKind::Vertex : PartKind::Disc, 2) ||
           (is_straight(*cylinder) && is_one_of(PartKind::Side, 1));
}

Feature feature_of_region(const Convex& solid, Part part) noexcept {
    if (const Box* const box = std::get_if<Box>(&solid)) {
        return feature_of_box(*box, part);
    }
    if (const HullView* const hull = std::get_if<HullView>(&solid)) {
        return feature_of_region(*hull, part);
    }
    Feature feature;
    const double up = part.index() == 1 ? 1.0 : -1.0; // of an end
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid)) {
        feature.radius = rounding_at(solid, part);
        if (part.kind() == PartKind::Edge) {
            feature.kind = FeatureKind::Line;
            feature.normal.y = 1.0;
        } else {
            feature.point.y = up * capsule->half_length;
        }
    } else if (const TaperedCylinder* const cylinder = std::get_if<TaperedCylinder>(&solid)) {
        if (part.kind() == PartKind::Side) {
            feature.kind = FeatureKind::Line;
            feature.normal.y = 1.0;
            feature.radius = cylinder->radius_top;
        } else {
            feature.point.y = up * cylinder->half_length;
            if (part.kind() == PartKind::Disc) {
                feature.kind = FeatureKind::Face;
                feature.normal.y = up;
            }
        }
    }
    return feature;
}

double distance_from_border(const Convex& solid, Part part, const glm::dvec3& centre) noexcept {
    if (const Box* const box = std::get_if<Box>(&solid)) {
        const BoxSides sides = box_sides_of(part);
        const bool is_face = part.kind() == PartKind::Face;
        double least = std::numeric_limits<double>::infinity();
        for (Index i = 0; i < 3; ++i) {
            const int side = sides[static_cast<std::size_t>(i)];
            const double beyond = side == 0 ? box->half_sizes[i] - std::abs(centre[i])
                                  : is_face ? least // what is on a face does not leave it that way
                                            : side * centre[i] - box->half_sizes[i];
            least = std::min(least, beyond);
        }
        return least;
    }
    if (const HullView* const hull = std::get_if<HullView>(&solid)) {
        return distance_from_border(*hull, part, centre);
    }
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid)) {
        return distance_from_border_of(*capsule, part, centre);
    }
    return distance_from_border_of(std::get<TaperedCylinder>(solid), part, centre);
}

} // namespace substep::detail
