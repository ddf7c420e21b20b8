// Faces grow from the largest triangles over neighbours whose vertices lie in the same plane.
#include "merged_faces.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <glm/geometric.hpp>

#include "triangle.h"

namespace substep::detail {
namespace {

// Of the extent: how far from a face's plane a vertex of it may be. Distances promise 1e-9 of a size.
constexpr double kSameFace = 1e-10;

class FaceMerger {
public:
    explicit FaceMerger(const HullTriangles& hull) : hull_(hull), face_of_(hull.triangles.size(), -1) {}
    std::vector<std::vector<int>> run();

private:
    const glm::dvec3& point(int index) const noexcept { return hull_.points[static_cast<std::size_t>(index)]; }
    glm::dvec3 area(const HullTriangle& t) const noexcept {
        return twice_area(point(t.vertices[0]), point(t.vertices[1]), point(t.vertices[2]));
    }
    void grow(int seed, int face);
    std::vector<int> loop_of(int face) const;
    std::vector<std::vector<int>> triangles() const;

    const HullTriangles& hull_;
    std::vector<int> face_of_; // of each triangle
};

void FaceMerger::grow(int seed, int face) {
    const HullTriangle& first = hull_.triangles[static_cast<std::size_t>(seed)];
    const glm::dvec3 normal = glm::normalize(area(first));
    const double offset = glm::dot(normal, point(first.vertices[0]));
    std::vector<int> members{seed};
    face_of_[static_cast<std::size_t>(seed)] = face;
    for (std::size_t next = 0; next < members.size(); ++next) {
        for (const int other : hull_.triangles[static_cast<std::size_t>(members[next])].neighbours) {
            const HullTriangle& triangle = hull_.triangles[static_cast<std::size_t>(other)];
            const bool in_plane = std::ranges::all_of(triangle.vertices, [&](int v) {
                return std::fabs(glm::dot(normal, point(v)) - offset) <= kSameFace * hull_.extent;
            });
            if (in_plane && face_of_[static_cast<std::size_t>(other)] < 0) {
                face_of_[static_cast<std::size_t>(other)] = face;
                members.push_back(other);
            }
        }
    }
}

// The border of a face, one vertex behind the other; empty where it is no single ring.
std::vector<int> FaceMerger::loop_of(int face) const {
    std::vector<std::array<int, 2>> border;
    for (std::size_t t = 0; t < hull_.triangles.size(); ++t) {
        if (face_of_[t] != face) {
            continue;
        }
        const HullTriangle& triangle = hull_.triangles[t];
        for (std::size_t e = 0; e < 3; ++e) {
            if (face_of_[static_cast<std::size_t>(triangle.neighbours[e])] != face) {
                border.push_back({triangle.vertices[e], triangle.vertices[(e + 1) % 3]});
            }
        }
    }
    std::vector<int> loop;
    for (std::size_t i = 0; i < border.size(); ++i) {
        loop.push_back(border[i][0]);
        const auto next = std::find_if(border.begin() + static_cast<std::ptrdiff_t>(i) + 1, border.end(),
                                       [&](const auto& edge) { return edge[0] == border[i][1]; });
        if (next != border.end()) {
            std::iter_swap(border.begin() + static_cast<std::ptrdiff_t>(i) + 1, next);
        } else if (i + 1 < border.size()) {
            return {};
        }
    }
    return !border.empty() && border.back()[1] == border.front()[0] ? loop : std::vector<int>{};
}

std::vector<std::vector<int>> FaceMerger::triangles() const {
    std::vector<std::vector<int>> loops;
    for (const HullTriangle& t : hull_.triangles) {
        loops.emplace_back(t.vertices.begin(), t.vertices.end());
    }
    return loops;
}

std::vector<std::vector<int>> FaceMerger::run() {
    std::vector<int> order(hull_.triangles.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int a, int b) {
        const glm::dvec3 area_a = area(hull_.triangles[static_cast<std::size_t>(a)]);
        const glm::dvec3 area_b = area(hull_.triangles[static_cast<std::size_t>(b)]);
        const double size_a = glm::dot(area_a, area_a);
        const double size_b = glm::dot(area_b, area_b);
        return size_a != size_b ? size_a > size_b : a < b;
    });
    int faces = 0;
    for (const int seed : order) {
        if (face_of_[static_cast<std::size_t>(seed)] < 0) {
            grow(seed, faces++);
        }
    }
    std::vector<std::vector<int>> loops;
    std::vector<int> faces_at(hull_.points.size(), 0);
    for (int face = 0; face < faces; ++face) {
        loops.push_back(loop_of(face));
        for (const int v : loops.back()) {
            ++faces_at[static_cast<std::size_t>(v)];
        }
    }
    // Two faces meet along an edge, so what has only two lies within one.
    for (std::vector<int>& loop : loops) {
        std::erase_if(loop, [&](int v) { return faces_at[static_cast<std::size_t>(v)] < 3; });
    }
    // A solid of slivers, of which rounding made no polygons, stays one of triangles.
    const bool are_polygons = std::ranges::all_of(loops, [](const auto& loop) { return loop.size() >= 3; });
    return are_polygons ? loops : triangles();
}

} // namespace

std::vector<std::vector<int>> merged_faces(const HullTriangles& hull) { return FaceMerger(hull).run(); }

} // namespace substep::detail
