// Cores of solids, their support points, and the parts of their surfaces.
#include "core.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <glm/common.hpp>
#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

// Of a solid's reach: how close to an edge a point is on the edge. Distances are known as well as that.
constexpr double kOnPart = 1e-9;

Core core(const Sphere& s) noexcept {
    Core core;
    core.rounding = core.reach = s.radius;
    return core;
}

Core core(const TaperedCapsule& c) noexcept {
    Core core;
    core.half_length = c.half_length;
    core.rounding = std::min(c.radius_bottom, c.radius_top);
    core.bottom = c.radius_bottom - core.rounding;
    core.top = c.radius_top - core.rounding;
    core.reach = c.half_length + std::max(c.radius_bottom, c.radius_top);
    core.kind = core.bottom == core.top ? Core::Kind::Segment : Core::Kind::Balls;
    return core;
}

Core core(const Box& b) noexcept {
    Core core;
    core.kind = Core::Kind::Box;
    core.sizes = b.half_sizes;
    core.reach = glm::length(b.half_sizes);
    return core;
}

Core core(const TaperedCylinder& f) noexcept {
    Core core;
    core.kind = Core::Kind::Frustum;
    core.half_length = f.half_length;
    core.bottom = f.radius_bottom;
    core.top = f.radius_top;
    const double radius = std::max(f.radius_bottom, f.radius_top);
    core.reach = std::sqrt(f.half_length * f.half_length + radius * radius);
    return core;
}

Core core(const HullView& h) noexcept {
    Core core;
    core.kind = Core::Kind::Hull;
    core.hull = h.hull;
    core.sizes = h.scale;
    core.reach = h.hull->reach() * std::max({h.scale.x, h.scale.y, h.scale.z});
    return core;
}

Core core(const HalfSpace&) noexcept { return {}; }

// Of a ball's or a disc's surface, by unit vectors.
glm::dvec3 point_of(const SupportElement& element, const glm::dvec3& direction) noexcept {
    glm::dvec3 point = element.centre;
    if (element.ball > 0.0) {
        const double length = glm::length(direction);
        point += length > 0.0 ? element.ball / length * direction : along_y(element.ball);
    }
    if (element.rim > 0.0) {
        const double across = std::sqrt(direction.x * direction.x + direction.z * direction.z);
        const double share = across > 0.0 ? element.rim / across : 0.0; // straight along the axis: the disc's centre
        point += glm::dvec3(share * direction.x, 0.0, share * direction.z);
    }
    return point;
}

Part part_of_box(const Core& box, const glm::dvec3& point, const glm::dvec3& out) noexcept {
    const double near = kOnPart * box.reach;
    std::uint32_t ends = 0;  // a bit for each coordinate at an end of the box
    std::uint32_t signs = 0; // a bit for each positive one
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const bool at_end = std::fabs(point[i]) >= box.sizes[i] - near;
        const double side = box.sizes[i] > 0.0 ? point[i] : out[i]; // of a rectangle the side that faces out
        ends |= at_end ? 1u << i : 0u;
        signs |= side > 0.0 ? 1u << i : 0u;
        count += at_end ? 1 : 0;
    }
    if (count == 3) {
        return {PartKind::Vertex, signs};
    }
    if (count == 2) {
        const std::uint32_t along = ends == 6 ? 0 : ends == 5 ? 1 : 2;
        return {PartKind::Edge, along * 4 + ((signs >> (along + 1) % 3) & 1u) + 2 * ((signs >> (along + 2) % 3) & 1u)};
    }
    int axis = ends == 1 ? 0 : ends == 2 ? 1 : 2;
    if (count == 0) { // within the surface by rounding
        axis = std::fabs(out.x) > std::fabs(out.y) ? 0 : 1;
        axis = std::fabs(out.z) > std::fabs(out[axis]) ? 2 : axis;
    }
    return {PartKind::Face, static_cast<std::uint32_t>(2 * axis + (out[axis] > 0.0 ? 1 : 0))};
}

Part part_of_frustum(const Core& core, const glm::dvec3& point) noexcept {
    const double near = kOnPart * core.reach;
    const bool is_top = point.y > 0.0;
    const double radius = is_top ? core.top : core.bottom;
    const std::uint32_t end = is_top ? 1 : 0;
    if (std::fabs(point.y) < core.half_length - near) {
        return {PartKind::Side, 0};
    }
    if (radius <= near) {
        return {PartKind::Vertex, end};
    }
    const bool at_rim = std::sqrt(point.x * point.x + point.z * point.z) >= radius - near;
    return {at_rim ? PartKind::Rim : PartKind::Disc, end};
}

