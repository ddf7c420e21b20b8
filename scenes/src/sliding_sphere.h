// A solid sphere whose slip turns while it slides, by equations of its own.
#pragma once

#include <span>

#include <glm/gtc/quaternion.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include "substep/scenes/reference_motion.h"

namespace substep::detail {

/// A solid sphere that slides, and never stops sliding, on a plane that may be shaken along itself. Its coordinates are
/// those of the plane: x, the normal y, and z; two numbers are those along x and z.
///
/// With u the slip, G what pulls it along the plane, f = mu g_n and V' what accelerates the plane:
///   v' = G - f u/|u|,  u' = G - V' - 7/2 f u/|u|,
/// where friction turns a sphere 5/2 times as fast as it brakes it (Coulomb's law, 2/5 m r^2). The rim's velocity about
/// the centre is u + V - v, so that it turns at n x (v - u - V)/r, and about the normal at a constant rate.
struct SlidingSphere {
    double radius = 0.2;              ///< r, m
    double friction_deceleration = 1; ///< f, m/s^2
    glm::dvec2 pull{0.0};             ///< G, m/s^2
    double shake_radius = 0.0;        ///< m, of the circle along which the plane is shaken, from (this, 0) on
    double shake_rate = 0.0;          ///< rad/s, from x to z
    glm::dvec2 velocity{0.0};         ///< v at t = 0, m/s
    glm::dvec2 slip{1.0, 0.0};        ///< u at t = 0, m/s, not zero
    double spin = 0.0;                ///< rad/s, about the normal

    /// Returns the angular velocity at velocity v, slip u and velocity V of the plane, rad/s.
    glm::dvec3 angular_velocity(const glm::dvec2& v, const glm::dvec2& u, const glm::dvec2& plane) const;
    /// Returns the velocity of the plane, m/s.
    glm::dvec2 plane_velocity(long double t) const;
    /// Solves up to `until` (s). On a plane at rest without pull the slip keeps its direction, and must not end before.
    ReferenceMotion motion(double until) const;
    /// A state of that motion: the way from the start, velocity, slip and orientation.
    struct State {
        glm::dvec2 way;      ///< m
        glm::dvec2 velocity; ///< m/s
        glm::dvec2 slip;     ///< m/s
        glm::dquat orientation;
    };
    static State state_of(std::span<const double> y);
};

} // namespace substep::detail
