// Patches of all solids: the face, side or end that is turned most to where the other solid is.
#include "patch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

using Index = glm::dvec3::length_type;

// Cosine of the angle between a face and what it faces: a face that is seen more from the side holds nothing.
constexpr double kFaces = 0.2;
// Sine of the angle between a capsule's side and what it lies on: a steeper one touches with its end.
constexpr double kLies = 0.2;

void add_corner(Patch& patch, const glm::dvec3& corner, Part corner_part, Part edge_part) noexcept {
    patch.corners[at(patch.count)] = corner;
    patch.corner_parts[at(patch.count)] = corner_part;
    patch.edge_parts[at(patch.count)] = edge_part;
    ++patch.count;
}

void become_point(Patch& patch, const glm::dvec3& point, Part part) noexcept {
    patch.kind = Patch::Kind::Point;
    patch.part = part;
    patch.count = 0;
    add_corner(patch, point, part, part);
}

void become_segment(Patch& patch, const glm::dvec3& from, Part from_part, const glm::dvec3& to, Part to_part,
                    Part edge_part) noexcept {
    patch.kind = Patch::Kind::Segment;
    patch.part = edge_part;
    patch.count = 0;
    add_corner(patch, from, from_part, edge_part);
    add_corner(patch, to, to_part, edge_part);
}

void find_round(const Core& core, const glm::dvec3& out, Patch& patch) noexcept {
    const double length = 2.0 * core.half_length;
    const double narrowing = core.bottom - core.top;
    const double rise = length * out.y - narrowing; // of the top above the bottom, along out
    const double across = std::sqrt(out.x * out.x + out.z * out.z);
    if (std::fabs(rise) > kLies * length || !(across > 0.0)) {
        const std::uint32_t end = rise > 0.0 ? 1 : 0;
        become_point(patch, support(core, out), {PartKind::Vertex, end});
        return;
    }
    // The line along which the side faces out most.
    const double lean = narrowing / length;
    const double steep = std::sqrt((1.0 - lean) * (1.0 + lean)) / across;
    const glm::dvec3 side(steep * out.x, lean, steep * out.z);
    become_segment(patch, core.bottom * side - glm::dvec3(0.0, core.half_length, 0.0), {PartKind::Vertex, 0},
                   core.top * side + glm::dvec3(0.0, core.half_length, 0.0), {PartKind::Vertex, 1},
                   {PartKind::Edge, 0});
}

