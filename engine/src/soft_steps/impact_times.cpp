// Conservative advancement: a plane between two solids tells how soon they can meet.
#include "soft_steps/impact_times.h"

#include <algorithm>

#include <glm/geometric.hpp>

#include "substep/collision/narrow_phase.h"
#include "substep/collision/solid_extent.h"
#include "substep/numerics/elementary_functions.h"

namespace substep::detail {
namespace {

constexpr int kMostLooksAtWay = 24;

} // namespace

Placement MovingSolid::body_at(double t) const noexcept {
    const glm::dquat turn = turned(glm::dquat(1.0, 0.0, 0.0, 0.0), t * velocity.angular);
    return {body.position + t * velocity.linear, rotation_matrix(turn) * body.rotation};
}

double meeting_time(const std::array<MovingSolid, 2>& solids, double h, double gap, double within,
                    int& looks) noexcept {
    double turning = 0.0;
    for (const MovingSolid& each : solids) {
        const double rate = glm::length(each.velocity.angular);
        turning += rate > 0.0 ? rate * each.carried->arm() : 0.0;
    }
    const glm::dvec3 relative = solids[0].velocity.linear - solids[1].velocity.linear;
    double t = 0.0;
    for (int look = 0; look < kMostLooksAtWay; ++look) {
        ++looks;
        const Separation apart = distance(solids[0].carried->solid, solids[0].carried->placed(solids[0].body_at(t)),
                                          solids[1].carried->solid, solids[1].carried->placed(solids[1].body_at(t)));
        const double left = apart.distance - gap;
        if (left <= within) {
            return t;
        }
        // Along the normal they come no nearer than this, and no nearer than that along any.
        const double closing = turning - glm::dot(apart.normal, relative);
        if (!(closing > 0.0) || left > closing * (h - t)) {
            return -1.0;
        }
        t += left / closing;
    }
    return t;
}

Twist way_between(const Placement& from, const glm::dvec3& position, const glm::dquat& rotation) noexcept {
    glm::dquat turn = rotation * glm::conjugate(glm::quat_cast(from.rotation));
    if (turn.w < 0.0) {
        turn = -turn;
    }
    const glm::dvec3 axis(turn.x, turn.y, turn.z);
    const double sine = glm::length(axis);
    const double angle = 2.0 * arctangent(sine, turn.w);
    return {position - from.position, sine > 0.0 ? (angle / sine) * axis : glm::dvec3(0.0)};
}

bool get_too_deep(const std::array<MovingSolid, 2>& ways, double within, int& looks) noexcept {
    const double thinner = std::min(smallest_extent(ways[0].carried->solid), smallest_extent(ways[1].carried->solid));
    return meeting_time(ways, 1.0, -kPassedPart * thinner, within, looks) > 0.0;
}

} // namespace substep::detail
