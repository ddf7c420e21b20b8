// The exact motion of a symmetric top in a uniform field: Lagrange's top, a spherical pendulum, a magnet that spins.
#pragma once

#include <memory>

#include "substep/collision/glm_types.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// What a symmetric top is and how it starts: at rest in nutation, that is, at a turning point of its tilt.
struct SymmetricTopDesc {
    double transverse_inertia =
        1.0;                    ///< kg m^2, about any axis through the fixed point at right angles to the top's own
    double axial_inertia = 1.0; ///< kg m^2, about the top's own axis
    double moment = 1.0;        ///< J, positive: the potential energy is moment x cos(tilt); m g l for a heavy top
    double tilt = 0.5;          ///< rad, between the top's axis and the vertical, inside (0, pi)
    double spin = 0.0;          ///< rad/s, component of the angular velocity along the top's own axis; constant
    double precession = 0.0;    ///< rad/s, of the axis about the vertical, at the start
};

/// A symmetric top about a fixed point under a moment that depends on its tilt alone, in closed form (Landau &
/// Lifshitz, Mechanics, section 35, problem 1; Goldstein, Classical Mechanics, 5.7; Whittaker, Analytical Dynamics,
/// section 71).
///
/// With u = cos(tilt), a = I3 w3/I1, b = p_phi/I1, beta = 2 moment/I1 the tilt moves between two roots of the cubic
/// u'^2 = (alpha - beta u)(1 - u^2) - (b - a u)^2, u1 <= u2 <= 1 <= u3:
/// u = u1 + (u2 - u1) sn^2(sqrt(beta (u3 - u1))/2 t | m), m = (u2 - u1)/(u3 - u1). The start is one of the roots, so
/// the others follow from a quadratic in u - cos(tilt0), where nothing cancels. The Euler angles phi and psi
/// (precession, spin) follow by quadrature of sum and difference, (phi + psi)' = w3 + (b - a u)/(1 + u), (phi - psi)' =
/// -w3 + (b - a u)/(1 - u), which stay regular where phi and psi do not, and are all that the quaternion needs
/// (Cayley-Klein parameters).
///
/// The vertical is y, the top's own axis is the body's y, and at phi = psi = 0 the axis leans towards +z:
/// orientation = Ry(phi) Rx(tilt) Ry(psi).
class SymmetricTop {
public:
    /// Throws std::invalid_argument for values outside the ranges above, and for a motion that passes through the
    /// vertical, where the angles jump.
    explicit SymmetricTop(const SymmetricTopDesc& desc);

    struct State {
        glm::dquat orientation = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< body to world, unit
        double tilt = 0.0;                                               ///< rad
        double precession = 0.0;                                         ///< rad, phi: grows without bound
    };

    /// Returns the state at time t >= 0 (s).
    State at(double t) const;

    /// Returns the angular velocity at the start, world axes, rad/s.
    glm::dvec3 start_angular_velocity() const;

    double nutation_period() const noexcept; ///< s, of the tilt; of vanishing nutation where the precession is steady
    double least_tilt() const noexcept;      ///< rad
    double largest_tilt() const noexcept;    ///< rad

private:
    struct Motion;
    std::shared_ptr<const Motion> motion_;
};

/// Torque-free rotation of a symmetric body about its centre of mass: with the axis along the body's y,
/// q(t) = exp(L t/(2 I1)) q0 exp(e (1 - I3/I1) w3 t/2), a turn about the fixed angular momentum after one about the
/// body's own axis (Landau & Lifshitz, Mechanics, section 33).
glm::dquat free_symmetric_top(double transverse_inertia, double axial_inertia, const glm::dquat& orientation,
                              const glm::dvec3& angular_velocity, double t);

} // namespace substep

#pragma GCC visibility pop
