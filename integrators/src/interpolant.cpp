// The nested polynomial of dense output.
#include "substep/integrators/interpolant.h"

#include <algorithm>

#include "substep/numerics/pack.h"

namespace substep {

namespace {

/// (1 - 1/sqrt 3)/2, where 2 theta (1 - theta)(1 - 2 theta) is largest, and that maximum, 1/(3 sqrt 3).
constexpr double kInnerPoint = 0.21132486540518711775;
constexpr double kInnerSlope = 0.19245008972987525484;

/// A number and its derivative by theta.
struct Dual {
    double value = 0.0;
    double slope = 0.0;

    friend Dual operator+(const Dual& a, const Dual& b) noexcept { return {a.value + b.value, a.slope + b.slope}; }
    friend Dual operator*(const Dual& a, const Dual& b) noexcept {
        return {a.value * b.value, a.slope * b.value + a.value * b.slope};
    }
};

// Horner's scheme from the innermost term outwards; its factors are theta and 1 - theta in turn.
template <std::size_t kTerms, class Scalar, class Coefficient>
Scalar nested_sum_of(const Scalar& theta, const Scalar& rest, const Coefficient& c) noexcept {
    constexpr std::size_t kMost = Interpolant::kMaxTerms;
    static_assert(kMost == 4 && (kTerms == 0 || kTerms == 1 || kTerms == kMost));
    Scalar inner = c(3);
    if constexpr (kTerms == kMost) {
        inner = inner + rest * (c(4) + theta * (c(5) + rest * (c(6) + theta * c(7))));
    } else if constexpr (kTerms == 1) {
        inner = inner + rest * c(4);
    }
    return c(0) + theta * (c(1) + rest * (c(2) + theta * inner));
}

} // namespace

void Interpolant::resize(std::size_t n) {
    n_ = n;
    coefficients_.assign((4 + kMaxTerms + 2) * n, 0.0);
    terms_ = 0;
    set_ = false;
}

void Interpolant::set(double t0, double h, std::span<const double> y0, std::span<const double> f0,
                      std::span<const double> y1, std::span<const double> f1) noexcept {
    t0_ = t0;
    h_ = h;
    inverse_h_ = 1.0 / h;
    terms_ = 0;
    set_ = true;
    double* const c = coefficients_.data();
    for (std::size_t i = 0; i < n_; ++i) {
        const double rise = y1[i] - y0[i];
        const double bend = h * f0[i] - rise;
        c[i] = y0[i];
        c[n_ + i] = rise;
        c[2 * n_ + i] = bend;
        c[3 * n_ + i] = rise - h * f1[i] - bend;
    }
}

void Interpolant::set_terms(std::size_t terms) noexcept {
    terms_ = terms;
    std::fill(coefficients_.begin() + static_cast<std::ptrdiff_t>((4 + terms) * n_),
              coefficients_.begin() + static_cast<std::ptrdiff_t>((4 + kMaxTerms) * n_), 0.0);
}

void Interpolant::raise_order(OdeSystem& system) {
    const std::span<double> inner(coefficients_.data() + (4 + kMaxTerms) * n_, n_);
    const std::span<double> slope(inner.data() + n_, n_);
    evaluate_at(kInnerPoint, inner);
    system.derivative(t0_ + kInnerPoint * h_, inner, slope);

    // q0 = (h f(theta*) - slope of the cubic) / slope of theta^2 (1 - theta)^2.
    constexpr double kRest = 1.0 - kInnerPoint;
    const double* const c = coefficients_.data();
    const std::span<double> q0 = term(0);
    for (std::size_t i = 0; i < n_; ++i) {
        const double cubic_slope = c[n_ + i] + (kRest - kInnerPoint) * c[2 * n_ + i] +
                                   kInnerPoint * (kRest + kRest - kInnerPoint) * c[3 * n_ + i];
        q0[i] = (h_ * slope[i] - cubic_slope) / kInnerSlope;
    }
    terms_ = 1;
}

void Interpolant::evaluate(double t, std::span<double> y) const noexcept {
    evaluate_at(std::clamp((t - t0_) * inverse_h_, 0.0, 1.0), y);
}

void Interpolant::follow(double t, std::size_t first, std::span<double> y, std::span<double> rates) const noexcept {
    const double at = std::clamp((t - t0_) * inverse_h_, 0.0, 1.0);
    const Dual theta{at, 1.0};
    const Dual rest{1.0 - at, -1.0};
    for (std::size_t e = 0; e < y.size(); ++e) {
        const double* const c = coefficients_.data() + first + e;
        const auto term = [&](std::size_t k) { return Dual{c[k * n_], 0.0}; };
        const Dual sum = terms_ == 0   ? nested_sum_of<0>(theta, rest, term)
                         : terms_ == 1 ? nested_sum_of<1>(theta, rest, term)
                                       : nested_sum_of<kMaxTerms>(theta, rest, term);
        y[e] = sum.value;
        rates[e] = sum.slope * inverse_h_;
    }
}

void Interpolant::evaluate_at(double theta, std::span<double> y) const noexcept {
    switch (terms_) {
    case 0:
        return nested_sum<0>(theta, y);
    case 1:
        return nested_sum<1>(theta, y);
    default:
        return nested_sum<kMaxTerms>(theta, y);
    }
}

// Two components at a time, with the same bits. The number of terms is a constant, so that components are a loop
// without branches: 5 against 13 ns a sample of two components.
template <std::size_t kTerms>
void Interpolant::nested_sum(double theta, std::span<double> y) const noexcept {
    const std::size_t n = n_;
    const double* const c = coefficients_.data();
    std::size_t e = 0;
    for (; e + 1 < n; e += 2) {
        const double* const pair = c + e;
        const auto at = [&](std::size_t term) { return Pack<2>::load(pair + term * n); };
        nested_sum_of<kTerms>(Pack<2>(theta), Pack<2>(1.0 - theta), at).store(y.data() + e);
    }
    for (; e < n; ++e) {
        y[e] = nested_sum_of<kTerms>(theta, 1.0 - theta, [&](std::size_t term) { return c[term * n + e]; });
    }
}

} // namespace substep
