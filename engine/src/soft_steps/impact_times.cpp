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
constexpr int kMostHalvings = 10; // of the way to where solids are too deep

Separation distance_at(const std::array<MovingSolid, 2>& solids, double t) noexcept {
    return distance(solids[0].carried->solid, solids[0].carried->placed(solids[0].body_at(t)), solids[1].carried->solid,
                    solids[1].carried->placed(solids[1].body_at(t)));
}

/// m: how deep in one another two solids may get.
double passed_depth(const std::array<MovingSolid, 2>& solids) noexcept {
    return kPassedPart * std::min(smallest_extent(solids[0].carried->solid), smallest_extent(solids[1].carried->solid));
}

/// m: how far bodies that turn about some place are from an even motion there.
double sag(const std::array<MovingSolid, 2>& ways) noexcept {
    double sum = 0.0;
    for (const MovingSolid& each : ways) {
        const double turn = glm::length(each.velocity.angular);
        sum += turn > 0.0 ? 0.125 * turn * turn * each.carried->arm() : 0.0;
    }
    return sum;
}

/// What looks along the ways tell, see `meeting_time`.
struct Meeting {
    double time;
    bool is_certain; ///< else they keep farther apart up to then, and the looks did not tell more
};

Meeting look_along(const std::array<MovingSolid, 2>& solids, double h, double gap, double within, int& looks) noexcept {
    double turning = 0.0;
    for (const MovingSolid& each : solids) {
        const double rate = glm::length(each.velocity.angular);
        turning += rate > 0.0 ? rate * each.carried->arm() : 0.0;
    }
    const glm::dvec3 relative = solids[0].velocity.linear - solids[1].velocity.linear;
    double t = 0.0;
    for (int look = 0; look < kMostLooksAtWay; ++look) {
        ++looks;
        const Separation apart = distance_at(solids, t);
        const double left = apart.distance - gap;
        if (left <= within) {
            return {t, true};
        }
        // Along the normal they come no nearer than this, and no nearer than that along any.
        const double closing = turning - glm::dot(apart.normal, relative);
        if (!(closing > 0.0) || left > closing * (h - t)) {
            return {-1.0, true};
        }
        t += left / closing;
    }
    return {t, false};
}

} // namespace

Placement MovingSolid::body_at(double t) const noexcept {
    const glm::dquat turn = turned(glm::dquat(1.0, 0.0, 0.0, 0.0), t * velocity.angular);
    return {body.position + t * velocity.linear, rotation_matrix(turn) * body.rotation};
}

double meeting_time(const std::array<MovingSolid, 2>& solids, double h, double gap, double within,
                    int& looks) noexcept {
    return look_along(solids, h, gap, within, looks).time;
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

// What turns about a place that it touches goes along a circle, and an even motion along its chord dips into it. Nor
// does any number of looks tell where the far end of a plate comes down that turns about its edge: all along, it nears
// the floor by what that end may do. So of those that touch it is asked where they end, and whether they pass through
// one another on the way.
bool get_too_deep(const std::array<MovingSolid, 2>& ways, double within, int& looks) noexcept {
    const double most = passed_depth(ways);
    const Meeting deep = look_along(ways, 1.0, -most, within, looks);
    if (!(deep.time > 0.0)) {
        return false;
    }
    looks += 2;
    if (distance_at(ways, 0.0).distance > most + sag(ways) || distance_at(ways, 1.0).distance < -most) {
        return true;
    }
    const Meeting deeper = look_along(ways, 1.0, -most - sag(ways), within, looks);
    return deeper.time > 0.0 && deeper.is_certain;
}

double stopping_time(const std::array<MovingSolid, 2>& ways, double within, int& looks) noexcept {
    ++looks;
    const double most = passed_depth(ways);
    const double at_begin = distance_at(ways, 0.0).distance;
    if (at_begin > most + sag(ways)) {
        return std::max(meeting_time(ways, 1.0, 0.0, within, looks), 0.0);
    }
    const double stopped_at = -0.5 * (most - at_begin);
    double before = 0.0;
    double behind = 1.0;
    ++looks;
    if (!(distance_at(ways, 1.0).distance < -most)) {
        behind = look_along(ways, 1.0, -most - sag(ways), within, looks).time;
    }
    for (int look = 0; look < kMostHalvings; ++look) {
        ++looks;
        const double middle = 0.5 * (before + behind);
        (distance_at(ways, middle).distance > stopped_at ? before : behind) = middle;
    }
    return before;
}

} // namespace substep::detail
