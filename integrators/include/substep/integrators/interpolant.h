// Dense output: the state anywhere inside the last substep.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "substep/integrators/ode_system.h"

namespace substep {

/// The polynomial through both ends of a substep with their derivatives (cubic Hermite), raised to fourth order where
/// the method deserves it.
///
/// With theta in [0, 1] the cubic misses a smooth solution by y'''' h^4 theta^2 (1 - theta)^2 / 24. One evaluation at
/// an inner point theta* of the cubic measures that term, p = cubic + q theta^2 (1 - theta)^2, through its derivative
/// 2 theta (1 - theta)(1 - 2 theta) q. The derivative vanishes at the middle, where the system would be singular; it is
/// largest at theta* = (1 - 1/sqrt 3)/2. The local error is then O(h^5).
/// Memory is sized once, by `resize`.
class Interpolant {
public:
    void resize(std::size_t n);

    /// Takes over a substep from t0 of length h: states and derivatives at its ends, of n components each.
    void set(double t0, double h, std::span<const double> y0, std::span<const double> f0, std::span<const double> y1,
             std::span<const double> f1) noexcept;

    /// Raises the cubic to the quartic. One evaluation.
    void raise_order(OdeSystem& system) noexcept;

    /// Writes the polynomial at time t to `y`.
    void evaluate(double t, std::span<double> y) const noexcept;

    bool is_set() const noexcept { return set_; }
    void clear() noexcept { set_ = false; }

private:
    void evaluate_at(double theta, std::span<double> y) const noexcept;

    std::size_t n_ = 0;
    double t0_ = 0.0;
    double h_ = 0.0;
    bool set_ = false;
    std::vector<double> coefficients_; ///< y0, h f0, and those of theta^2, theta^3, theta^4; then scratch
};

} // namespace substep
