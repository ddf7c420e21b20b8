// Planes, edges and neighbours of a hull's mesh.
#include "substep/collision/convex_hull.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include <glm/geometric.hpp>

#include "quick_hull.h"
#include "substep/numerics/bit_hash.h"
#include "triangle.h"

namespace substep {
namespace {

// The direction of the area: of polygons whose corners rounding has lifted out of the plane too.
glm::dvec3 normal_of(std::span<const glm::dvec3> vertices, const std::vector<std::uint32_t>& loop) {
    glm::dvec3 area(0.0);
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
        area += detail::twice_area(vertices[loop[0]], vertices[loop[i]], vertices[loop[i + 1]]);
    }
    return glm::normalize(area);
}

std::uint64_t hash_of(const detail::HullMesh& mesh) {
    detail::BitHash hash;
    hash.add(static_cast<std::uint64_t>(mesh.vertices.size()));
    for (const glm::dvec3& vertex : mesh.vertices) {
        hash.add(vertex);
    }
    for (const std::vector<std::uint32_t>& loop : mesh.loops) {
        hash.add(static_cast<std::uint64_t>(loop.size()));
        for (const std::uint32_t vertex : loop) {
            hash.add(static_cast<std::uint64_t>(vertex));
        }
    }
    return hash.value();
}

} // namespace

std::shared_ptr<const ConvexHull> ConvexHull::make(std::span<const glm::dvec3> points) {
    detail::HullMesh mesh = detail::quick_hull(points);
    const std::shared_ptr<ConvexHull> hull(new ConvexHull);
    hull->content_hash_ = hash_of(mesh);
    hull->vertices_ = std::move(mesh.vertices);
    for (const glm::dvec3& vertex : hull->vertices_) {
        hull->middle_ += vertex / static_cast<double>(hull->vertices_.size());
        hull->reach_ = std::max(hull->reach_, glm::length(vertex));
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        edge_between; // from the lower vertex to the higher
    for (const std::vector<std::uint32_t>& loop : mesh.loops) {
        const auto face = static_cast<std::uint32_t>(hull->faces_.size());
        Face& added = hull->faces_.emplace_back();
        added.normal = normal_of(hull->vertices_, loop);
        added.first = static_cast<std::uint32_t>(hull->loops_.size());
        added.count = static_cast<std::uint32_t>(loop.size());
        added.offset = glm::dot(added.normal, hull->vertices_[loop[0]]);
        for (std::size_t i = 0; i < loop.size(); ++i) {
            const std::uint32_t from = loop[i];
            const std::uint32_t to = loop[(i + 1) % loop.size()];
            added.offset = std::max(added.offset, glm::dot(added.normal, hull->vertices_[from]));
            const auto [place, is_new] =
                edge_between.try_emplace(std::minmax(from, to), static_cast<std::uint32_t>(hull->edges_.size()));
            if (is_new) {
                hull->edges_.push_back({{from, to}, {face, face}});
            } else {
                hull->edges_[place->second].faces[1] = face;
            }
            hull->loops_.push_back(from);
            hull->loop_edges_.push_back(place->second);
        }
    }
    hull->first_face_at_.push_back(0);
    for (std::uint32_t vertex = 0; vertex < hull->vertices_.size(); ++vertex) {
        for (std::uint32_t face = 0; face < hull->faces_.size(); ++face) {
            if (std::ranges::count(hull->loop(hull->faces_[face]), vertex) > 0) {
                hull->faces_at_.push_back(face);
            }
        }
        hull->first_face_at_.push_back(static_cast<std::uint32_t>(hull->faces_at_.size()));
    }
    return hull;
}

} // namespace substep