void find_box(const Core& core, const glm::dvec3& out, Patch& patch) noexcept {
    Index axis = std::fabs(out.x) >= std::fabs(out.y) ? 0 : 1;
    axis = std::fabs(out[axis]) >= std::fabs(out.z) ? axis : 2;
    const bool is_high = out[axis] > 0.0;
    const Index j = (axis + 1) % 3;
    const Index k = (axis + 2) % 3;
    patch.kind = Patch::Kind::Polygon;
    patch.part = {PartKind::Face, static_cast<std::uint32_t>(2 * axis + (is_high ? 1 : 0))};
    patch.count = 0;
    patch.area = 4.0 * core.sizes[j] * core.sizes[k];
    patch.normal = glm::dvec3(0.0);
    patch.normal[axis] = is_high ? 1.0 : -1.0;
    // Counter-clockwise about +axis; the other way round about -axis. In arrays: a vector's component by a number is a
    // branch.
    constexpr int kSides[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const double sizes[3] = {core.sizes.x, core.sizes.y, core.sizes.z};
    double point[3];
    point[axis] = is_high ? sizes[axis] : -sizes[axis];
    for (int corner = 0; corner < 4; ++corner) {
        const auto& here = kSides[is_high ? corner : 3 - corner];
        const auto& next = kSides[is_high ? (corner + 1) % 4 : (6 - corner) % 4];
        point[j] = here[0] == 1 ? sizes[j] : -sizes[j];
        point[k] = here[1] == 1 ? sizes[k] : -sizes[k];
        const auto bit = [](bool high, Index i) { return high ? 1u << i : 0u; };
        const std::uint32_t vertex = bit(is_high, axis) | bit(here[0] == 1, j) | bit(here[1] == 1, k);
        const Index along = here[0] != next[0] ? j : k;
        const std::uint32_t edge = static_cast<std::uint32_t>(4 * along) + (vertex >> (along + 1) % 3 & 1u) +
                                   2 * (vertex >> (along + 2) % 3 & 1u);
        add_corner(patch, {point[0], point[1], point[2]}, {PartKind::Vertex, vertex}, {PartKind::Edge, edge});
    }
    // A side of a rectangle is a segment.
    for (const Index flat : {j, k}) {
        if (core.sizes[flat] == 0.0) {
            const std::size_t next = patch.corners[0][flat == j ? k : j] != patch.corners[1][flat == j ? k : j] ? 1 : 3;
            const std::size_t edge = next == 1 ? 0 : 3;
            become_segment(patch, patch.corners[0], patch.corner_parts[0], patch.corners[next],
                           patch.corner_parts[next], patch.edge_parts[edge]);
            return;
        }
    }
}

void find_frustum(const Core& core, const glm::dvec3& out, Patch& patch) noexcept {
    const double height = 2.0 * core.half_length;
    const double narrowing = core.bottom - core.top;
    const double slant = std::sqrt(height * height + narrowing * narrowing);
    const double across = std::sqrt(out.x * out.x + out.z * out.z);
    const double along_side = (across * height + out.y * narrowing) / slant; // cosine to the side's normal
    const std::uint32_t end = out.y > 0.0 ? 1 : 0;
    const double radius = end == 1 ? core.top : core.bottom;
    const glm::dvec3 centre(0.0, end == 1 ? core.half_length : -core.half_length, 0.0);
    if (std::fabs(out.y) > along_side) {
        if (radius == 0.0) {
            become_point(patch, centre, {PartKind::Vertex, end});
            return;
        }
        if (std::fabs(out.y) < kFaces) {
            become_point(patch, support(core, out), {PartKind::Rim, end});
            return;
        }
        patch.kind = Patch::Kind::Disc;
        patch.part = {PartKind::Disc, end};
        patch.count = 0;
        patch.normal = {0.0, end == 1 ? 1.0 : -1.0, 0.0};
        patch.centre = centre;
        patch.radius = radius;
        patch.across = {glm::dvec3(1.0, 0.0, 0.0), glm::dvec3(0.0, 0.0, 1.0)};
        return;
    }
    const glm::dvec3 radial(out.x / across, 0.0, out.z / across);
    const auto end_part = [&](std::uint32_t which, double end_radius) {
        return end_radius > 0.0 ? Part(PartKind::Rim, which) : Part(PartKind::Vertex, which);
    };
    become_segment(patch, core.bottom * radial - glm::dvec3(0.0, core.half_length, 0.0), end_part(0, core.bottom),
                   core.top * radial + glm::dvec3(0.0, core.half_length, 0.0), end_part(1, core.top),
                   {PartKind::Side, 0});
}

void find_hull(const Core& core, const glm::dvec3& out, Patch& patch) noexcept {
    const ConvexHull& hull = *core.hull;
    const std::uint32_t vertex = support_vertex(core, out);
    double best = -2.0;
    std::uint32_t best_face = 0;
    for (const std::uint32_t f : hull.faces_at(vertex)) {
        const glm::dvec3 normal = scaled_normal(core, hull.faces()[f]);
        if (glm::dot(normal, out) > best) {
            best = glm::dot(normal, out);
            best_face = f;
            patch.normal = normal;
        }
    }
    if (best < kFaces) {
        become_point(patch, core.sizes * hull.vertices()[vertex], {PartKind::Vertex, vertex});
        return;
    }
    const ConvexHull::Face& face = hull.faces()[best_face];
    patch.kind = Patch::Kind::Polygon;
    patch.part = {PartKind::Face, best_face};
    patch.count = 0;
    const std::uint32_t step = (face.count + Patch::kMaxCorners - 1) / Patch::kMaxCorners;
    for (std::uint32_t i = 0; i < face.count; i += step) {
        const std::uint32_t v = hull.loop(face)[i];
        add_corner(patch, core.sizes * hull.vertices()[v], {PartKind::Vertex, v},
                   {PartKind::Edge, hull.edges_of(face)[i]});
    }
    glm::dvec3 twice(0.0);
    for (int i = 1; i + 1 < patch.count; ++i) {
        twice += glm::cross(patch.corners[at(i)] - patch.corners[0], patch.corners[at(i + 1)] - patch.corners[0]);
    }
    patch.area = 0.5 * glm::length(twice);
}

} // namespace

void find_patch(const Core& core, const glm::dvec3& out, Patch& patch) noexcept {
    switch (core.kind) {
    case Core::Kind::Point:
        become_point(patch, glm::dvec3(0.0), {PartKind::Vertex, 0});
        break;
    case Core::Kind::Segment:
    case Core::Kind::Balls:
        find_round(core, out, patch);
        break;
    case Core::Kind::Box:
        find_box(core, out, patch);
        break;
    case Core::Kind::Frustum:
        find_frustum(core, out, patch);
        break;
    case Core::Kind::Hull:
        find_hull(core, out, patch);
        break;
    }
}

void place(Patch& patch, const Placement& placement) noexcept {
    for (int i = 0; i < patch.count; ++i) {
        patch.corners[at(i)] = placement.position + placement.rotation * patch.corners[at(i)];
    }
    if (patch.kind == Patch::Kind::Polygon) {
        patch.normal = placement.rotation * patch.normal;
    } else if (patch.kind == Patch::Kind::Disc) {
        patch.normal = placement.rotation * patch.normal;
        patch.centre = placement.position + placement.rotation * patch.centre;
        patch.across = {placement.rotation * patch.across[0], placement.rotation * patch.across[1]};
    }
}

} // namespace substep::detail
