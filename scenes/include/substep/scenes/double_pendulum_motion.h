// A planar double pendulum by Lagrange's equations in two angles: a formulation that shares nothing with World.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "substep/integrators/ode_system.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// One link of a planar pendulum.
struct PendulumLink {
    double mass = 1.0;    ///< kg
    double inertia = 0.0; ///< kg m^2, about the centre of mass
    double centre = 1.0;  ///< m, from the link's upper hinge to its centre of mass
    double length = 1.0;  ///< m, from the link's upper hinge to the next one
};

/// y = (theta1, theta2, omega1, omega2): angles from hanging (rad) and rates (rad/s).
///
/// With D = theta1 - theta2, A = I1 + m1 c1^2 + m2 l1^2, B = m2 l1 c2, C = I2 + m2 c2^2:
///     A theta1'' + B cos D theta2'' = -B sin D omega2^2 - (m1 c1 + m2 l1) g sin theta1
///     B cos D theta1'' + C theta2'' =  B sin D omega1^2 - m2 c2 g sin theta2
/// from L = (A omega1^2 + C omega2^2)/2 + B omega1 omega2 cos D + (m1 c1 + m2 l1) g cos theta1 + m2 c2 g cos theta2.
class DoublePendulumMotion final : public OdeSystem {
public:
    /// gravity in m/s^2. Throws std::invalid_argument unless masses and lengths are positive, inertias not negative.
    DoublePendulumMotion(const PendulumLink& first, const PendulumLink& second, double gravity);

    std::size_t size() const noexcept override { return 4; }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) noexcept override;

    /// Returns kinetic plus potential energy in J; zero when both links are horizontal and at rest.
    double energy(std::span<const double> y) const noexcept;

    using State = std::array<double, 4>;

    /// Returns the states at `count` >= 1 times 0, interval, 2 interval ... (s), advanced from `start` by the
    /// integrator service with cash_karp54. Rounding is compensated, so tolerances down to 1e-18 still mean something.
    /// Throws std::runtime_error if the service stops on the way.
    std::vector<State> solve(const State& start, double interval, std::size_t count, double tolerance);

    /// Returns the state at time t >= 0 from a table of states every `interval`: the node before t, and a short
    /// integration from there. Past the last node the last node serves.
    State between(std::span<const State> nodes, double interval, double t);

private:
    double first_inertia_;  // A
    double coupling_;       // B
    double second_inertia_; // C
    double first_weight_;   // (m1 c1 + m2 l1) g
    double second_weight_;  // m2 c2 g
};

} // namespace substep

#pragma GCC visibility pop
