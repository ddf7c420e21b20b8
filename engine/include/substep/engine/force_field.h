// Forces that follow from time and state alone.
#pragma once

#include <cstdint>

#include "substep/engine/body.h"

namespace substep {

/// What a force may depend on.
struct BodyMotion {
    BodyId id;
    double mass = 0.0;                          ///< kg
    glm::dvec3 position{0.0};                   ///< m, centre of mass
    glm::dquat orientation{1.0, 0.0, 0.0, 0.0}; ///< body to world
    glm::dvec3 velocity{0.0};                   ///< m/s, of the centre of mass
    glm::dvec3 angular_velocity{0.0};           ///< rad/s, world axes
};

/// Adds a force and a torque to every dynamic body, as a pure function of (t, state): called at trial states, several
/// times per substep. A force that is computed once per frame and then held makes every method first order.
class ForceField {
public:
    virtual ~ForceField() = default;

    /// Returns force and torque on `body` at time t (s). Must be pure, and must not allocate.
    virtual Wrench at(double t, const BodyMotion& body) const noexcept = 0;

    /// Returns the potential energy (J) whose negative gradient `at` is; 0 for a field without one.
    virtual double potential(double, const BodyMotion&) const noexcept { return 0.0; }
};

} // namespace substep