Part part_of_hull(const Core& core, const glm::dvec3& point, const glm::dvec3& out) noexcept {
    const double near = kOnPart * core.reach;
    const std::span<const ConvexHull::Face> faces = core.hull->faces();
    std::uint32_t at[2] = {0, 0};
    int count = 0;
    double best = -2.0;
    std::uint32_t most_aligned = 0;
    for (std::uint32_t f = 0; f < faces.size(); ++f) {
        const glm::dvec3 normal = scaled_normal(core, faces[f]);
        const glm::dvec3 corner = core.sizes * core.hull->vertices()[core.hull->loop(faces[f])[0]];
        if (std::fabs(glm::dot(normal, point - corner)) <= near) {
            at[std::min(count, 1)] = f;
            ++count;
        }
        if (glm::dot(normal, out) > best) {
            best = glm::dot(normal, out);
            most_aligned = f;
        }
    }
    if (count <= 1) {
        return {PartKind::Face, count == 1 ? at[0] : most_aligned};
    }
    if (count == 2) {
        for (const std::uint32_t e : core.hull->edges_of(faces[at[0]])) {
            const ConvexHull::Edge& edge = core.hull->edges()[e];
            if (edge.faces[0] == at[1] || edge.faces[1] == at[1]) {
                return {PartKind::Edge, e};
            }
        }
    }
    std::uint32_t nearest = 0;
    const std::span<const glm::dvec3> vertices = core.hull->vertices();
    for (std::uint32_t v = 1; v < vertices.size(); ++v) {
        const glm::dvec3 apart = core.sizes * vertices[v] - point;
        const glm::dvec3 so_far = core.sizes * vertices[nearest] - point;
        nearest = glm::dot(apart, apart) < glm::dot(so_far, so_far) ? v : nearest;
    }
    return {PartKind::Vertex, nearest};
}

} // namespace

Core core_of(const Convex& solid) noexcept {
    if (const Box* const box = std::get_if<Box>(&solid)) {
        return core(*box); // by far the most of those that have one
    }
    return std::visit([](const auto& each) { return core(each); }, solid);
}

std::uint32_t support_vertex(const Core& hull, const glm::dvec3& direction) noexcept {
    const glm::dvec3 scaled = hull.sizes * direction;
    const std::span<const glm::dvec3> vertices = hull.hull->vertices();
    std::uint32_t best = 0;
    double farthest = glm::dot(scaled, vertices[0]);
    for (std::uint32_t v = 1; v < vertices.size(); ++v) {
        const double height = glm::dot(scaled, vertices[v]);
        best = height > farthest ? v : best;
        farthest = height > farthest ? height : farthest;
    }
    return best;
}

glm::dvec3 scaled_normal(const Core& hull, const ConvexHull::Face& face) noexcept {
    return glm::normalize(face.normal / hull.sizes);
}

SupportElement support_element(const Core& core, const glm::dvec3& direction) noexcept {
    const auto end = [&](bool is_top) {
        return SupportElement{along_y(is_top ? core.half_length : -core.half_length), 0.0, 0.0, is_top ? 1u : 0u};
    };
    switch (core.kind) {
    case Core::Kind::Point:
        return {};
    case Core::Kind::Segment:
        return end(direction.y > 0.0);
    case Core::Kind::Balls: {
        const double rise = 2.0 * core.half_length * direction.y;
        SupportElement element = end(rise + (core.top - core.bottom) * glm::length(direction) > 0.0);
        element.ball = element.id == 1 ? core.top : core.bottom;
        return element;
    }
    case Core::Kind::Box: {
        const bool x = direction.x > 0.0;
        const bool y = direction.y > 0.0;
        const bool z = direction.z > 0.0;
        // In bits, as no branch can foretell the signs.
        return {{-std::copysign(core.sizes.x, 0.0 - direction.x), -std::copysign(core.sizes.y, 0.0 - direction.y),
                 -std::copysign(core.sizes.z, 0.0 - direction.z)},
                0.0,
                0.0,
                (x ? 1u : 0u) | (y ? 2u : 0u) | (z ? 4u : 0u)};
    }
    case Core::Kind::Frustum: {
        const double across = std::sqrt(direction.x * direction.x + direction.z * direction.z);
        SupportElement element = end(2.0 * core.half_length * direction.y + (core.top - core.bottom) * across > 0.0);
        element.rim = element.id == 1 ? core.top : core.bottom;
        return element;
    }
    case Core::Kind::Hull:
        break;
    }
    const std::uint32_t vertex = support_vertex(core, direction);
    return {core.sizes * core.hull->vertices()[vertex], 0.0, 0.0, vertex};
}

glm::dvec3 support(const Core& core, const glm::dvec3& direction) noexcept {
    return point_of(support_element(core, direction), direction);
}

Part part_at(const Core& core, const glm::dvec3& point, const glm::dvec3& out) noexcept {
    const double near = kOnPart * core.reach;
    switch (core.kind) {
    case Core::Kind::Point:
        return {PartKind::Vertex, 0};
    case Core::Kind::Segment:
        if (std::fabs(point.y) < core.half_length - near) {
            return {PartKind::Edge, 0};
        }
        return {PartKind::Vertex, point.y > 0.0 ? 1u : 0u};
    case Core::Kind::Balls: {
        const double higher = 2.0 * core.half_length * out.y + core.top - core.bottom;
        if (std::fabs(higher) <= near) {
            return {PartKind::Edge, 0};
        }
        return {PartKind::Vertex, higher > 0.0 ? 1u : 0u};
    }
    case Core::Kind::Box:
        return part_of_box(core, point, out);
    case Core::Kind::Frustum:
        return part_of_frustum(core, point);
    case Core::Kind::Hull:
        break;
    }
    return part_of_hull(core, point, out);
}

} // namespace substep::detail
