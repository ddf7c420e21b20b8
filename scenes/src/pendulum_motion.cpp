// Pendulum in closed form: libration, rotation and the separatrix between them.
#include "substep/scenes/pendulum_motion.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "substep/scenes/elliptic.h"

namespace substep {

PendulumMotion::PendulumMotion(long double natural_rate, double start_angle, double start_rate)
    : natural_rate_(natural_rate) {
    if (!std::isfinite(natural_rate) || natural_rate <= 0.0L) {
        throw std::invalid_argument("a pendulum's natural rate must be positive and finite");
    }
    if (!std::isfinite(start_angle) || !std::isfinite(start_rate)) {
        throw std::invalid_argument("a pendulum's start angle and rate must be finite");
    }

    // Work with the angle within half a turn of hanging, and with a rate that is not negative.
    constexpr long double kTurn = 2.0L * std::numbers::pi_v<long double>;
    whole_turns_ = std::round(start_angle / kTurn) * kTurn;
    direction_ = start_rate < 0.0 ? -1.0L : 1.0L;
    const long double half_angle = 0.5L * direction_ * (start_angle - whole_turns_);
    const long double half_rate = 0.5L * direction_ * start_rate / natural_rate;

    const long double s = std::sin(half_angle);
    const long double c = std::cos(half_angle);
    modulus_ = std::hypot(s, half_rate);
    complement_ = (c - half_rate) * (c + half_rate);

    // Libration: k sn = sin(theta/2), k cn = w. Rotation: am = theta/2, parameter 1/k^2.
    if (complement_ >= 0.0L) {
        phase_ = elliptic_f(std::atan2(s, half_rate), complement_);
    } else {
        phase_ = elliptic_f(half_angle, -complement_ / (modulus_ * modulus_));
    }
}

PendulumMotion::State PendulumMotion::at(double t) const {
    long double angle = 0.0L;
    long double rate = 0.0L;
    if (complement_ >= 0.0L) {
        // sin(theta/2) = k sn and cos(theta/2) = dn, both, so that theta keeps its digits near the top.
        const JacobiFunctions f = jacobi(natural_rate_ * t + phase_, complement_);
        angle = 2.0L * std::atan2(modulus_ * f.sn, f.dn);
        rate = 2.0L * modulus_ * natural_rate_ * f.cn;
    } else {
        // theta = 2 am(Omega0 k t + phase | 1/k^2), theta' = 2 Omega0 k dn.
        const long double argument_rate = modulus_ * natural_rate_;
        const JacobiFunctions f = jacobi(argument_rate * t + phase_, -complement_ / (modulus_ * modulus_));
        angle = 2.0L * f.am;
        rate = 2.0L * argument_rate * f.dn;
    }
    return {static_cast<double>(direction_ * angle + whole_turns_), static_cast<double>(direction_ * rate)};
}

PendulumMotion::Kind PendulumMotion::kind() const noexcept {
    return complement_ > 0.0L ? Kind::Libration : complement_ < 0.0L ? Kind::Rotation : Kind::Separatrix;
}

double PendulumMotion::period() const {
    if (complement_ == 0.0L) {
        return std::numeric_limits<double>::infinity();
    }
    // 4 K(k)/Omega0 for a swing, 2 K(1/k)/(k Omega0) for a turn.
    return complement_ > 0.0L ? static_cast<double>(4.0L * elliptic_k(complement_) / natural_rate_)
                              : static_cast<double>(2.0L * elliptic_k(-complement_ / (modulus_ * modulus_)) /
                                                    (modulus_ * natural_rate_));
}

} // namespace substep
