// The ways of fast bodies, from the interval's begin to its end.
#include "soft_steps/early_stops.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

#include "bodies/long_turn.h"
#include "bodies/tolerances.h"
#include "soft_steps/impact_times.h"

namespace substep::detail {
namespace {

/// Part of its smallest extent by which a body must move in its frame within an interval to be stopped.
constexpr double kPartOfExtent = 0.5;

/// The displacement of a body within an interval.
Twist way_of(const PlacedBody& begin, const PileBody& end) noexcept {
    return way_between(begin.at, end.position, end.rotation);
}

/// Turns a body back to where it was stopped. Returns the energy (J) that it has more by that: none, or less.
double turn_back(const glm::dquat& rotation, PileBody& body) noexcept {
    const double before = turning_energy(body.rotation, body.angular_momentum, body.inverse_moments);
    body.angular_momentum = momentum_after_turn(body.rotation, rotation, body.angular_momentum, body.inverse_moments);
    body.rotation = rotation;
    body.angular_velocity = angular_velocity(rotation, body.inverse_moments, body.angular_momentum);
    return turning_energy(rotation, body.angular_momentum, body.inverse_moments) - before;
}

} // namespace

// Looks at one pair. Who passes half of his smallest extent in his frame, and would be in the other one, stops there.
void EarlyStops::look_at(const PileStep& step, const Pile& pile, std::span<const PlacedBody> begin,
                         const std::array<std::uint32_t, 2>& pair, int& looks) {
    std::array<MovingSolid, 2> solids;
    std::array<std::uint32_t, 2> body{};
    double reach = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        const PileSolid& solid = pile.solids[pair[e]];
        body[e] = solid.body;
        solids[e] = {&solid.carried, begin[body[e]].at, {}};
        solids[e].velocity.linear = pile.bodies[body[e]].position - begin[body[e]].at.position;
        reach += solid.carried.reach;
    }
    const glm::dvec3 between = solids[0].body.position - solids[1].body.position;
    const glm::dvec3 relative = solids[0].velocity.linear - solids[1].velocity.linear;
    if (glm::length(between) > reach + glm::length(relative)) {
        return;
    }
    // How each goes on once it is stopped: with what is prescribed, or its frame.
    const bool is_carried = pile.bodies[body[0]].is_prescribed() || pile.bodies[body[1]].is_prescribed();
    const std::size_t carrier = pile.bodies[body[0]].is_prescribed() ? 0 : 1;
    std::array<Twist, 2> on;
    if (is_carried) {
        on[0].linear = on[1].linear = solids[carrier].velocity.linear;
    } else {
        const std::array<glm::dvec3, 2> frames = frames_.of_pair(body[0], body[1]);
        on[0].linear = frames[0];
        on[1].linear = frames[1];
    }
    std::array<bool, 2> stops{};
    for (std::size_t e = 0; e < 2; ++e) {
        const PileBody& each = pile.bodies[body[e]];
        const double way = glm::length(solids[e].velocity.linear - on[e].linear);
        stops[e] = !each.is_prescribed() && way >= kPartOfExtent * each.smallest_extent;
    }
    if (!(stops[0] || stops[1])) {
        return;
    }
    for (std::size_t e = 0; e < 2; ++e) {
        solids[e].velocity = way_of(begin[body[e]], pile.bodies[body[e]]);
    }
    if (is_carried) {
        on[0] = on[1] = solids[carrier].velocity;
    }
    const double within = kMetWithin * step.scale.length();
    if (!get_too_deep(solids, within, looks)) {
        return; // they do not, or were so before
    }
    const double part = stopping_time(solids, within, looks);
    for (std::size_t e = 0; e < 2; ++e) {
        Stop& stop = stops_[body[e]];
        if (stops[e] && part < stop.part) {
            stop = {part, on[e], solids[is_carried ? carrier : e].body_at(part).position};
        }
    }
}

void EarlyStops::find(const PileStep& step, const Pile& pile, std::span<const PlacedBody> begin, PileResult& result) {
    double longest = 0.0;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < pile.bodies.size(); ++i) {
        PileBody& body = pile.bodies[i];
        body.time_lost = 0.0;
        longest = std::max(longest, glm::length(body.position - begin[i].at.position));
        smallest = body.is_prescribed() ? smallest : std::min(smallest, body.smallest_extent);
    }
    if (2.0 * longest < kPartOfExtent * smallest) {
        return; // nobody passes so much of another one
    }
    frames_.find(pile, begin);
    stops_.assign(pile.bodies.size(), {});
    int looks = 0;
    const auto look = [&](const std::array<std::uint32_t, 2>& pair) {
        result.is_cut = result.is_cut || step.is_interrupted();
        if (!result.is_cut) {
            look_at(step, pile, begin, pair, looks);
        }
    };
    for (const PilePair& pair : pile.pairs) {
        look(pair.solid);
    }
    for (const std::array<std::uint32_t, 2>& pair : pile.far_solids) {
        look(pair);
    }
    result.work += 80 * looks;
    for (std::size_t i = 0; i < pile.bodies.size(); ++i) {
        const Stop& stop = stops_[i];
        if (stop.part >= 1.0) {
            continue;
        }
        PileBody& body = pile.bodies[i];
        const Twist way = way_of(begin[i], body);
        const double left = 1.0 - stop.part;
        const glm::dvec3 turn = left * stop.on.angular;
        const glm::dvec3 met = begin[i].at.position + stop.part * way.linear;
        const glm::dvec3 arm = met - stop.centre;
        const glm::dvec3 reached =
            met + left * stop.on.linear + (rotation_matrix(turned(quaternion(1.0, 0.0, 0.0, 0.0), turn)) * arm - arm);
        const double work =
            body.inverse_mass > 0.0 ? glm::dot(body.acceleration, body.position - reached) / body.inverse_mass : 0.0;
        (work > 0.0 ? result.works.push_out : result.works.softness) += step.keeps_books ? work : 0.0;
        body.position = reached;
        const glm::dquat met_turned = turned(glm::quat_cast(begin[i].at.rotation), stop.part * way.angular);
        const double turned_back = turn_back(turn == glm::dvec3(0.0) ? met_turned : turned(met_turned, turn), body);
        result.works.softness += step.keeps_books ? turned_back : 0.0;
        body.time_lost = left * step.dt;
        result.time_lost += body.time_lost;
        ++result.stopped;
    }
}

} // namespace substep::detail
