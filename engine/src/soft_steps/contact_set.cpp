// Manifolds of a pile: recycled, tested, expected.
#include "soft_steps/contact_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "bodies/rigid_motion.h"
#include "bodies/tolerances.h"
#include "soft_steps/impact_times.h"
#include "soft_steps/last_test.h"
#include "soft_steps/thread_team.h"

namespace substep::detail {
namespace {

/// The second body in the axes of the first.
struct RelativePose {
    glm::dvec3 position;
    glm::dquat rotation;
};

RelativePose relative_pose(const PileBody& a, const PlacedBody& placed_a, const PileBody& b) noexcept {
    return {(b.position - a.position) * placed_a.at.rotation, glm::conjugate(a.rotation) * b.rotation};
}

// Instead of how far the solids of a pair are apart: it has a manifold.
constexpr double kHeld = -1.0;

constexpr std::size_t kPairsOfPart = 64; // of a team

constexpr std::uint32_t kPointsOfFace = 3; // on fewer no tower stands

double squared(const glm::dvec3& v) noexcept { return glm::dot(v, v); }

/// How far (m) and by what angle (rad) the bodies have moved to one another since they were tested.
struct Moved {
    double squared_way;
    double squared_turn;
};

Moved moved_since(const PairMemory& memory, const RelativePose& now) noexcept {
    // Of two unit quaternions the difference is as long as half the angle between them, when that is small.
    const glm::dquat minus = now.rotation - memory.rotation;
    const glm::dquat plus = now.rotation + memory.rotation;
    return {squared(now.position - memory.position), 4.0 * std::min(glm::dot(minus, minus), glm::dot(plus, plus))};
}

/// Whether a solid may roll.
bool is_round(const Convex& solid) noexcept {
    return std::holds_alternative<TaperedCapsule>(solid) || std::holds_alternative<TaperedCylinder>(solid);
}

/// No part of the second solid has come nearer to the first than this (m) by these moves. A half space has no farthest
/// point; seen from the body that is on it the other one turns.
double nearer_by(const Moved& moved, double way_arm) noexcept {
    return std::sqrt(moved.squared_way) + std::sqrt(moved.squared_turn) * way_arm;
}

/// Gives a pair the points that were found, with what it knew of them. What points that are gone had pressed with is
/// shared out among those that are new, so that nothing falls from one support to the next. Returns a bit for each of
/// these.
std::uint32_t renew_points(const Manifold& found, const PairMemory& before, PairMemory& memory) noexcept {
    double gone = 0.0; // N
    for (std::uint32_t k = 0; k < before.count; ++k) {
        gone += before.points[k].force;
    }
    std::uint32_t fresh = 0;
    for (std::uint32_t i = 0; i < memory.count; ++i) {
        PairMemory::Point& point = memory.points[i];
        point = {};
        point.feature = found.points[i].parts.key();
        point.place = found.points[i].positions[0];
        point.gap = found.points[i].gap;
        fresh |= 1u << i;
        for (std::uint32_t k = 0; k < before.count; ++k) {
            if (before.points[k].feature == point.feature) {
                point.force = before.points[k].force;
                point.offset = before.points[k].offset;
                gone -= point.force;
                fresh &= ~(1u << i);
            }
        }
    }
    for (std::uint32_t i = 0; i < memory.count; ++i) {
        if ((fresh >> i & 1u) != 0) {
            memory.points[i].force = std::max(gone, 0.0) / std::popcount(fresh);
        }
    }
    return fresh;
}

/// Whether solids that are near, but apart, move so far to one another within the interval that they may only pass: the
/// normal where they are now is not that of where they would meet.
bool passes_far(const PileStep& step, const PlacedBody& a, const PlacedBody& b, double length,
                const PairMemory& memory) noexcept {
    if (!((a.speed + b.speed) * step.dt > kFarWay * length)) {
        return false;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < memory.count; ++i) {
        least = std::min(least, memory.points[i].gap);
    }
    return least > 0.0;
}

glm::dvec3 centre_of(const PlacedManifold& placed, std::uint32_t count) noexcept {
    glm::dvec3 sum(0.0);
    for (std::uint32_t i = 0; i < count; ++i) {
        sum += placed.points[i].arm;
    }
    return sum / static_cast<double>(count);
}

/// m: that in which a pair has its lengths.
double length_of(const PileStep& step, const Pile& pile, std::uint32_t pair) noexcept {
    double thinnest = std::numeric_limits<double>::infinity();
    for (const std::uint32_t solid : pile.pairs[pair].solid) {
        thinnest = std::min(thinnest, pile.bodies[pile.solids[solid].body].smallest_extent);
    }
    return length_of_pair(step.scale.length(), thinnest);
}

// Whether what was found in a pair's last test still holds, the solids being where they are now. `apart`: m, at least,
// where it has no points.
bool is_known(const CarriedSolid& a, const CarriedSolid& b, const PairMemory& memory, const RelativePose& now,
              double length, double& apart) noexcept {
    if (!memory.was_tested || (memory.count > 0 && (is_ball(a.solid) || is_ball(b.solid)))) {
        return false;
    }
    const Moved moved = moved_since(memory, now);
    if (memory.count > 0) {
        const double way = kRecycledWay * length;
        const double turn = is_round(a.solid) || is_round(b.solid) ? kRecycledTurnOfRound : kRecycledTurn;
        return moved.squared_way <= way * way && moved.squared_turn <= turn * turn;
    }
    // Whichever of both is finite: about the centre of one the other one's turning is a way.
    const double arm = std::isfinite(b.arm()) ? b.arm() : a.arm() + glm::length(now.position);
    apart = memory.apart - nearer_by(moved, arm);
    return apart > kFarPair * length;
}

// Writes what a pair remembers of a test. Returns a bit for each point that is new.
std::uint32_t remember(const Manifold& found, const RelativePose& now, double margin, double farther,
                       PairMemory& memory) noexcept {
    const PairMemory before = memory;
    memory.was_tested = true;
    memory.position = now.position;
    memory.rotation = now.rotation;
    memory.normal = found.normal;
    memory.apart = farther;
    for (int i = 0; i < found.count; ++i) {
        memory.apart = std::min(memory.apart, found.points[i].gap);
    }
    memory.count = memory.apart <= margin ? static_cast<std::uint32_t>(found.count) : 0;
    const std::uint32_t fresh = renew_points(found, before, memory);
    if (memory.count == 0) {
        memory.friction = memory.turning = glm::dvec3(0.0);
    }
    return fresh;
}

/// Whether what presses on a body goes through its centre and turns it about no axis otherwise than about another: a
/// ball about it that is as hard to turn about each; and what turns by nothing at all.
bool is_held_centrally(const PileBody& body, const PlacedBody& placed, const CarriedSolid& carried) noexcept {
    if (body.is_prescribed()) {
        return placed.rate == 0.0;
    }
    return is_ball(carried.solid) && carried.in_body.position == glm::dvec3(0.0) && turns_alike(body);
}

std::int64_t work_of_test(const Convex& a, const Convex& b) noexcept {
    const auto is_disc = [](const Convex& each) { return std::holds_alternative<TaperedCylinder>(each); };
    const auto is_hull = [](const Convex& each) { return std::holds_alternative<HullView>(each); };
    return is_disc(a) || is_disc(b) ? 1000 : is_hull(a) || is_hull(b) ? 400 : is_ball(a) && is_ball(b) ? 2 : 80;
}

} // namespace

// Those that have to be tested are tested in one call.
void ContactSet::look(const PileStep& step, const Pile& pile, std::span<const PlacedBody> bodies, std::size_t first,
                      std::size_t last) noexcept {
    std::array<double, kPairsOfPart> lengths;
    std::array<RelativePose, kPairsOfPart> poses;
    std::array<Placement, kPairsOfPart> places;
    std::array<PlacedSolids, kPairsOfPart> tested;
    std::array<std::uint32_t, kPairsOfPart> numbers;
    std::array<const Manifold*, kPairsOfPart> found;
    std::array<TouchingSolids, kPairsOfPart> touching;
    Manifold none;
    std::size_t count = 0;
    for (std::size_t p = first; p < last; ++p) {
        const auto pair = static_cast<std::uint32_t>(p);
        const PileSolid& a = pile.solids[pile.pairs[p].solid[0]];
        const PileSolid& b = pile.solids[pile.pairs[p].solid[1]];
        PairMemory& memory = pile.memory_of(pair);
        const double length = lengths[p - first] = length_of(step, pile, pair);
        Looked& looked = looked_[p] = {};
        looked.had_points = memory.count > 0;
        poses[count] = relative_pose(pile.bodies[a.body], bodies[a.body], pile.bodies[b.body]);
        if (!is_known(a.carried, b.carried, memory, poses[count], length, looked.apart)) {
            places[count] = b.carried.placed({poses[count].position, glm::mat3_cast(poses[count].rotation)});
            tested[count] = {&a.carried.solid, &a.carried.in_body, &b.carried.solid, &places[count], &memory.axis};
            numbers[count] = pair;
            found[count++] = &none;
        }
    }
    // What is tested is told from what need not be, for a while.
    const std::size_t touching_count =
        collide(std::span(tested).first(count), tested_margin(step.scale.length()), touching);
    for (const TouchingSolids& each : std::span(touching).first(touching_count)) {
        found[each.pair] = &each.manifold;
    }
    for (std::size_t i = 0; i < count; ++i) {
        PairMemory& memory = pile.memory_of(numbers[i]);
        Looked& looked = looked_[numbers[i]];
        const double length = lengths[numbers[i] - first];
        looked.was_tested = true;
        looked.fresh = remember(*found[i], poses[i], kFarPair * length, tested_margin(length), memory);
        looked.apart = memory.apart;
    }
    for (std::size_t p = first; p < last; ++p) {
        const PlacedBody& a = bodies[pile.solids[pile.pairs[p].solid[0]].body];
        const PlacedBody& b = bodies[pile.solids[pile.pairs[p].solid[1]].body];
        const PairMemory& memory = pile.memory_of(static_cast<std::uint32_t>(p));
        Looked& looked = looked_[p];
        const double length = lengths[p - first];
        // How far apart solids without points were found is in no snapshot: whether they are tested is not what counts.
        const bool goes_far = (a.speed + b.speed) * step.dt > kFarPair * length;
        looked.counts = looked.had_points ? looked.was_tested : memory.count > 0 || goes_far;
        looked.is_manifold = memory.count > 0 && !passes_far(step, a, b, length, memory);
        looked.apart = memory.count > 0 ? 0.0 : looked.apart;
    }
}

void ContactSet::find(const PileStep& step, const Pile& pile, std::span<const PlacedBody> bodies, ThreadTeam* team) {
    manifolds_.clear();
    expected_.clear();
    apart_.assign(pile.pairs.size(), kHeld);
    cost_ = {};
    looked_.resize(pile.pairs.size());
    for_parts(team, pile.pairs.size(), kPairsOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; p += kPairsOfPart) {
            look(step, pile, bodies, p, std::min(p + kPairsOfPart, last));
        }
    });
    for (std::uint32_t p = 0; p < pile.pairs.size(); ++p) {
        const Looked& looked = looked_[p];
        const PileSolid& a = pile.solids[pile.pairs[p].solid[0]];
        const PileSolid& b = pile.solids[pile.pairs[p].solid[1]];
        cost_.work += kWorkOfPair;
        if (looked.was_tested) {
            ++cost_.full_tests;
            cost_.fresh += std::popcount(looked.fresh);
        }
        cost_.work += looked.counts ? work_of_test(a.carried.solid, b.carried.solid) : 0;
        if (looked.is_manifold) {
            add_manifold(pile, bodies, {p, {a.body, b.body}, pile.memory_of(p).count, -1, looked.fresh});
        } else {
            apart_[p] = find_expected(step, pile, bodies, p, looked.apart, true) ? kHeld : looked.apart;
        }
    }
}

