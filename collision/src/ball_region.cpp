// Voronoi regions of boxes, capsules and cylinders.
#include "substep/collision/ball_region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

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

} // namespace

double rounding_at(const Convex& solid, Part part) noexcept {
    if (const Frustum* const cone = std::get_if<Frustum>(&solid)) {
        return part.kind() == PartKind::Side && cone->radius_bottom == cone->radius_top ? cone->radius_top : 0.0;
    }
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid)) {
        return capsule->radius_bottom == capsule->radius_top ? capsule->radius_top : 0.0;
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
    const std::uint32_t end = centre.y > 0.0 ? 1 : 0;
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid);
        capsule != nullptr && capsule->radius_bottom == capsule->radius_top) {
        return std::abs(centre.y) < capsule->half_length ? Part(PartKind::Edge, 0) : Part(PartKind::Vertex, end);
    }
    if (const Frustum* const cylinder = std::get_if<Frustum>(&solid);
        cylinder != nullptr && cylinder->radius_bottom == cylinder->radius_top) {
        const bool is_beyond = std::abs(centre.y) >= cylinder->half_length;
        if (is_beyond != (from_axis(centre) >= cylinder->radius_top)) {
            return is_beyond ? Part(PartKind::Disc, end) : Part(PartKind::Side, 0);
        }
    }
    return {};
}

bool has_region(const Convex& solid, Part part) noexcept {
    const auto is_one_of = [part](PartKind kind, std::uint32_t count) {
        return part.kind() == kind && part.index() < count;
    };
    if (std::holds_alternative<Box>(solid)) {
        return is_one_of(PartKind::Face, 6) || is_one_of(PartKind::Edge, 12) || is_one_of(PartKind::Vertex, 8);
    }
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid)) {
        return capsule->radius_bottom == capsule->radius_top &&
               (is_one_of(PartKind::Edge, 1) || is_one_of(PartKind::Vertex, 2));
    }
    const Frustum* const cylinder = std::get_if<Frustum>(&solid);
    return cylinder != nullptr && cylinder->radius_bottom == cylinder->radius_top &&
           (is_one_of(PartKind::Side, 1) || is_one_of(PartKind::Disc, 2));
}

Feature feature_of_region(const Convex& solid, Part part) noexcept {
    if (const Box* const box = std::get_if<Box>(&solid)) {
        return feature_of_box(*box, part);
    }
    Feature feature;
    const double up = part.index() == 1 ? 1.0 : -1.0; // of an end
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid)) {
        feature.radius = capsule->radius_top;
        if (part.kind() == PartKind::Edge) {
            feature.kind = FeatureKind::Line;
            feature.normal.y = 1.0;
        } else {
            feature.point.y = up * capsule->half_length;
        }
    } else if (const Frustum* const cylinder = std::get_if<Frustum>(&solid)) {
        if (part.kind() == PartKind::Side) {
            feature.kind = FeatureKind::Line;
            feature.normal.y = 1.0;
            feature.radius = cylinder->radius_top;
        } else {
            feature.kind = FeatureKind::Face;
            feature.normal.y = up;
            feature.point.y = up * cylinder->half_length;
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
    if (const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&solid)) {
        const double beyond = std::abs(centre.y) - capsule->half_length;
        return part.kind() == PartKind::Edge ? -beyond : beyond;
    }
    const Frustum& cylinder = std::get<Frustum>(solid);
    return part.kind() == PartKind::Side ? cylinder.half_length - std::abs(centre.y)
                                         : cylinder.radius_top - from_axis(centre);
}

} // namespace substep::detail
