// The exact motion of a pendulum: theta'' = -Omega0^2 sin theta, from any start.
#pragma once

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Closed-form solution in Jacobi's elliptic functions.
///
/// With w = omega/(2 Omega0), k^2 = sin^2(theta/2) + w^2 is conserved, and k'^2 = 1 - k^2 is formed as
/// (cos(theta/2) - w)(cos(theta/2) + w). k'^2 > 0 is libration, < 0 rotation, 0 the separatrix between them.
/// Valid from any angle and rate; a start at rest at the bottom, or balanced at the top, stays there.
class PendulumMotion {
public:
    enum class Kind {
        Libration, ///< swings to and fro
        Rotation,  ///< goes over the top, always the same way
        Separatrix ///< reaches the top after infinite time
    };

    /// natural_rate: Omega0 = sqrt(g/L) in rad/s, positive; for a body of finite size sqrt(m g d / (I_c + m d^2)).
    /// start_angle (rad, from hanging, any multiple of turns) and start_rate (rad/s) belong to t = 0. Throws
    /// std::invalid_argument for values that are not finite or a rate that is not positive.
    PendulumMotion(long double natural_rate, double start_angle, double start_rate);

    struct State {
        double angle = 0.0; ///< rad, from hanging, unwrapped
        double rate = 0.0;  ///< rad/s
    };

    /// Returns angle and rate at time t (s).
    State at(double t) const;

    Kind kind() const noexcept;

    /// Returns the time of one full swing or one full turn in s; infinity on the separatrix.
    double period() const;

private:
    long double natural_rate_;
    long double direction_;   // -1 mirrors the motion, so that the rate at t = 0 is never negative
    long double whole_turns_; // rad, of the start angle
    long double modulus_;     // k = sin(largest angle / 2), or rate at the bottom / (2 Omega0) in rotation
    long double complement_;  // k'^2
    long double phase_;       // argument of the elliptic functions at t = 0
};

} // namespace substep

#pragma GCC visibility pop
