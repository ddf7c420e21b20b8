// The exact motion of a damped oscillator driven by a harmonic force.
#pragma once

namespace substep::detail {

/// x'' + 2 gamma x' + Omega0^2 x = a cos(w t).
struct OscillatorDesc {
    double natural_rate = 1.0; ///< Omega0, rad/s, positive: sqrt(k/m)
    double damping = 0.0;      ///< gamma, 1/s, not negative: c/(2 m)
    double drive = 0.0;        ///< a, m/s^2 (rad/s^2 for an angle): F0/m
    double drive_rate = 0.0;   ///< w, rad/s
    double drive_phase = 0.0;  ///< rad, added to w t
    double start = 0.0;        ///< x at t = 0
    double start_rate = 0.0;   ///< x' at t = 0
};

/// Closed form of the above for any damping: below, at and above the critical one, and undriven, driven, or driven
/// without damping at resonance, where the amplitude grows without end.
///
/// The steady motion is x = Re(X e^(i w t)), X = a / (Omega0^2 - w^2 + 2 i gamma w) (Landau & Lifshitz, Mechanics,
/// section 26); undamped resonance has x = a t sin(w t)/(2 w) instead (section 22). To it comes e^(-gamma t) times
/// x0 C + (x0' + gamma x0) S of what the start has besides, with s = gamma^2 - Omega0^2, C = cosh(sqrt(s) t) and
/// S = sinh(sqrt(s) t)/sqrt(s), for negative s cosine and sine, for zero 1 and t (section 25).
class LinearOscillator {
public:
    /// Throws std::invalid_argument for values that are not finite, a rate that is not positive, negative damping.
    explicit LinearOscillator(const OscillatorDesc& desc);

    struct State {
        double position = 0.0;
        double rate = 0.0;
    };

    /// Returns x and x' at time t >= 0 (s).
    State at(double t) const;

    /// Returns |X| of the steady motion; infinity at undamped resonance.
    double steady_amplitude() const;

private:
    struct Precise {
        long double position = 0.0L;
        long double rate = 0.0L;
    };
    Precise steady(long double t) const;

    OscillatorDesc desc_;
    bool resonant_ = false;     // undamped and driven at its own rate
    long double cosine_ = 0.0L; // the steady motion is cosine_ cos(w t + phase) + sine_ sin(w t + phase)
    long double sine_ = 0.0L;
    Precise free_start_; // of the motion besides the steady one
};

} // namespace substep::detail
