// Checks of values from outside; each refusal is one sentence that names the value and the allowed range.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "bodies/rigid_motion.h"
#include "substep/engine/material.h"
#include "substep/numerics/number_checks.h"

namespace substep::detail {

bool is_finite(const glm::dvec3& v) noexcept;
bool is_finite(const glm::dquat& q) noexcept;

/// Each throws std::invalid_argument, beginning with `what` and the value, unless the value is allowed.
void require_finite(std::string_view what, const glm::dvec3& value);
void require_finite(std::string_view what, double value);
/// A velocity or a rate: finite, with a finite square, because every energy contains the square.
void require_velocity(std::string_view what, const glm::dvec3& value);

/// Returns the unit vector of a direction; one that is not finite, or of no length to speak of, is refused.
glm::dvec3 require_direction(std::string_view what, const glm::dvec3& value);

/// Whether a body can have these principal moments: none is larger than the sum of the other two, which a flat body
/// has.
bool are_moments(const glm::dvec3& moments) noexcept;

/// Symmetric, positive definite, and of moments that a body can have, in kg m^2; about axes of the body they may be
/// infinite.
void require_inertia(std::string_view what, const glm::dmat3& inertia);

/// Refuses an angular velocity about axes that a body does not turn about; its principal ones are turned by q.
void require_free_rotation(const BodyInertia& inertia, const glm::dquat& q, const glm::dvec3& angular_velocity);

/// Frictions 0 or more, static at least sliding; restitution from 0 to 1; resistances 0 or more.
void require_material(const Material& material);

/// Returns the unit quaternion of an orientation; one that is not finite, or too short to normalise, is refused.
glm::dquat require_orientation(std::string_view what, const glm::dquat& value);

/// What `check` returns; what it refuses begins with the name, if there is one: `The joint "knee": The ends of ...`.
template <class Check>
auto refused_by_name(std::string_view kind, const std::string& name, Check&& check) {
    try {
        return std::forward<Check>(check)();
    } catch (const std::invalid_argument& refusal) {
        if (name.empty()) {
            throw;
        }
        throw std::invalid_argument("The " + std::string(kind) + " \"" + name + "\": " + refusal.what());
    }
}

} // namespace substep::detail
