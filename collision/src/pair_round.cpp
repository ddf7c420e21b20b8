// Cylinders, cones and capsules with two radii: with any other solid.
#include <cmath>
#include <cstddef>

#include <glm/geometric.hpp>

#include "expanding_polytope.h"
#include "gjk.h"
#include "overlap_newton.h"
#include "pairs.h"

namespace substep::detail {
namespace {

// Of the larger size: how near GJK comes before Newton's method, which ends where bounds from both sides differ by
// less.
constexpr double kNearForNewton = 1e-4;
constexpr double kAgreeing = 1e-12;

// Newton's method from where GJK is near (overlap_newton.h): an axis that parts both by as much as two points of them
// are apart proves that there is nothing closer. False where it does not get there.
bool finish(const CorePair& pair, const Simplex& last, Meeting& meeting) noexcept {
    ElementBasis basis;
    for (std::size_t i = 0; i < static_cast<std::size_t>(last.count); ++i) {
        basis.add(support_elements(pair, last.vertices[i].direction));
    }
    OverlapAlong found;
    if (basis.count == 0 || !descend(pair, basis, -meeting.normal, found)) {
        return false;
    }
    const double parted = pair.parted_along(-found.direction);
    // Of parts that are aligned it may weigh their points so that what comes out is on neither solid, and nearer than
    // both are.
    if (!(std::fabs(glm::length(found.on_a - found.on_b) - parted) <= kAgreeing * pair.size())) {
        return false;
    }
    meeting = {parted, -found.direction, found.on_a, found.on_b, true};
    return parted > 0.0;
}

// The normal of a disc, where it parts both by as much as the closest points are apart. Their difference tells a
// direction to the root of rounding only: aside, points of a disc are as near as those beside them.
bool finish_at_disc(const CorePair& pair, Meeting& meeting) noexcept {
    for (const bool is_of_a : {true, false}) {
        const glm::dvec3 axis = is_of_a ? glm::dvec3(0.0, 1.0, 0.0) : pair.b_in_a.rotation[1];
        const glm::dvec3 normal = glm::dot(axis, meeting.normal) > 0.0 ? axis : -axis;
        const double parted = pair.parted_along(normal);
        if (parted > 0.0 && meeting.distance - parted <= kAgreeing * pair.size()) {
            (is_of_a ? meeting.on_a : meeting.on_b) =
                is_of_a ? meeting.on_b + parted * normal : meeting.on_a - parted * normal;
            meeting.normal = normal;
            meeting.distance = parted;
            return true;
        }
    }
    return false;
}

} // namespace

Meeting meet_any(const CorePair& pair, double limit) noexcept {
    Meeting meeting;
    if (pair.a.is_polytope() && pair.b.is_polytope()) {
        if (pair.a.kind == Core::Kind::Segment && pair.b.kind == Core::Kind::Box &&
            meet_in_closed_form(turned_round(pair), limit, meeting)) {
            return turned_back(pair, meeting);
        }
        return meet_polytopes(pair, limit);
    }
    if (pair.a.kind == Core::Kind::Balls && meet_by_one_ball(pair, limit, meeting)) {
        return meeting;
    }
    if (pair.b.kind == Core::Kind::Balls && meet_by_one_ball(turned_round(pair), limit, meeting)) {
        return turned_back(pair, meeting);
    }
    if (pair.a.kind == Core::Kind::Frustum && meet_in_closed_form(pair, limit, meeting)) {
        return meeting;
    }
    if (pair.a.kind != Core::Kind::Frustum && pair.b.kind == Core::Kind::Frustum &&
        meet_in_closed_form(turned_round(pair), limit, meeting)) {
        return turned_back(pair, meeting);
    }
    Simplex last;
    Meeting closest = closest_points(pair, limit, kNearForNewton, last);
    if (closest.distance <= 0.0) {
        bool is_proved = false;
        return expand_to_surface(pair, last, is_proved);
    }
    if (!closest.has_points || finish(pair, last, closest)) { // beyond the limit, or found
        return closest;
    }
    closest = closest_points(pair, limit, kExactDistance, last);
    if (closest.distance > 0.0 && closest.has_points &&
        closest.distance - pair.parted_along(closest.normal) > kAgreeing * pair.size()) {
        (void)(finish_at_disc(pair, closest) || finish(pair, last, closest));
    }
    bool is_proved = false;
    return closest.distance > 0.0 ? closest : expand_to_surface(pair, last, is_proved);
}

} // namespace substep::detail
