// What turned too far for the inertia that it began with.
#include "soft_steps/turned_bodies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "bodies/long_turn.h"
#include "bodies/rigid_motion.h"

namespace substep::detail {
namespace {

/// The most that inertia may change: by it the response to a torque differs by 2.6 times in the worst direction.
constexpr double kMostChange = 1.0;

/// What a body that does not turn about one of its axes is taken to change by, over the square of a turn about another.
constexpr double kChangeOfHeld = 10.0;

/// The change of inertia in a substep, and the turn (rad), from which on free turns are made in parts.
constexpr double kChangeInParts = 0.1;
constexpr double kTurnInParts = 0.25;

glm::dvec3 column(const Four* from, std::size_t lane) noexcept { return {from[0][lane], from[1][lane], from[2][lane]}; }
void write_column(const glm::dvec3& v, Four* to, std::size_t lane) noexcept {
    for (int k = 0; k < 3; ++k) {
        to[k][lane] = v[k];
    }
}

glm::dmat3 inertia_in(const Four* from, std::size_t lane) noexcept {
    const double xy = from[3][lane], xz = from[4][lane], yz = from[5][lane];
    return {from[0][lane], xy, xz, xy, from[1][lane], yz, xz, yz, from[2][lane]};
}
void write_inertia(const glm::dmat3& m, Four* to, std::size_t lane) noexcept {
    const double six[6] = {m[0][0], m[1][1], m[2][2], m[1][0], m[2][0], m[2][1]};
    for (int k = 0; k < 6; ++k) {
        to[k][lane] = six[k];
    }
}

glm::dvec3 rate_in(const LaneMotion& motion) noexcept { return {motion.row[0][3], motion.row[1][0], motion.row[1][1]}; }
glm::dvec3 turn_in(const LaneMotion& motion) noexcept { return {motion.row[2][3], motion.row[1][2], motion.row[1][3]}; }

auto rotation_in(const LaneBodies& block, std::size_t lane) noexcept -> glm::dquat {
    return detail::quaternion(block.rotation[0][lane], column(block.rotation + 1, lane));
}

double squared(const glm::dvec3& v) noexcept { return glm::dot(v, v); }

double inverted(double x) noexcept { return x > 0.0 ? 1.0 / x : 0.0; }

} // namespace

void TurnedBodies::begin(const PileLanes& lanes) {
    bodies_.clear();
    is_new_.assign(lanes.motions.size(), 0);
    any_is_new_ = false;
    for (std::size_t i = 0; i < 4 * lanes.bodies.size(); ++i) {
        const LaneBodies& block = lanes.bodies[i / 4];
        if (block.tumbles[i % 4] == 0.0) {
            continue;
        }
        const glm::dvec3 inverse = column(block.inverse_moments, i % 4);
        int held = 0;
        glm::dvec3 change(0.0);
        for (int k = 0; k < 3; ++k) {
            held += inverse[k] > 0.0 ? 0 : 1;
            const double first = inverse[(k + 1) % 3], second = inverse[(k + 2) % 3];
            if (first > 0.0 && second > 0.0) {
                change[k] = first / second + second / first - 2.0;
            } else if (first > 0.0 || second > 0.0) {
                change[k] = kChangeOfHeld;
            }
        }
        if (held >= 2) {
            continue; // about one axis at most: that changes nothing of its inertia
        }
        Body& body = bodies_.emplace_back();
        body.number = static_cast<std::uint32_t>(i);
        body.is_held = held > 0;
        body.change = change;
        body.most_change = std::max({change.x, change.y, change.z});
        body.taken = rotation_in(block, i % 4);
        body.rate = rate_in(lanes.motions[i]);
        body.energy = turning_energy(body.taken, column(block.momentum, i % 4), inverse);
    }
}

void TurnedBodies::book(double h, const PileLanes& lanes, PileWorks& works) noexcept {
    for (Body& body : bodies_) {
        const LaneBodies& block = lanes.bodies[body.number / 4];
        const std::size_t lane = body.number % 4;
        const glm::dvec3 rate = rate_in(lanes.motions[body.number]);
        const glm::dvec3 given = inertia_in(block.inertia, lane) * (rate - column(block.free_rate, lane));
        const glm::dvec3 momentum = column(block.momentum, lane) + given;
        const double energy = turning_energy(rotation_in(block, lane), momentum, column(block.inverse_moments, lane));
        if (given != glm::dvec3(0.0) || body.turned_by != rate) { // else it turned freely
            const glm::dvec3 by_all = given + h * column(block.torque, lane);
            const double besides = energy - body.energy - 0.5 * glm::dot(by_all, body.rate + rate);
            (besides > 0.0 ? works.push_out : works.softness) += besides;
        }
        body.energy = energy;
        body.rate = rate;
    }
}

// Whether within a substep its inertia changes by too much.
bool TurnedBodies::turns_fast(const Body& body, double h, const PileLanes& lanes) noexcept {
    const glm::dvec3 turn = h * rate_in(lanes.motions[body.number]);
    if (!(squared(turn) * body.most_change > kMostChange)) {
        return false;
    }
    const glm::dvec3 own = turn * rotation_matrix(rotation_in(lanes.bodies[body.number / 4], body.number % 4));
    return glm::dot(own * own, body.change) > kMostChange;
}

// Whether its inertia has changed by too much since it was taken: about its own axis a rod may turn as far as it likes.
bool TurnedBodies::has_turned(const Body& body, const PileLanes& lanes) noexcept {
    if (!(squared(turn_in(lanes.motions[body.number]) - body.turned) * body.most_change > kMostChange)) {
        return false;
    }
    const glm::dmat3 was = rotation_matrix(body.taken);
    const glm::dmat3 is = rotation_matrix(rotation_in(lanes.bodies[body.number / 4], body.number % 4));
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double ij = glm::dot(was[i], is[j]), ji = glm::dot(was[j], is[i]);
        sum += body.change[k] * std::max(ij * ij, ji * ji);
    }
    return sum > kMostChange;
}