void ContactSet::add_manifold(const Pile& pile, std::span<const PlacedBody> bodies, const FoundManifold& found) {
    const PilePair& pair = pile.pairs[found.pair];
    const PairMemory& memory = pile.memory_of(found.pair);
    const auto is_central_at = [&](std::size_t e) {
        const std::uint32_t body = found.body[e];
        return is_held_centrally(pile.bodies[body], bodies[body], pile.solids[pair.solid[e]].carried);
    };
    FoundManifold& added = manifolds_.emplace_back(found);
    added.is_central = found.count == 1 && !(pair.rolling_resistance > 0.0) && !(pair.spinning_resistance > 0.0) &&
                       is_central_at(0) && is_central_at(1);
    double force = 0.0; // N
    for (std::uint32_t i = 0; i < found.count; ++i) {
        force += found.expected < 0 ? memory.points[i].force : 0.0;
    }
    added.pressed = force > 0.0;
    added.is_laden = found.count >= kPointsOfFace && std::ranges::any_of(found.body, [&](std::uint32_t body) {
                         return pile.bodies[body].carries_many(force);
                     });
}

bool ContactSet::find_more(const PileStep& step, const Pile& pile, std::span<const PlacedBody> bodies) {
    const std::size_t before = manifolds_.size();
    for (std::uint32_t p = 0; p < pile.pairs.size(); ++p) {
        if (apart_[p] >= 0.0 && find_expected(step, pile, bodies, p, apart_[p], false)) {
            apart_[p] = kHeld;
        }
    }
    std::ranges::sort(manifolds_, {}, &FoundManifold::pair); // a merge in place would allocate
    return manifolds_.size() > before;
}

