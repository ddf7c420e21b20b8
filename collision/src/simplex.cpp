// A point, a segment, a triangle or a tetrahedron: the origin is over its inside, or closest to one of the simplices on
// its border that face it. Barycentric weights are areas over the origin's projection (Montanari, Petrinic & Barbieri,
// "Improving the GJK algorithm for faster and more reliable distance queries between convex objects", ACM TOG 36,
// 2017), which stays accurate for slivers far from the origin.
#include "simplex.h"

#include <cmath>
#include <cstddef>
#include <limits>

#include <glm/geometric.hpp>

#include "triangle.h"

namespace substep::detail {
namespace {

// Of the volume that its faces' sizes allow: a tetrahedron below it is flat, and which side of it the origin is on is
// rounding.
constexpr double kFlatTetrahedron = 1e-14;

struct Closest {
    glm::dvec3 point{0.0};
    double squared = std::numeric_limits<double>::infinity();
    int count = 0;
    std::array<int, 4> vertices{};
    std::array<double, 4> weights{};
};

void take_closer(Closest& best, const Closest& other) noexcept {
    if (other.squared < best.squared) {
        best = other;
    }
}

Closest of_point(const Simplex& s, int a) noexcept {
    const glm::dvec3& p = s.vertices[static_cast<std::size_t>(a)].point;
    return {p, glm::dot(p, p), 1, {a}, {1.0}};
}

Closest of_segment(const Simplex& s, int a, int b) noexcept {
    const glm::dvec3& p = s.vertices[static_cast<std::size_t>(a)].point;
    const glm::dvec3& q = s.vertices[static_cast<std::size_t>(b)].point;
    const glm::dvec3 along = q - p;
    const double to_q = -glm::dot(p, along);
    const double from_q = glm::dot(q, along);
    if (!(to_q > 0.0)) {
        return of_point(s, a);
    }
    if (!(from_q > 0.0)) {
        return of_point(s, b);
    }
    const double t = to_q / glm::dot(along, along);
    // From the nearer end: less is lost.
    const glm::dvec3 point = t < 0.5 ? p + t * along : q - from_q / glm::dot(along, along) * along;
    return {point, glm::dot(point, point), 2, {a, b}, {1.0 - t, t}};
}

Closest of_triangle(const Simplex& s, int a, int b, int c) noexcept {
    const std::array<int, 3> v{a, b, c};
    const std::array<glm::dvec3, 3> p{s.vertices[static_cast<std::size_t>(a)].point,
                                      s.vertices[static_cast<std::size_t>(b)].point,
                                      s.vertices[static_cast<std::size_t>(c)].point};
    const glm::dvec3 normal = twice_area(p[0], p[1], p[2]);
    const double squared = glm::dot(normal, normal);
    std::array<double, 3> weights{};
    bool is_over = squared > 0.0;
    glm::dvec3 foot(0.0);
    if (is_over) {
        foot = normal * (glm::dot(normal, p[0]) / squared);
        const std::array<glm::dvec3, 3> to{p[0] - foot, p[1] - foot, p[2] - foot};
        for (std::size_t i = 0; i < 3; ++i) {
            weights[i] = glm::dot(normal, glm::cross(to[(i + 1) % 3], to[(i + 2) % 3]));
            is_over = is_over && weights[i] > 0.0;
        }
    }
    if (is_over) {
        const double sum = weights[0] + weights[1] + weights[2];
        return {foot, glm::dot(foot, foot), 3, {a, b, c}, {weights[0] / sum, weights[1] / sum, weights[2] / sum}};
    }
    Closest best;
    for (std::size_t i = 0; i < 3; ++i) {
        if (!(weights[i] > 0.0)) {
            take_closer(best, of_segment(s, v[(i + 1) % 3], v[(i + 2) % 3]));
        }
    }
    return best;
}

Closest of_tetrahedron(const Simplex& s) noexcept {
    constexpr int kTriangles[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}}; // and what is opposite
    Closest best;
    for (const auto& face : kTriangles) {
        const glm::dvec3& p = s.vertices[static_cast<std::size_t>(face[0])].point;
        const glm::dvec3 normal = twice_area(p, s.vertices[static_cast<std::size_t>(face[1])].point,
                                             s.vertices[static_cast<std::size_t>(face[2])].point);
        const glm::dvec3 up = s.vertices[static_cast<std::size_t>(face[3])].point - p;
        const double opposite = glm::dot(normal, up);
        const double origin = -glm::dot(normal, p);
        const double flat = kFlatTetrahedron * std::sqrt(glm::dot(normal, normal) * glm::dot(up, up));
        if (std::fabs(opposite) <= flat || (opposite > 0.0) != (origin > 0.0)) {
            take_closer(best, of_triangle(s, face[0], face[1], face[2]));
        }
    }
    if (best.count == 0) {
        return {glm::dvec3(0.0), 0.0, 4, {0, 1, 2, 3}, {}};
    }
    return best;
}

} // namespace

glm::dvec3 Simplex::on_a() const noexcept {
    glm::dvec3 sum(0.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        sum += weights[i] * vertices[i].on_a;
    }
    return sum;
}

glm::dvec3 Simplex::on_b() const noexcept {
    glm::dvec3 sum(0.0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        sum += weights[i] * vertices[i].on_b;
    }
    return sum;
}

glm::dvec3 reduce_to_closest(Simplex& simplex) noexcept {
    Closest closest;
    switch (simplex.count) {
    case 1:
        closest = of_point(simplex, 0);
        break;
    case 2:
        closest = of_segment(simplex, 0, 1);
        break;
    case 3:
        closest = of_triangle(simplex, 0, 1, 2);
        break;
    default:
        closest = of_tetrahedron(simplex);
        break;
    }
    const auto count = static_cast<std::size_t>(closest.count);
    simplex.count = closest.count;
    if (count == 4) {
        simplex.weights = closest.weights;
        return closest.point;
    }
    // A vertex that is needed later on is not overwritten before: of a triangle's sides one begins with its last
    // vertex.
    const std::array<int, 4>& from = closest.vertices;
    if (count == 2 && from[0] > from[1]) {
        const SimplexVertex first = simplex.vertices[static_cast<std::size_t>(from[0])];
        simplex.vertices[1] = simplex.vertices[static_cast<std::size_t>(from[1])];
        simplex.vertices[0] = first;
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            if (const auto k = static_cast<std::size_t>(from[i]); k != i) {
                simplex.vertices[i] = simplex.vertices[k];
            }
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        simplex.weights[i] = closest.weights[i];
    }
    return closest.point;
}

} // namespace substep::detail