void TurnedBodies::look_ahead(const LaneStep& step, const PileKernels& kernels, PileLanes& lanes) {
    for (Body& body : bodies_) {
        body.from = rotation_in(lanes.bodies[body.number / 4], body.number % 4);
        if (!body.is_even && !body.is_held && turns_fast(body, step.h, lanes)) {
            take_inertia(body, true, lanes);
        }
    }
    renew_manifolds(step, kernels, lanes);
}

void TurnedBodies::renew(const LaneStep& step, const PileKernels& kernels, PileLanes& lanes) {
    for (Body& body : bodies_) {
        body.turned_by = rate_in(lanes.motions[body.number]);
        const double turn_squared = step.h * step.h * squared(rate_in(lanes.motions[body.number]));
        bool is_fast = false;
        if (turn_squared * body.most_change > kChangeInParts) {
            is_fast = turns_fast(body, step.h, lanes);
            if (turn_squared > kTurnInParts * kTurnInParts) {
                turn_in_parts(body, step.h, lanes);
            }
        }
        if (is_fast || has_turned(body, lanes)) {
            take_inertia(body, is_fast && !body.is_held, lanes);
        }
    }
    renew_manifolds(step, kernels, lanes);
}

// Where even that many parts are too long, momentum turns with the body rather than that its energy rises.
void TurnedBodies::turn_in_parts(const Body& body, double h, PileLanes& lanes) noexcept {
    LaneBodies& block = lanes.bodies[body.number / 4];
    const std::size_t lane = body.number % 4;
    const glm::dvec3 inverse = column(block.inverse_moments, lane);
    const glm::dvec3 rate = rate_in(lanes.motions[body.number]);
    const glm::dvec3 momentum =
        column(block.momentum, lane) + inertia_in(block.inertia, lane) * (rate - column(block.free_rate, lane));
    const LongTurn turn = long_turn(body.from, momentum, inverse, h, h * glm::length(rate));
    block.rotation[0][lane] = turn.rotation.w;
    write_column({turn.rotation.x, turn.rotation.y, turn.rotation.z}, block.rotation + 1, lane);
    if (!turn.is_followed) {
        const glm::dvec3 left = momentum_after_turn(body.from, turn.rotation, momentum, inverse);
        write_column(column(block.momentum, lane) + (left - momentum), block.momentum, lane);
    }
}

