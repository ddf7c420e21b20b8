// Every face of the difference of two polytopes comes from a face of one of them, or is spanned by an edge of each
// whose arcs of normals cross on the sphere (Gauss map). The least overlap is over the closest of these faces.
#include "separating_axes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>

#include "polytope_view.h"

namespace substep::detail {
namespace {

// Edges of the second polytope are brought into the first one's frame by so many at a time.
constexpr std::uint32_t kEdgesAtOnce = 32;

struct BestAxis {
    double distance = -std::numeric_limits<double>::infinity();
    glm::dvec3 normal{0.0, 1.0, 0.0}; // towards the first

    void take(double other, const glm::dvec3& other_normal, double by = 0.0) noexcept {
        if (other > distance + by) {
            distance = other;
            normal = other_normal;
        }
    }
};

bool is_round(const PolytopeEdge& edge) noexcept { return edge.normal[0] == glm::dvec3(0.0); }

// Whether the arcs of normals of an edge of a and of one of b, turned to the other side, cross.
bool arcs_cross(const PolytopeEdge& a, const PolytopeEdge& b) noexcept {
    const double b0 = -glm::dot(b.normal[0], a.along);
    const double b1 = -glm::dot(b.normal[1], a.along);
    const double a0 = glm::dot(a.normal[0], b.along);
    const double a1 = glm::dot(a.normal[1], b.along);
    if (!(b0 * b1 < 0.0 && a0 * a1 < 0.0)) {
        return false;
    }
    // And on the same half of the sphere: where both great circles meet, between either edge's normals.
    const glm::dvec3 across = glm::cross(a.along, b.along);
    const double on_a = glm::dot(across, a.normal[0] / std::fabs(a0) + a.normal[1] / std::fabs(a1));
    const double on_b = glm::dot(across, b.normal[0] / std::fabs(b0) + b.normal[1] / std::fabs(b1));
    return on_a * on_b < 0.0;
}

void try_edges(const CorePair& pair, const PolytopeEdge& a, const PolytopeEdge& b, double size,
               BestAxis& best) noexcept {
    const bool round_a = is_round(a);
    const bool round_b = is_round(b);
    if (!round_a && !round_b && !arcs_cross(a, b)) {
        return;
    }
    const glm::dvec3 across = glm::cross(a.along, b.along);
    const double squared = glm::dot(across, across);
    if (!(squared > kParallelEdges * kParallelEdges * glm::dot(a.along, a.along) * glm::dot(b.along, b.along))) {
        return;
    }
    const glm::dvec3 normal = across / std::sqrt(squared);
    if (round_a || round_b) {
        best.take(pair.parted_along(normal), normal, kFaceIsBetter * size);
        best.take(pair.parted_along(-normal), -normal, kFaceIsBetter * size);
        return;
    }
    const glm::dvec3 out =
        glm::dot(normal, a.normal[0] / glm::length(a.normal[0]) + a.normal[1] / glm::length(a.normal[1])) > 0.0
            ? normal
            : -normal;
    best.take(glm::dot(out, b.point - a.point), -out, kFaceIsBetter * size);
}

void try_all_edges(const CorePair& pair, double size, BestAxis& best) noexcept {
    const PolytopeView view_a(pair.a);
    const PolytopeView view_b(pair.b);
    const std::uint32_t count_b = view_b.edge_count();
    std::array<PolytopeEdge, kEdgesAtOnce> edges_b;
    for (std::uint32_t first = 0; first < count_b; first += kEdgesAtOnce) {
        const std::uint32_t count = std::min(kEdgesAtOnce, count_b - first);
        for (std::uint32_t i = 0; i < count; ++i) {
            const PolytopeEdge edge = view_b.edge(first + i);
            edges_b[i] = {pair.from_b(edge.point),
                          pair.b_in_a.rotation * edge.along,
                          {pair.b_in_a.rotation * edge.normal[0], pair.b_in_a.rotation * edge.normal[1]}};
        }
        for (std::uint32_t e = 0; e < view_a.edge_count(); ++e) {
            const PolytopeEdge edge_a = view_a.edge(e);
            for (std::uint32_t i = 0; i < count; ++i) {
                try_edges(pair, edge_a, edges_b[i], size, best);
            }
        }
    }
}

} // namespace

Meeting least_overlap(const CorePair& pair) noexcept {
    BestAxis best;
    const PolytopeView view_a(pair.a);
    glm::dvec3 normal(0.0);
    for (std::uint32_t f = 0; f < view_a.face_count(); ++f) {
        const glm::dvec3 point = view_a.face(f, normal);
        best.take(glm::dot(normal, pair.support_b(-normal) - point), -normal);
    }
    const PolytopeView view_b(pair.b);
    for (std::uint32_t f = 0; f < view_b.face_count(); ++f) {
        const glm::dvec3 point = pair.from_b(view_b.face(f, normal));
        const glm::dvec3 turned = pair.b_in_a.rotation * normal;
        best.take(glm::dot(turned, pair.support_a(-turned) - point), turned);
    }
    try_all_edges(pair, pair.size(), best);
    return {best.distance, best.normal, glm::dvec3(0.0), glm::dvec3(0.0), false};
}

} // namespace substep::detail
