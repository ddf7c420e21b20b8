// Cubic Hermite interpolation of a substep, and its extension to fourth order.
#include "substep/integrators/interpolant.h"

#include <algorithm>

namespace substep {

namespace {

/// (1 - 1/sqrt 3)/2, where 2 theta (1 - theta)(1 - 2 theta) is largest, and that maximum, 1/(3 sqrt 3).
constexpr double kInnerPoint = 0.21132486540518711775;
constexpr double kInnerSlope = 0.19245008972987525484;

} // namespace

void Interpolant::resize(std::size_t n) {
    n_ = n;
    coefficients_.assign(7 * n, 0.0);
    set_ = false;
}

void Interpolant::set(double t0, double h, std::span<const double> y0, std::span<const double> f0,
                      std::span<const double> y1, std::span<const double> f1) noexcept {
    t0_ = t0;
    h_ = h;
    set_ = true;
    double* const c = coefficients_.data();
    for (std::size_t i = 0; i < n_; ++i) {
        const double rise = y1[i] - y0[i];
        const double s0 = h * f0[i];
        const double s1 = h * f1[i];
        c[i] = y0[i];
        c[n_ + i] = s0;
        c[2 * n_ + i] = 3.0 * rise - 2.0 * s0 - s1;
        c[3 * n_ + i] = s0 + s1 - 2.0 * rise;
        c[4 * n_ + i] = 0.0;
    }
}

void Interpolant::raise_order(OdeSystem& system) noexcept {
    double* const c = coefficients_.data();
    const std::span<double> inner(c + 5 * n_, n_);
    const std::span<double> slope(c + 6 * n_, n_);
    evaluate_at(kInnerPoint, inner);
    system.derivative(t0_ + kInnerPoint * h_, inner, slope);

    // q = (h f(theta*) - slope of the cubic) / slope of theta^2 (1 - theta)^2, spread over theta^2, theta^3, theta^4.
    for (std::size_t i = 0; i < n_; ++i) {
        const double cubic_slope = c[n_ + i] + kInnerPoint * (2.0 * c[2 * n_ + i] + kInnerPoint * 3.0 * c[3 * n_ + i]);
        const double q = (h_ * slope[i] - cubic_slope) / kInnerSlope;
        c[2 * n_ + i] += q;
        c[3 * n_ + i] -= 2.0 * q;
        c[4 * n_ + i] += q;
    }
}

void Interpolant::evaluate(double t, std::span<double> y) const noexcept {
    evaluate_at(std::clamp((t - t0_) / h_, 0.0, 1.0), y);
}

void Interpolant::evaluate_at(double theta, std::span<double> y) const noexcept {
    const double* const c = coefficients_.data();
    for (std::size_t i = 0; i < n_; ++i) {
        y[i] = c[i] + theta * (c[n_ + i] + theta * (c[2 * n_ + i] + theta * (c[3 * n_ + i] + theta * c[4 * n_ + i])));
    }
}

} // namespace substep