// `is_pushed`: what acts is still to change the velocities. Returns whether they meet.
bool ContactSet::find_expected(const PileStep& step, const Pile& pile, std::span<const PlacedBody> bodies,
                               std::uint32_t pair, double apart, bool is_pushed) {
    std::array<MovingSolid, 2> solids;
    std::array<std::uint32_t, 2> body{};
    double speed = 0.0;
    for (std::size_t e = 0; e < 2; ++e) {
        const PileSolid& solid = pile.solids[pile.pairs[pair].solid[e]];
        body[e] = solid.body;
        const PlacedBody& placed = bodies[solid.body];
        speed += placed.speed + (placed.rate > 0.0 ? placed.rate * solid.carried.arm() : 0.0);
    }
    if (!(speed * step.dt > apart)) {
        return false;
    }
    for (std::size_t e = 0; e < 2; ++e) {
        const PileSolid& solid = pile.solids[pile.pairs[pair].solid[e]];
        solids[e] = {&solid.carried, bodies[solid.body].at, bodies[solid.body].velocity};
        // What acts within the interval may be met too: as fast as it is where the interval ends.
        solids[e].velocity.linear += (is_pushed ? step.dt : 0.0) * pile.bodies[solid.body].acceleration;
    }
    const double length = length_of(step, pile, pair);
    const double within = kMetWithin * length;
    int looks = 0;
    const double t = meeting_time(solids, step.dt, 0.0, within, looks);
    // Not the first look: whether there is one may follow from what no snapshot holds.
    cost_.work += (looks - 1) * work_of_test(solids[0].carried->solid, solids[1].carried->solid);
    if (t < 0.0) {
        return false;
    }
    // The manifold is that of the place where they meet, its gaps are those that the ways there close.
    const Placement at_a = solids[0].body_at(t);
    const Placement at_b = solids[1].body_at(t);
    SeparatingAxis none;
    ++cost_.full_tests;
    const Manifold found = collide(solids[0].carried->solid, solids[0].carried->placed(at_a), solids[1].carried->solid,
                                   solids[1].carried->placed(at_b), kFarPair * length, none);
    if (found.count == 0) {
        return false;
    }
    PlacedManifold placed;
    placed.normal = found.normal;
    placed.between = at_a.position - at_b.position;
    for (int i = 0; i < found.count; ++i) {
        const glm::dvec3 middle = 0.5 * (found.points[i].positions[0] + found.points[i].positions[1]);
        const glm::dvec3 arm = middle - at_a.position;
        const glm::dvec3 velocity =
            (solids[0].velocity.linear + glm::cross(solids[0].velocity.angular, arm)) -
            (solids[1].velocity.linear + glm::cross(solids[1].velocity.angular, middle - at_b.position));
        placed.points[i] = {arm, found.points[i].gap - t * glm::dot(found.normal, velocity)};
    }
    cost_.fresh += found.count;
    const auto count = static_cast<std::uint32_t>(found.count);
    const auto number = static_cast<std::int32_t>(expected_.size());
    add_manifold(pile, bodies, {pair, body, count, number, (1u << count) - 1u});
    expected_.push_back(placed);
    PairMemory& memory = pile.memory_of(pair);
    for (int i = 0; i < found.count; ++i) {
        memory.points[i] = {};
        memory.points[i].feature = found.points[i].parts.key();
    }
    memory.was_tested = false; // these are not the points of its last test
    return true;
}

