// The region of a face is a prism on it, that of an edge a wedge between two faces' prisms, that of a vertex a cone
// across its edges. They fill the outside, and borders are planes.
#include "hull_region.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

glm::dvec3 vertex_of(const HullView& h, std::uint32_t vertex) noexcept { return h.scale * h.hull->vertices()[vertex]; }

glm::dvec3 normal_of(const HullView& h, const ConvexHull::Face& face) noexcept {
    return glm::normalize(face.normal / h.scale);
}

// The face's point that is farthest out: rounding leaves its corners next to one plane.
glm::dvec3 point_of(const HullView& h, const ConvexHull::Face& face, const glm::dvec3& normal) noexcept {
    glm::dvec3 farthest = vertex_of(h, h.hull->loop(face)[0]);
    for (const std::uint32_t v : h.hull->loop(face)) {
        const glm::dvec3 place = vertex_of(h, v);
        farthest = glm::dot(normal, place) > glm::dot(normal, farthest) ? place : farthest;
    }
    return farthest;
}

// How far a point is beyond a side of a face, as seen from above the face. The side runs from one vertex to another,
// counter-clockwise.
double beyond_side(const glm::dvec3& normal, const glm::dvec3& from, const glm::dvec3& to,
                   const glm::dvec3& point) noexcept {
    return glm::dot(point - from, glm::normalize(glm::cross(to - from, normal)));
}

double within_face(const HullView& h, const ConvexHull::Face& face, const glm::dvec3& centre) noexcept {
    const glm::dvec3 normal = normal_of(h, face);
    const auto loop = h.hull->loop(face);
    double least = kInfinite;
    for (std::size_t i = 0; i < loop.size(); ++i) {
        const glm::dvec3 to = vertex_of(h, loop[(i + 1) % loop.size()]);
        least = std::min(least, -beyond_side(normal, vertex_of(h, loop[i]), to, centre));
    }
    return least;
}

double within_edge(const HullView& h, const ConvexHull::Edge& edge, const glm::dvec3& centre) noexcept {
    const glm::dvec3 from = vertex_of(h, edge.vertices[0]);
    const glm::dvec3 to = vertex_of(h, edge.vertices[1]);
    const glm::dvec3 along = glm::normalize(to - from);
    const auto normal = [&](std::size_t i) { return normal_of(h, h.hull->faces()[edge.faces[i]]); };
    return std::min({glm::dot(centre - from, along), glm::dot(to - centre, along),
                     beyond_side(normal(0), from, to, centre), beyond_side(normal(1), to, from, centre)});
}

double within_vertex(const HullView& h, std::uint32_t vertex, const glm::dvec3& centre) noexcept {
    const glm::dvec3 place = vertex_of(h, vertex);
    double least = kInfinite;
    for (const std::uint32_t f : h.hull->faces_at(vertex)) {
        for (const std::uint32_t e : h.hull->edges_of(h.hull->faces()[f])) {
            const auto& ends = h.hull->edges()[e].vertices;
            if (ends[0] == vertex || ends[1] == vertex) {
                const glm::dvec3 other = vertex_of(h, ends[0] == vertex ? ends[1] : ends[0]);
                least = std::min(least, glm::dot(centre - place, glm::normalize(place - other)));
            }
        }
    }
    return least;
}

} // namespace

std::optional<Part> nearest_part(const HullView& hull, const glm::dvec3& centre) noexcept {
    const auto faces = hull.hull->faces();
    double height = -kInfinite;
    std::uint32_t highest = 0;
    for (std::uint32_t f = 0; f < faces.size(); ++f) {
        const glm::dvec3 normal = normal_of(hull, faces[f]);
        const double above = glm::dot(normal, centre - vertex_of(hull, hull.hull->loop(faces[f])[0]));
        highest = above > height ? f : highest;
        height = std::max(height, above);
    }
    if (!(height >= 0.0)) {
        return std::nullopt;
    }
    // Over the face whose plane it is highest above, if over any; beside edges and vertices by the region that it is
    // deepest in, so that rounding at a border leaves no point without one.
    double deepest = within_face(hull, faces[highest], centre);
    Part nearest(PartKind::Face, highest);
    const auto offer = [&](Part part, double depth) {
        if (depth > deepest) {
            deepest = depth;
            nearest = part;
        }
    };
    if (deepest >= 0.0) {
        return nearest;
    }
    for (std::uint32_t e = 0; e < hull.hull->edges().size(); ++e) {
        offer({PartKind::Edge, e}, within_edge(hull, hull.hull->edges()[e], centre));
    }
    for (std::uint32_t v = 0; v < hull.hull->vertices().size(); ++v) {
        offer({PartKind::Vertex, v}, within_vertex(hull, v, centre));
    }
    return nearest;
}

bool has_region(const HullView& hull, Part part) noexcept {
    switch (part.kind()) {
    case PartKind::Face:
        return part.index() < hull.hull->faces().size();
    case PartKind::Edge:
        return part.index() < hull.hull->edges().size();
    default:
        return part.kind() == PartKind::Vertex && part.index() < hull.hull->vertices().size();
    }
}

Feature feature_of_region(const HullView& hull, Part part) noexcept {
    Feature feature;
    if (part.kind() == PartKind::Face) {
        const ConvexHull::Face& face = hull.hull->faces()[part.index()];
        feature.kind = FeatureKind::Face;
        feature.normal = normal_of(hull, face);
        feature.point = point_of(hull, face, feature.normal);
    } else if (part.kind() == PartKind::Edge) {
        const auto& ends = hull.hull->edges()[part.index()].vertices;
        feature.kind = FeatureKind::Line;
        feature.point = vertex_of(hull, ends[0]);
        feature.normal = glm::normalize(vertex_of(hull, ends[1]) - feature.point);
    } else {
        feature.point = vertex_of(hull, part.index());
    }
    return feature;
}

double distance_from_border(const HullView& hull, Part part, const glm::dvec3& centre) noexcept {
    switch (part.kind()) {
    case PartKind::Face:
        return within_face(hull, hull.hull->faces()[part.index()], centre);
    case PartKind::Edge:
        return within_edge(hull, hull.hull->edges()[part.index()], centre);
    default:
        return within_vertex(hull, part.index(), centre);
    }
}

} // namespace substep::detail
