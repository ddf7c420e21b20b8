// Faces and edges of polytopes, of which boxes store none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core.h"

namespace substep::detail {

/// An edge with the normals of its faces, not of unit length. The outward normals at an edge lie between them; of a
/// segment, which has no faces, they go all round.
struct PolytopeEdge {
    glm::dvec3 point;     ///< m, its begin
    glm::dvec3 along;     ///< m, to its end
    glm::dvec3 normal[2]; ///< both zero: none
};

class PolytopeView {
public:
    explicit PolytopeView(const Core& core) noexcept : core_(core) {}

    std::uint32_t face_count() const noexcept {
        return core_.kind == Core::Kind::Box    ? 6
               : core_.kind == Core::Kind::Hull ? static_cast<std::uint32_t>(core_.hull->faces().size())
                                                : 0;
    }
    /// Writes the unit normal of a face and returns a point of its plane.
    glm::dvec3 face(std::uint32_t index, glm::dvec3& normal) const noexcept {
        if (core_.kind == Core::Kind::Box) {
            normal = glm::dvec3(0.0);
            const auto axis = static_cast<glm::dvec3::length_type>(index / 2);
            normal[axis] = index % 2 == 1 ? 1.0 : -1.0;
            return normal * core_.sizes;
        }
        const ConvexHull::Face& face = core_.hull->faces()[index];
        normal = scaled_normal(core_, face);
        return core_.sizes * core_.hull->vertices()[core_.hull->loop(face)[0]];
    }
    std::uint32_t edge_count() const noexcept {
        switch (core_.kind) {
        case Core::Kind::Segment:
            return 1;
        case Core::Kind::Box:
            return 12;
        case Core::Kind::Hull:
            return static_cast<std::uint32_t>(core_.hull->edges().size());
        default:
            return 0;
        }
    }
    PolytopeEdge edge(std::uint32_t index) const noexcept {
        switch (core_.kind) {
        case Core::Kind::Segment:
            return {{0.0, -core_.half_length, 0.0},
                    {0.0, 2.0 * core_.half_length, 0.0},
                    {glm::dvec3(0.0), glm::dvec3(0.0)}};
        case Core::Kind::Box:
            return box_edge(index);
        default:
            return hull_edge(index);
        }
    }

private:
    PolytopeEdge box_edge(std::uint32_t index) const noexcept {
        const auto along = static_cast<glm::dvec3::length_type>(index / 4);
        const glm::dvec3::length_type across[2] = {(along + 1) % 3, (along + 2) % 3};
        PolytopeEdge edge{-core_.sizes, glm::dvec3(0.0), {glm::dvec3(0.0), glm::dvec3(0.0)}};
        edge.along[along] = 2.0 * core_.sizes[along];
        for (std::size_t i = 0; i < 2; ++i) {
            const double side = (index >> i & 1u) != 0 ? 1.0 : -1.0;
            edge.point[across[i]] = side * core_.sizes[across[i]];
            edge.normal[i][across[i]] = side;
        }
        return edge;
    }
    PolytopeEdge hull_edge(std::uint32_t index) const noexcept {
        const ConvexHull& hull = *core_.hull;
        const ConvexHull::Edge& edge = hull.edges()[index];
        const glm::dvec3 from = core_.sizes * hull.vertices()[edge.vertices[0]];
        const glm::dvec3 to = core_.sizes * hull.vertices()[edge.vertices[1]];
        return {from,
                to - from,
                {hull.faces()[edge.faces[0]].normal / core_.sizes, hull.faces()[edge.faces[1]].normal / core_.sizes}};
    }

    const Core& core_;
};

} // namespace substep::detail