void ContactSet::place(const FoundManifold& manifold, const Pile& pile, std::span<const PlacedBody> bodies,
                       PlacedManifold& placed) const noexcept {
    if (manifold.expected >= 0) {
        placed = expected_[static_cast<std::size_t>(manifold.expected)];
        placed.surface_velocity = pile.pairs[manifold.pair].surface_velocity;
        return;
    }
    const PairMemory& memory = pile.memory_of(manifold.pair);
    const Placement& a = bodies[manifold.body[0]].at;
    const Placement& b = bodies[manifold.body[1]].at;
    placed.normal = a.rotation * memory.normal;
    placed.between = a.position - b.position;
    // A point of the second surface stays where it is on its body: from the axes of the first body where both were
    // tested to those of the second, and from these to where it is now.
    const glm::dmat3 from_test = b.rotation * glm::transpose(glm::mat3_cast(memory.rotation));
    for (std::uint32_t i = 0; i < manifold.count; ++i) {
        const PairMemory::Point& point = memory.points[i];
        const glm::dvec3 on_a = a.rotation * point.place;
        const glm::dvec3 on_b = from_test * (point.place - point.gap * memory.normal - memory.position);
        const double gap = glm::dot(placed.normal, placed.between + on_a - on_b);
        placed.points[i] = {on_a - 0.5 * gap * placed.normal, gap};
    }
    placed.surface_velocity = pile.pairs[manifold.pair].surface_velocity;
    for (std::size_t e = 0; e < 2; ++e) {
        const PlacedBody& body = bodies[manifold.body[e]];
        if (body.half_turn != glm::dvec3(0.0)) {
            const glm::dvec3 arm = centre_of(placed, manifold.count) + (e == 0 ? glm::dvec3(0.0) : placed.between);
            const glm::dquat turn = turned(quaternion(1.0, 0.0, 0.0, 0.0), body.half_turn);
            placed.surface_velocity += (e == 0 ? 1.0 : -1.0) * glm::cross(body.velocity.angular, turn * arm - arm);
        }
    }
}

} // namespace substep::detail
