// Turns that are long for a step, and turns that are no motion of the body itself.
#pragma once

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include "substep/collision/glm_types.h"

namespace substep::detail {

/// An orientation after a torque-free time.
struct LongTurn {
    glm::dquat rotation = detail::quaternion(1.0, 0.0, 0.0, 0.0);
    bool is_followed = true; ///< false: it turned by more than is made in parts
};

/// Returns what `torque_free_turn` of rigid_motion.h returns, made in parts of a quarter of a radian, 64 at most: a
/// slender body that turns farther in one part comes out with another energy. `turn` (rad) is how far it turns.
LongTurn long_turn(const glm::dquat& q, const glm::dvec3& L, const glm::dvec3& inverse_moments, double h,
                   double turn) noexcept;

/// Returns the angular momentum of a body that was turned from one orientation to another: what it was, unless that has
/// more energy where it is now, many times as much where it is slender. Then momentum was turned with it.
glm::dvec3 momentum_after_turn(const glm::dquat& from, const glm::dquat& to, const glm::dvec3& L,
                               const glm::dvec3& inverse_moments) noexcept;

/// J: energy of turning at an angular momentum.
double turning_energy(const glm::dquat& q, const glm::dvec3& L, const glm::dvec3& inverse_moments) noexcept;

} // namespace substep::detail
