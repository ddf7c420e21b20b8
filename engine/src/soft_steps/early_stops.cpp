// The ways of fast bodies, from the interval's begin to its end.
#include "soft_steps/early_stops.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

#include "bodies/tolerances.h"
#include "soft_steps/impact_times.h"
#include "substep/numerics/elementary_functions.h"

namespace substep::detail {
namespace {

/// Part of the thinner of two solids by which they may be in one another before the faster one is stopped.
constexpr double kPassedPart = 0.25;

/// The displacement of a body within an interval, as an even motion in the time 1.
Twist way_of(const PlacedBody& begin, const PileBody& end) noexcept {
    const glm::dquat from = glm::quat_cast(begin.at.rotation);
    glm::dquat turn = end.rotation * glm::conjugate(from);
    if (turn.w < 0.0) {
        turn = -turn;
    }
    const glm::dvec3 axis(turn.x, turn.y, turn.z);
    const double sine = glm::length(axis);
    const double angle = 2.0 * arctangent(sine, turn.w);
    return {end.position - begin.at.position, sine > 0.0 ? (angle / sine) * axis : glm::dvec3(0.0)};
}

/// Turns a body back to where it was stopped. At the same angular momentum that may be an orientation of more energy,
/// many times as much where it is slender: then the momentum is turned back with it.
void turn_back(const glm::dquat& rotation, PileBody& body) noexcept {
    const glm::dvec3 momentum = body.angular_momentum * rotation_matrix(body.rotation);
    const glm::dmat3 axes = rotation_matrix(rotation);
    const glm::dvec3 turned_back = body.angular_momentum * axes;
    const double rise = glm::dot(body.inverse_moments, turned_back * turned_back - momentum * momentum); // J, twice
    body.rotation = rotation;
    if (rise > 0.0) {
        body.angular_momentum = axes * momentum;
    }
    body.angular_velocity = axes * (body.inverse_moments * (rise > 0.0 ? momentum : turned_back));
}

} // namespace

void EarlyStops::find(const PileStep& step, const Pile& pile, std::span<const PlacedBody> begin, PileResult& result) {
    bool any = false;
    part_.assign(pile.bodies.size(), 1.0);
    for (std::size_t i = 0; i < pile.bodies.size(); ++i) {
        PileBody& body = pile.bodies[i];
        body.time_lost = 0.0;
        const double way = glm::length(body.position - begin[i].at.position);
        if (!body.is_prescribed() && way >= 0.5 * body.smallest_extent) {
            part_[i] = 2.0; // looked at; nothing found yet
            any = true;
        }
    }
    if (!any) {
        return;
    }
    int looks = 0;
    const auto look = [&](const std::array<std::uint32_t, 2>& pair) {
        std::array<MovingSolid, 2> solids;
        std::array<std::uint32_t, 2> body{};
        double thinner = std::numeric_limits<double>::infinity();
        for (std::size_t e = 0; e < 2; ++e) {
            const PileSolid& solid = pile.solids[pair[e]];
            body[e] = solid.body;
            thinner = std::min(thinner, smallest_extent(solid.carried.solid));
            solids[e] = {&solid.carried, begin[body[e]].at, {}};
        }
        if (part_[body[0]] == 1.0 && part_[body[1]] == 1.0) {
            return;
        }
        double reach = 0.0;
        for (std::size_t e = 0; e < 2; ++e) {
            solids[e].velocity = way_of(begin[body[e]], pile.bodies[body[e]]);
            reach += solids[e].carried->reach;
        }
        const glm::dvec3 relative = solids[0].velocity.linear - solids[1].velocity.linear;
        const glm::dvec3 between = solids[0].body.position - solids[1].body.position;
        if (glm::length(between) > reach + glm::length(relative)) {
            return;
        }
        const double within = kMetWithin * step.scale.length();
        const double passed = -kPassedPart * thinner;
        if (meeting_time(solids, 1.0, passed, within, looks) <= 0.0) {
            return; // they do not, or were in one another before
        }
        const double part = std::max(meeting_time(solids, 1.0, 0.0, within, looks), 0.0);
        for (const std::uint32_t each : body) {
            if (part_[each] != 1.0) {
                part_[each] = std::min(part_[each], part);
            }
        }
    };
    for (const PilePair& pair : pile.pairs) {
        look(pair.solid);
    }
    for (const std::array<std::uint32_t, 2>& pair : pile.far_solids) {
        look(pair);
    }
    for (std::size_t i = 0; i < pile.bodies.size(); ++i) {
        if (part_[i] >= 1.0) {
            continue;
        }
        PileBody& body = pile.bodies[i];
        MovingSolid way{nullptr, begin[i].at, way_of(begin[i], body)};
        const glm::dvec3 reached = begin[i].at.position + part_[i] * way.velocity.linear;
        const double work =
            body.inverse_mass > 0.0 ? glm::dot(body.acceleration, body.position - reached) / body.inverse_mass : 0.0;
        (work > 0.0 ? result.works.push_out : result.works.softness) += step.keeps_books ? work : 0.0;
        body.position = reached;
        turn_back(turned(glm::quat_cast(begin[i].at.rotation), part_[i] * way.velocity.angular), body);
        body.time_lost = (1.0 - part_[i]) * step.dt;
        result.time_lost += body.time_lost;
        ++result.stopped;
    }
    result.work += 80 * looks;
}

} // namespace substep::detail
