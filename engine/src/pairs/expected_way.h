// Where bodies are expected to go in a step.
#pragma once

#include <glm/vec3.hpp>

#include "bodies/body_step.h"
#include "bodies/body_store.h"
#include "substep/engine/pair_rule.h"

namespace substep::detail {

/// The inputs of the candidates of a step, besides the bodies.
struct SweptStep {
    double t0 = 0.0;                ///< s, where it begins
    double t1 = 0.0;                ///< s, where it ends
    double last = 0.0;              ///< s, length of the step before; 0: there was none
    glm::dvec3 gravity{0.0};        ///< m/s^2
    double length = 1.0;            ///< m, of the world
    const PairRule* rule = nullptr; ///< of the host; null: none
};

/// The acceleration that a dynamic body is expected to go on with: that of the last step, so that what rests or rolls
/// is expected to. Where that was far from what gravity and the step's own force give, a hit or a field may have been
/// at work, of which nothing is known.
glm::dvec3 expected_acceleration(const BodyRecord& body, const SweptStep& step) noexcept;

/// Writes the way of a body whose motion is prescribed.
void expect_prescribed(const BodyRecord& body, const SweptStep& step, StepPath& path) noexcept;

/// What the ball on a body's path is about, in the body's frame: what may turn is held by one about the centre of mass.
glm::dvec3 middle_of_path(const BodyRecord& body) noexcept;

/// By how much (m) a collider reaches less far than the ball of its body. The only one of a body is not measured again.
double falls_short_by(const BodyRecord& body, const ColliderDesc& collider, const StepPath& path) noexcept;

} // namespace substep::detail