// Angular momentum is what it was; so is what of it the contacts gave in this substep.
void TurnedBodies::take_inertia(Body& body, bool is_even, PileLanes& lanes) {
    LaneMotion& motion = lanes.motions[body.number];
    LaneBodies& block = lanes.bodies[body.number / 4];
    const std::size_t lane = body.number % 4;
    const glm::dvec3 inverse = column(block.inverse_moments, lane);
    const glm::dmat3 axes = rotation_matrix(rotation_in(block, lane));
    const glm::dvec3 given = inertia_in(block.inertia, lane) * (rate_in(motion) - column(block.free_rate, lane));
    const glm::dvec3 momentum = column(block.momentum, lane) + given;
    const glm::dvec3 rate = axes * (inverse * (momentum * axes));
    const glm::dvec3 taken = is_even ? glm::dvec3(std::max({inverse.x, inverse.y, inverse.z})) : inverse;

    write_inertia(world_inverse_inertia(axes, {inverted(taken.x), inverted(taken.y), inverted(taken.z)}), block.inertia,
                  lane);
    write_column(rate - world_inverse_inertia(axes, taken) * given, block.free_rate, lane);
    motion.row[0][3] = rate.x;
    motion.row[1][0] = rate.y;
    motion.row[1][1] = rate.z;
    body.turned = turn_in(motion);
    body.taken = rotation_in(block, lane);
    body.is_even = is_even;
    is_new_[body.number] = is_even ? 2 : 1;
    any_is_new_ = true;
}

void TurnedBodies::renew_manifolds(const LaneStep& step, const PileKernels& kernels, PileLanes& lanes) {
    if (!any_is_new_) {
        return;
    }
    const auto renew_all = [&]<int N>(std::vector<LaneManifolds<N>>& blocks, const ManifoldKernels<N>& of_kind) {
        for (LaneManifolds<N>& block : blocks) {
            std::uint32_t changed = 0; // a bit for each lane
            for (std::size_t lane = 0; lane < 4; ++lane) {
                for (int e = 0; e < 2; ++e) {
                    const auto number = static_cast<std::size_t>(block.body[e][lane]);
                    if (is_new_[number] == 0 || (block.written[e] & 1u << lane) == 0) {
                        continue;
                    }
                    const LaneBodies& of_body = lanes.bodies[number / 4];
                    const glm::dvec3 inverse = column(of_body.inverse_moments, number % 4);
                    const glm::dvec3 taken =
                        is_new_[number] == 2 ? glm::dvec3(std::max({inverse.x, inverse.y, inverse.z})) : inverse;
                    write_inertia(world_inverse_inertia(rotation_matrix(rotation_in(of_body, number % 4)), taken),
                                  block.inverse_inertia[e], lane);
                    changed |= 1u << lane;
                }
            }
            if (changed == 0) {
                continue;
            }
            LaneManifolds<N> prepared = block;
            for (int i = 0; i < N; ++i) {
                for (std::size_t lane = 0; lane < 4; ++lane) {
                    prepared.inverse[i][lane] = block.inverse[i][lane] > 0.0 ? 1.0 : 0.0;
                }
            }
            of_kind.prepare(&prepared, 1, lanes.motions.data(), step);
            for (std::size_t lane = 0; lane < 4; ++lane) {
                if ((changed & 1u << lane) == 0) {
                    continue;
                }
                for (int k = 0; k < 6; ++k) {
                    block.response[k][lane] = prepared.response[k][lane];
                    block.friction_inverse[k][lane] = prepared.friction_inverse[k][lane];
                }
                for (int i = 0; i < N; ++i) {
                    block.inverse[i][lane] = prepared.inverse[i][lane];
                    block.soft_inverse[i][lane] = prepared.soft_inverse[i][lane];
                }
                for (std::size_t k = 0; k < std::size(block.coupling); ++k) {
                    block.coupling[k][lane] = prepared.coupling[k][lane];
                }
                block.yielding[lane] = prepared.yielding[lane];
                block.rolling_inverse[lane] = prepared.rolling_inverse[lane];
            }
        }
    };
    renew_all(lanes.manifolds, kernels.manifolds);
    renew_all(lanes.points, kernels.points);
    std::ranges::fill(is_new_, std::uint8_t{0});
    any_is_new_ = false;
}

} // namespace substep::detail
