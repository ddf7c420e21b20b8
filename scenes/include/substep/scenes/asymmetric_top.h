// The exact motion of a free body with three different moments of inertia.
#pragma once

#include "substep/collision/glm_types.h"
#include "substep/scenes/periodic_integral.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Torque-free rotation in closed form: Jacobi's elliptic functions for the rates (Landau & Lifshitz, Mechanics,
/// section 37), one quadrature for the orientation.
///
/// The angular momentum L is fixed in the world. A(b), the smallest rotation from b = I omega / L to the third axis,
/// brings it to the same direction in the body at all times; what remains is a turn psi about it:
/// q(t) = q0 A(b0)* exp(e3 psi/2) A(b(t)), psi' = (2T + L w3)/(L + I3 w3). psi' is smooth and periodic, and is
/// integrated by Gauss-Legendre quadrature to the precision of long double.
class AsymmetricTop {
public:
    /// inertia: principal moments in kg m^2, strictly increasing and positive. rates: start rates about the body's
    /// axes, rad/s. orientation: body to world at t = 0. Throws std::invalid_argument for other values, for a body at
    /// rest, and on the separatrix L^2 = 2 T I2 (which includes pure rotation about the middle axis), where the motion
    /// has no period.
    AsymmetricTop(const glm::dvec3& inertia, const glm::dvec3& rates, const glm::dquat& orientation);

    struct State {
        glm::dvec3 rates{0.0};                                           ///< rad/s, about the body's axes
        glm::dquat orientation = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< body to world, unit
    };

    /// Returns rates and orientation at time t >= 0 (s).
    State at(double t) const;

    /// Returns the time in which the rates repeat, s.
    double period() const noexcept;

private:
    using Vector = glm::vec<3, long double>;
    using Quaternion = glm::qua<long double>;

    Vector rates(long double u) const;
    Quaternion alignment(const Vector& rates) const;
    long double turn_rate(long double u) const;
    long double turn(long double u) const;

    Quaternion to_working_; // body axes to working axes: the third is the one that L circles about, with w3 > 0
    Vector inertia_;        // about the working axes; increasing or decreasing
    Vector amplitude_;      // of the three rates, signed
    long double argument_rate_ = 0.0L;       // p: elliptic argument per second
    long double complement_ = 1.0L;          // m1 = 1 - m
    long double half_period_ = 0.0L;         // 2 K(m): the turn's rate repeats after it
    long double start_ = 0.0L;               // elliptic argument at t = 0
    long double twice_energy_ = 0.0L;        // 2T, J
    long double momentum_ = 0.0L;            // L, kg m^2/s
    detail::PeriodicIntegral turn_integral_; // psi from u = 0
    long double start_turn_ = 0.0L;          // psi from u = 0 to start_
    Quaternion start_frame_;                 // q0 A(b0)*
};

} // namespace substep

#pragma GCC visibility pop
