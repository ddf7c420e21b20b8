// The energy that remembered impulses would give.
#include "soft_steps/remembered_impulses.h"

#include <cstddef>
#include <vector>

#include <glm/geometric.hpp>

#include "bodies/lasting_part.h"

namespace substep::detail {
namespace {

constexpr std::size_t kLanesOfFour = 4;

/// What presses on a body at rest cancels what acts in a substep. Where bodies tremble by as much it gives energy too,
/// and must be left as it is: without it no pile comes to rest.
constexpr double kTrembles = 4.0;

glm::dvec3 numbers_in(const Four* from, std::size_t lane) noexcept {
    return {from[0][lane], from[1][lane], from[2][lane]};
}

glm::dvec3 times_inertia(const LaneBodies& block, std::size_t lane, const glm::dvec3& w) noexcept {
    const Four* const i = block.inertia;
    return {i[0][lane] * w.x + i[3][lane] * w.y + i[4][lane] * w.z,
            i[3][lane] * w.x + i[1][lane] * w.y + i[5][lane] * w.z,
            i[4][lane] * w.x + i[5][lane] * w.y + i[2][lane] * w.z};
}

/// J: what surfaces that move give by a manifold's impulses as they pass, which no contact answers for.
double given_by_surfaces(const FoundManifold& found, const Pile& pile, const ContactSet& set,
                         std::span<const PlacedBody> placed, double h) noexcept {
    const PilePair& pair = pile.pairs[found.pair];
    const auto moves = [&](std::uint32_t body) {
        return pile.bodies[body].is_prescribed() &&
               (placed[body].velocity.linear != glm::dvec3(0.0) || placed[body].velocity.angular != glm::dvec3(0.0));
    };
    if (!moves(found.body[0]) && !moves(found.body[1]) && pair.surface_velocity == glm::dvec3(0.0)) {
        return 0.0;
    }
    const PairMemory& memory = pile.memory_of(found.pair);
    PlacedManifold where;
    set.place(found, pile, placed, where);
    glm::dvec3 force = memory.friction;
    glm::dvec3 turning = memory.turning; // about the first body's centre, once arms are added
    glm::dvec3 centre(0.0);
    for (std::uint32_t i = 0; i < found.count; ++i) {
        centre += (1.0 / found.count) * where.points[i].arm;
        force += memory.points[i].force * where.normal;
        turning += glm::cross(where.points[i].arm, memory.points[i].force * where.normal);
    }
    turning += glm::cross(centre, memory.friction);
    double power = -glm::dot(memory.friction, where.surface_velocity);
    if (moves(found.body[0])) {
        const Twist& u = placed[found.body[0]].velocity;
        power -= glm::dot(force, u.linear) + glm::dot(turning, u.angular);
    }
    if (moves(found.body[1])) {
        const Twist& u = placed[found.body[1]].velocity;
        power += glm::dot(force, u.linear) + glm::dot(turning + glm::cross(where.between, force), u.angular);
    }
    return h * power;
}

template <int N>
void scale_impulses(double part, std::vector<LaneManifolds<N>>& blocks) noexcept {
    for (LaneManifolds<N>& block : blocks) {
        for (std::size_t lane = 0; lane < kLanesOfFour; ++lane) {
            for (Four& impulse : block.impulse) {
                impulse[lane] *= part;
            }
            for (int k = 0; k < 2; ++k) {
                block.tangential[k][lane] *= part;
                block.rolled[k][lane] *= part;
            }
            block.twist[lane] *= part;
        }
    }
}

} // namespace

void limit_remembered(const Pile& pile, const ContactSet& set, std::span<const PlacedBody> placed,
                      std::span<const LaneMotion> begin, double h, PileLanes& lanes) noexcept {
    double first = 0.0; // J
    double square = 0.0;
    double most = 0.0; // that they may give
    for (std::size_t i = 0; i < pile.bodies.size(); ++i) {
        const LaneBodies& block = lanes.bodies[i / kLanesOfFour];
        const std::size_t lane = i % kLanesOfFour;
        if (!(block.inverse_mass[lane] > 0.0)) {
            continue;
        }
        const auto& row = begin[i].row;
        const glm::dvec3 faster = h * numbers_in(block.acceleration, lane);
        const glm::dvec3 v = glm::dvec3(row[0][0], row[0][1], row[0][2]) + faster;
        const glm::dvec3 w(row[0][3], row[1][0], row[1][1]);
        const glm::dvec3 dv = numbers_in(block.free_velocity, lane);
        const glm::dvec3 dw = numbers_in(block.free_rate, lane);
        const glm::dvec3 turned = times_inertia(block, lane, dw);
        first += glm::dot(v, dv) / block.inverse_mass[lane] + glm::dot(turned, w) +
                 h * glm::dot(numbers_in(block.torque, lane), dw);
        const double speed = glm::length(v) + kTrembles * glm::length(faster);
        most += 0.5 * (speed * speed / block.inverse_mass[lane] + glm::dot(w, times_inertia(block, lane, w)));
        square += 0.5 * (glm::dot(dv, dv) / block.inverse_mass[lane] + glm::dot(turned, dw));
    }
    if (!(square > most)) {
        return;
    }
    for (const FoundManifold& found : set.manifolds()) {
        first -= given_by_surfaces(found, pile, set, placed, h);
    }
    if (!(first + square > most)) {
        return;
    }
    const double part = part_that_takes_most(first, square);
    for (LaneBodies& block : lanes.bodies) {
        for (std::size_t lane = 0; lane < kLanesOfFour; ++lane) {
            for (int k = 0; k < 3; ++k) {
                block.free_velocity[k][lane] *= part;
                block.free_rate[k][lane] *= part;
            }
        }
    }
    scale_impulses(part, lanes.manifolds);
    scale_impulses(part, lanes.points);
}

} // namespace substep::detail
