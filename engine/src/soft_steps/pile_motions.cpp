// Single bodies of the lanes.
#include "soft_steps/pile_motions.h"

namespace substep::detail {
namespace {

constexpr std::size_t kLanesOfBodies = 4;

void add(const glm::dvec3& v, Four* to, std::size_t lane) noexcept {
    to[0][lane] += v.x;
    to[1][lane] += v.y;
    to[2][lane] += v.z;
}

} // namespace

Placement PileMotions::place(std::size_t body) const noexcept {
    const LaneBodies& block = bodies_[body / kLanesOfBodies];
    const std::size_t lane = body % kLanesOfBodies;
    const auto& row = motions_[body].row;
    const glm::dquat rotation = detail::quaternion(
        block.rotation[0][lane], glm::dvec3(block.rotation[1][lane], block.rotation[2][lane], block.rotation[3][lane]));
    return {begin_[body].at.position + glm::dvec3(row[2][0], row[2][1], row[2][2]),
            rotation_matrix(normalised(rotation))};
}

Twist PileMotions::velocity(std::size_t body) const noexcept {
    const auto& row = motions_[body].row;
    return {{row[0][0], row[0][1], row[0][2]}, {row[0][3], row[1][0], row[1][1]}};
}

void PileMotions::push(std::size_t body, const Wrench& impulse, const Twist& change) noexcept {
    LaneBodies& block = bodies_[body / kLanesOfBodies];
    const std::size_t lane = body % kLanesOfBodies;
    auto& row = motions_[body].row;
    row[0][0] += change.linear.x;
    row[0][1] += change.linear.y;
    row[0][2] += change.linear.z;
    row[0][3] += change.angular.x;
    row[1][0] += change.angular.y;
    row[1][1] += change.angular.z;
    add(change.linear, block.free_velocity, lane);
    add(change.angular, block.free_rate, lane);
    if (block.inverse_moments[0][lane] != 0.0 || block.inverse_moments[1][lane] != 0.0 ||
        block.inverse_moments[2][lane] != 0.0) {
        add(impulse.torque, block.momentum, lane);
    }
}

} // namespace substep::detail
