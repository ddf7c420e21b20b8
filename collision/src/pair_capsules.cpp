// Two capsules: the distance of segments.
#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

#include "pairs.h"

namespace substep::detail {
namespace {

// Sine of the angle between lines: below it where they cross is rounding, and an end is as close.
constexpr double kParallelLines = 1e-10;
// Of the larger size: closer lines have the direction across both for a normal.
constexpr double kTouchingLines = 1e-13;

/// All points middle + t along, |t| <= half.
struct Line {
    glm::dvec3 middle;
    glm::dvec3 along; // unit vector
    double half;

    double closest(const glm::dvec3& p) const noexcept { return std::clamp(glm::dot(p - middle, along), -half, half); }
    glm::dvec3 at(double t) const noexcept { return middle + t * along; }
};

glm::dvec3 some_perpendicular(const glm::dvec3& v) noexcept {
    const glm::dvec3 other = std::fabs(v.y) < 0.5 ? glm::dvec3(0.0, 1.0, 0.0) : glm::dvec3(1.0, 0.0, 0.0);
    return glm::normalize(other - glm::dot(other, v) * v);
}

Meeting meet_segments(const Line& a, const Line& b, double size) noexcept {
    Meeting best;
    double best_squared = -1.0;
    const auto take = [&](double s, double t) {
        const glm::dvec3 on_a = a.at(s);
        const glm::dvec3 on_b = b.at(t);
        const glm::dvec3 apart = on_a - on_b;
        const double squared = glm::dot(apart, apart);
        if (best_squared < 0.0 || squared < best_squared) {
            best_squared = squared;
            best.on_a = on_a;
            best.on_b = on_b;
        }
    };
    // Where the lines are closest, if both reach so far; else an end of one is closest to the other.
    const glm::dvec3 across = glm::cross(a.along, b.along);
    const double squared_sine = glm::dot(across, across);
    const bool cross = squared_sine > kParallelLines * kParallelLines;
    if (cross) {
        const double s = glm::dot(glm::cross(b.middle - a.middle, b.along), across) / squared_sine;
        const double within = std::clamp(s, -a.half, a.half);
        const double t = b.closest(a.at(within));
        take(a.closest(b.at(t)), t);
    }
    for (const double end : {-1.0, 1.0}) {
        take(end * a.half, b.closest(a.at(end * a.half)));
        take(a.closest(b.at(end * b.half)), end * b.half);
    }
    best.has_points = true;
    best.distance = std::sqrt(best_squared);
    if (best.distance > kTouchingLines * size) {
        best.normal = (best.on_a - best.on_b) / best.distance;
    } else {
        best.normal = cross ? across / std::sqrt(squared_sine) : some_perpendicular(a.along);
    }
    return best;
}

} // namespace

Meeting meet_capsules(const CorePair& pair, double limit) noexcept {
    if (!pair.a.is_polytope() || !pair.b.is_polytope()) {
        return meet_any(pair, limit);
    }
    const Line a{glm::dvec3(0.0), glm::dvec3(0.0, 1.0, 0.0), pair.a.half_length};
    const Line b{pair.b_in_a.position, pair.b_in_a.rotation[1], pair.b.half_length};
    return meet_segments(a, b, pair.size());
}

} // namespace substep::detail
