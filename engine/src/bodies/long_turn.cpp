// Parts of a turn; momentum that goes with it.
#include "bodies/long_turn.h"

#include <cmath>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "bodies/rigid_motion.h"

namespace substep::detail {
namespace {

constexpr double kTurnOfPart = 0.25; // rad
constexpr int kMostParts = 64;

} // namespace

LongTurn long_turn(const glm::dquat& q, const glm::dvec3& L, const glm::dvec3& inverse_moments, double h,
                   double turn) noexcept {
    const int parts = turn < kMostParts * kTurnOfPart ? static_cast<int>(std::ceil(turn / kTurnOfPart)) : kMostParts;
    if (parts <= 1) {
        return {torque_free_turn(q, L, inverse_moments, h), true};
    }
    LongTurn turned{q, parts < kMostParts};
    for (int i = 0; i < parts; ++i) {
        turned.rotation = torque_free_turn(turned.rotation, L, inverse_moments, h / parts);
    }
    return turned;
}

glm::dvec3 momentum_after_turn(const glm::dquat& from, const glm::dquat& to, const glm::dvec3& L,
                               const glm::dvec3& inverse_moments) noexcept {
    const glm::dvec3 before = L * rotation_matrix(from);
    const glm::dmat3 axes = rotation_matrix(to);
    const glm::dvec3 after = L * axes;
    return glm::dot(inverse_moments, after * after - before * before) > 0.0 ? axes * before : L;
}

double turning_energy(const glm::dquat& q, const glm::dvec3& L, const glm::dvec3& inverse_moments) noexcept {
    const glm::dvec3 along = L * rotation_matrix(q);
    return 0.5 * glm::dot(inverse_moments, along * along);
}

} // namespace substep::detail
