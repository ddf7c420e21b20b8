// Convex polyhedra.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "substep/collision/glm_types.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// The convex hull of points. It never changes, so bodies and worlds share it; what is told apart by size is scaled
/// where it is used.
class ConvexHull {
public:
    /// A face is a polygon in the plane `dot(normal, x) == offset`.
    struct Face {
        glm::dvec3 normal{0.0};  ///< unit vector out of the solid
        double offset = 0.0;     ///< m
        std::uint32_t first = 0; ///< where its vertices begin in the list of loops
        std::uint32_t count = 0; ///< of its vertices, counter-clockwise as seen from outside
    };
    struct Edge {
        std::array<std::uint32_t, 2> vertices{};
        std::array<std::uint32_t, 2> faces{}; ///< the first has it from vertices[0] to vertices[1]
    };

    /// Returns the hull of points (m) whose faces are polygons: triangles in one plane are joined, and points within
    /// the hull, a face or an edge are left out. Throws std::invalid_argument for fewer than four points, for points in
    /// one plane and for points that are not finite.
    static std::shared_ptr<const ConvexHull> make(std::span<const glm::dvec3> points);

    std::span<const glm::dvec3> vertices() const noexcept { return vertices_; }
    std::span<const Face> faces() const noexcept { return faces_; }
    std::span<const Edge> edges() const noexcept { return edges_; }

    /// Returns the vertices of a face, and its edges: the i-th is between vertices i and i + 1 of the loop.
    std::span<const std::uint32_t> loop(const Face& face) const noexcept {
        return std::span(loops_).subspan(face.first, face.count);
    }
    std::span<const std::uint32_t> edges_of(const Face& face) const noexcept {
        return std::span(loop_edges_).subspan(face.first, face.count);
    }
    /// Returns the faces that meet at a vertex.
    std::span<const std::uint32_t> faces_at(std::uint32_t vertex) const noexcept {
        return std::span(faces_at_).subspan(first_face_at_[vertex],
                                            first_face_at_[vertex + 1] - first_face_at_[vertex]);
    }

    /// Returns a point inside (m): the mean of the vertices.
    const glm::dvec3& middle() const noexcept { return middle_; }

    /// Returns the radius (m) of the smallest ball about the origin that holds the hull.
    double reach() const noexcept { return reach_; }

    /// Returns a number that equal hulls have in common and others do not: of the bits of vertices and loops.
    std::uint64_t content_hash() const noexcept { return content_hash_; }

private:
    ConvexHull() = default;

    std::vector<glm::dvec3> vertices_;
    std::vector<Face> faces_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> loops_;
    std::vector<std::uint32_t> loop_edges_;
    std::vector<std::uint32_t> faces_at_;
    std::vector<std::uint32_t> first_face_at_;
    glm::dvec3 middle_{0.0};
    double reach_ = 0.0;
    std::uint64_t content_hash_ = 0;
};

} // namespace substep

#pragma GCC visibility pop
