// Pendulums on moving supports.
#include "driven_pendulums.h"

#include <cmath>
#include <numbers>

namespace substep::detail {
namespace {

constexpr long double kWholeTurn = 2.0L * std::numbers::pi_v<long double>;

// Cosine of a phase of many turns, which has its digits in long double.
double cosine_of_turns(long double phase) {
    return std::cos(static_cast<double>(phase - std::round(phase / kWholeTurn) * kWholeTurn));
}

// A sixtieth of a shake or less, s: at twice that truncation shows, 4e-11 in ten seconds at 120 rad/s.
double shaken_interval(double rate) {
    double interval = 1.0 / 256.0;
    while (60.0 * rate * interval > 2.0 * std::numbers::pi) {
        interval *= 0.5;
    }
    return interval;
}

} // namespace

double SpinningHoop::critical_rate() const { return std::sqrt(gravity / radius); }

double SpinningHoop::resting_angle() const {
    const double cosine = gravity / (radius * rate * rate);
    return cosine < 1.0 ? std::acos(cosine) : 0.0;
}

ReferenceMotion SpinningHoop::motion(double angle, double angle_rate, double until) const {
    const double moment = mass * radius * radius + inertia;
    const double spin = mass * radius * radius * rate * rate / moment;
    const double weight = mass * gravity * radius / moment;
    return ReferenceMotion(
        [=](long double, std::span<const double> y, std::span<double> dydt) {
            dydt[0] = y[1];
            dydt[1] = std::sin(y[0]) * (spin * std::cos(y[0]) - weight);
        },
        {angle, angle_rate}, until);
}

double SpinningHoop::turning_frame_energy(double angle, double angle_rate) const {
    const double moment = mass * radius * radius + inertia;
    const double swing = std::sin(angle) * radius * rate;
    return 0.5 * angle_rate * angle_rate -
           (0.5 * mass * swing * swing + mass * gravity * radius * std::cos(angle)) / moment;
}

bool ShakenPendulum::stands() const { return amplitude * amplitude * rate * rate > 2.0 * gravity * length; }

ReferenceMotion ShakenPendulum::motion(double angle, double angle_rate, double until) const {
    const double weight = gravity / length;
    const double shake = amplitude * rate * rate / length;
    return ReferenceMotion(
        [=, w = rate](long double t, std::span<const double> y, std::span<double> dydt) {
            dydt[0] = y[1];
            dydt[1] = -(weight - shake * cosine_of_turns(w * t)) * std::sin(y[0]);
        },
        {angle, angle_rate}, until, shaken_interval(rate));
}

double ShakenPendulum::slow_rate() const {
    const double speed = amplitude * rate / length;
    return std::sqrt(0.5 * speed * speed - gravity / length);
}

} // namespace substep::detail
