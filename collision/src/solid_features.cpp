// The geometry of the parts of solids.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <glm/geometric.hpp>

#include "core.h"
#include "patch.h"
#include "polytope_view.h"
#include "substep/collision/manifold.h"

namespace substep::detail {
namespace {

using Kind = RoundedFeature::Kind;

RoundedFeature segment(const glm::dvec3& from, const glm::dvec3& along, double radius, double radius_at_end) noexcept {
    const double length = glm::length(along);
    return {Kind::Segment, from, length > 0.0 ? along / length : glm::dvec3(0.0), length, radius, radius_at_end};
}

RoundedFeature of_polytope(const Core& core, Part part) noexcept {
    const PolytopeView view(core);
    RoundedFeature feature;
    switch (part.kind()) {
    case PartKind::Vertex:
        if (core.kind == Core::Kind::Hull) {
            feature.point = core.sizes * core.hull->vertices()[part.index()];
        } else {
            for (glm::dvec3::length_type i = 0; i < 3; ++i) {
                feature.point[i] = (part.index() >> i & 1u) != 0 ? core.sizes[i] : -core.sizes[i];
            }
        }
        return feature;
    case PartKind::Edge: {
        const PolytopeEdge edge = view.edge(part.index());
        return segment(edge.point, edge.along, 0.0, 0.0);
    }
    default:
        feature.kind = Kind::Polygon;
        feature.point = view.face(part.index(), feature.direction);
        return feature;
    }
}

RoundedFeature of_frustum(const Core& core, Part part) noexcept {
    const bool is_top = part.kind() == PartKind::RimPoint ? part.index() >= 3 : (part.index() & 1u) != 0;
    const double radius = is_top ? core.top : core.bottom;
    RoundedFeature feature;
    feature.point = along_y(is_top ? core.half_length : -core.half_length);
    switch (part.kind()) {
    case PartKind::Disc:
        return {Kind::Disc, feature.point, along_y(is_top ? 1.0 : -1.0), radius, 0.0, 0.0};
    case PartKind::Rim:
        return {Kind::Circle, feature.point, along_y(1.0), radius, 0.0, 0.0};
    case PartKind::RimPoint: {
        const auto& share = kRimPoints[part.index() % 3];
        feature.point += radius * glm::dvec3(share[0], 0.0, share[1]);
        return feature;
    }
    case PartKind::Side: {
        // The balls about the axis that touch the side from within along its rims.
        const double height = 2.0 * core.half_length;
        const double slope = (core.bottom - core.top) / height;
        const double stretch = std::sqrt(1.0 + slope * slope);
        const double from = -core.half_length - slope * core.bottom;
        const double to = core.half_length - slope * core.top;
        return segment(along_y(from), along_y(to - from), core.bottom * stretch, core.top * stretch);
    }
    default:
        return feature; // a tip
    }
}

} // namespace

RoundedFeature feature_of(const Convex& solid, Part part) noexcept {
    if (std::holds_alternative<HalfSpace>(solid)) {
        return {Kind::Polygon, glm::dvec3(0.0), along_y(1.0), 0.0, 0.0, 0.0};
    }
    const Core core = core_of(solid);
    RoundedFeature feature;
    switch (core.kind) {
    case Core::Kind::Point:
        feature.radius = core.rounding;
        return feature;
    case Core::Kind::Segment:
    case Core::Kind::Balls:
        if (part.kind() == PartKind::Edge) {
            return segment(along_y(-core.half_length), along_y(2.0 * core.half_length), core.rounding + core.bottom,
                           core.rounding + core.top);
        }
        feature.point = along_y(part.index() == 1 ? core.half_length : -core.half_length);
        feature.radius = core.rounding + (part.index() == 1 ? core.top : core.bottom);
        return feature;
    case Core::Kind::Frustum:
        return of_frustum(core, part);
    default:
        return of_polytope(core, part);
    }
}

} // namespace substep::detail
