// The closest point to the origin of all differences a - b is sought in simplices of them: each turn adds the
// difference that is farthest towards the origin, and drops what the closest point is not made of.
#include "gjk.h"

#include <cstddef>
#include <limits>

#include <glm/geometric.hpp>

#include "simplex.h"

namespace substep::detail {
namespace {

// Of the larger size: what is closer than this touches.
constexpr double kTouching = 1e-14;
// Of the larger size: how far solids that overlapped are moved apart to find the points where they do.
constexpr double kMovedApart = 1e-6;
// Polytopes take some ten turns, round solids some thirty; rounding could go round in a circle.
constexpr int kMaxTurns = 128;

bool has(const Simplex& simplex, const glm::dvec3& point) noexcept {
    for (std::size_t i = 0; i < static_cast<std::size_t>(simplex.count); ++i) {
        if (simplex.vertices[i].point == point) {
            return true;
        }
    }
    return false;
}

} // namespace

Meeting closest_points(const CorePair& pair, double limit, double accuracy, Simplex& simplex) noexcept {
    simplex.count = 0;
    Simplex best;
    double best_squared = std::numeric_limits<double>::infinity();
    glm::dvec3 closest = -pair.b_in_a.position;
    if (closest == glm::dvec3(0.0)) {
        closest.y = 1.0;
    }
    glm::dvec3 best_point = closest;
    double parted = -std::numeric_limits<double>::infinity(); // a lower bound of the distance
    const double size = pair.size();
    for (int turn = 0; turn < kMaxTurns; ++turn) {
        SimplexVertex next;
        next.direction = -closest;
        next.on_a = pair.support_a(-closest);
        next.on_b = pair.support_b(closest);
        next.point = next.on_a - next.on_b;
        const double length = glm::length(closest);
        if (turn > 0) {
            const double bound = glm::dot(closest, next.point) / length;
            parted = bound > parted ? bound : parted;
            if (bound > limit) {
                return {bound, closest / length, glm::dvec3(0.0), glm::dvec3(0.0), false};
            }
            if (length - parted <= accuracy * size || has(simplex, next.point)) {
                break;
            }
        }
        simplex.vertices[static_cast<std::size_t>(simplex.count++)] = next;
        closest = reduce_to_closest(simplex);
        const double squared = glm::dot(closest, closest);
        if (simplex.count == 4 || squared <= kTouching * kTouching * size * size) {
            return {};
        }
        if (!(squared < best_squared)) {
            break; // rounding: the last one was better
        }
        best_squared = squared;
        best_point = closest;
        best = simplex;
    }
    simplex = best;
    Meeting meeting;
    meeting.distance = glm::length(best_point);
    meeting.normal = best_point / meeting.distance;
    meeting.on_a = best.on_a();
    meeting.on_b = best.on_b();
    meeting.has_points = true;
    return meeting;
}

void find_overlap_points(const CorePair& pair, Meeting& meeting) noexcept {
    // Moved apart, and a little more, they are closest there.
    const glm::dvec3 moved = (meeting.distance - kMovedApart * pair.size()) * meeting.normal;
    CorePair apart = pair;
    apart.b_in_a.position += moved;
    Simplex simplex;
    const Meeting closest = closest_points(apart, std::numeric_limits<double>::infinity(), kExactDistance, simplex);
    if (closest.has_points) {
        meeting.on_a = closest.on_a;
        meeting.on_b = closest.on_b - moved;
    } else { // rounding
        meeting.on_a = pair.support_a(-meeting.normal);
        meeting.on_b = meeting.on_a - meeting.distance * meeting.normal;
    }
    meeting.has_points = true;
}

} // namespace substep::detail
