// Capsules with two radii: often one of the two balls alone is what the other solid meets.
#include <glm/geometric.hpp>

#include "pairs.h"

namespace substep::detail {
namespace {

struct End {
    glm::dvec3 centre;
    double radius;
};

End end_of(const Core& balls, bool is_top) noexcept {
    const double y = is_top ? balls.half_length : -balls.half_length;
    return {glm::dvec3(0.0, y, 0.0), is_top ? balls.top : balls.bottom};
}

using MeetPoint = Meeting (*)(const CorePair& pair, double limit) noexcept;

MeetPoint meet_point_with(const Core& core) noexcept {
    switch (core.kind) {
    case Core::Kind::Box:
        return meet_point_and_box;
    case Core::Kind::Frustum:
        return meet_point_and_frustum;
    case Core::Kind::Hull:
        return meet_polytopes;
    default:
        return meet_point_and_capsule;
    }
}

} // namespace

// No axis parts the hull of two balls from b better than it parts either ball. An axis that parts one ball best, and
// the other at least as well, is therefore best for both.
bool meet_by_one_ball(const CorePair& pair, double limit, Meeting& meeting) noexcept {
    for (const bool is_top : {false, true}) {
        const End end = end_of(pair.a, is_top);
        const End other = end_of(pair.a, !is_top);
        CorePair ball = pair;
        ball.a = Core{};
        ball.a.reach = pair.a.reach;
        ball.b_in_a.position -= end.centre;
        const Meeting met = meet_point_with(pair.b)(ball, limit + end.radius);
        if (glm::dot(met.normal, other.centre - end.centre) - other.radius + end.radius < 0.0) {
            continue;
        }
        meeting = met;
        meeting.distance -= end.radius;
        meeting.on_a = end.centre + met.on_a - end.radius * met.normal;
        meeting.on_b = met.on_b + end.centre;
        return true;
    }
    return false;
}

} // namespace substep::detail
