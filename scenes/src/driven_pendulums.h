// Pendulums on moving supports, in one angle each: on a spinning hoop, and on a shaken pivot.
#pragma once

#include "substep/scenes/reference_motion.h"

namespace substep::detail {

/// A bead on a hoop that spins about its vertical diameter at a constant rate: a body at the end of an arm whose hinge
/// turns with the hoop. Angle from hanging, rad; its reference holds (angle, rate).
///
/// (m R^2 + I) theta'' = m R^2 Omega^2 sin theta cos theta - m g R sin theta, with I the body's moment, the same about
/// every axis. Hanging is stable while Omega^2 < g/R; above, the bead rests at cos theta = g/(R Omega^2) on either
/// side: a pitchfork bifurcation (Strogatz, Nonlinear Dynamics and Chaos, 2nd ed., 3.5; Goldstein, 3rd ed.,
/// problem 2.20).
struct SpinningHoop {
    double radius = 1.0;  ///< R, m
    double rate = 5.0;    ///< Omega, rad/s
    double gravity = 9.8; ///< g, m/s^2
    double mass = 1.0;    ///< m, kg
    double inertia = 0.0; ///< I, kg m^2

    double critical_rate() const; ///< sqrt(g/R), rad/s
    double resting_angle() const; ///< rad, 0 below the critical rate
    ReferenceMotion motion(double angle, double angle_rate, double until) const;
    /// Returns the energy in the turning frame over m R^2 + I, which stays: theta'^2/2 + U(theta).
    double turning_frame_energy(double angle, double angle_rate) const;
};

/// A pendulum whose pivot moves up and down as a cos(w t). Angle from hanging, rad; its reference holds (angle, rate).
///
/// theta'' = -(g - a w^2 cos(w t))/L sin theta, L = (I + m d^2)/(m d). Upside down it is stable when
/// a^2 w^2 > 2 g L, a much smaller than L (Kapitza 1951; Landau & Lifshitz, Mechanics, section 30).
struct ShakenPendulum {
    double length = 1.0;     ///< L, m
    double amplitude = 0.05; ///< a, m
    double rate = 120.0;     ///< w, rad/s
    double gravity = 9.8;    ///< g, m/s^2

    bool stands() const; ///< by Kapitza's criterion
    ReferenceMotion motion(double angle, double angle_rate, double until) const;
    /// Returns the rate of slow swings about upside down, rad/s: sqrt(a^2 w^2/(2 L^2) - g/L).
    double slow_rate() const;
};

} // namespace substep::detail
