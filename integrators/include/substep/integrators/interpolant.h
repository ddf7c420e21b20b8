// Dense output: the state anywhere inside the last substep.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "substep/integrators/ode_system.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

/// The polynomial through both ends of a substep with their derivatives (cubic Hermite), and up to four terms of higher
/// degree that leave the ends and their slopes alone.
///
/// With s = theta in [0, 1] and r = 1 - s, in the nested form of Hairer, Norsett & Wanner I, II.6:
///
///     y = y0 + s (D + r (A + s (B + r (q0 + s (q1 + r (q2 + s q3))))))
///
/// where D = y1 - y0, A = h f0 - D, B = D - h f1 - A. Term q0 multiplies s^2 r^2: with it alone this is a quartic. The
/// terms are the method's (IntegrationMethod::extend_interpolant), or `raise_order`'s. Memory is sized once, by
/// `resize`.
class Interpolant {
public:
    static constexpr std::size_t kMaxTerms = 4;

    void resize(std::size_t n);

    /// Takes over a substep from t0 of length h (negative when time runs backwards): states and derivatives at its
    /// ends, of n components each. No terms.
    void set(double t0, double h, std::span<const double> y0, std::span<const double> f0, std::span<const double> y1,
             std::span<const double> f1) noexcept;

    /// Makes term q_j of n components writable; `terms` of them count from now on.
    void set_terms(std::size_t terms) noexcept;
    std::span<double> term(std::size_t j) noexcept { return {coefficients_.data() + (4 + j) * n_, n_}; }

    /// Raises the cubic to a quartic by one evaluation.
    ///
    /// The cubic misses a smooth solution by y'''' h^4 s^2 r^2 / 24. An evaluation at an inner point s* of the cubic
    /// measures that term through its slope 2 s r (1 - 2 s) q0. The slope vanishes at the middle, where the equation
    /// would be singular; it is largest at s* = (1 - 1/sqrt 3)/2. The local error is then O(h^5).
    void raise_order(OdeSystem& system);

    /// Writes the polynomial at time t to `y`; t is clamped to the substep.
    void evaluate(double t, std::span<double> y) const noexcept;

    /// Writes y.size() components from `first` on at time t, with the bits of `evaluate`, and their rates (1/s).
    void follow(double t, std::size_t first, std::span<double> y, std::span<double> rates) const noexcept;

    // For bounds along the whole substep. The rate of a sum of components is at most the sum of the sizes of its
    // coefficients, times `steepest` each, over `length`; its second derivative that by `sharpest`, over length^2.

    /// The most that the first and second derivative of each term are for s in [0, 1]: D, A, B, q0 to q3.
    static constexpr std::array<double, 3 + kMaxTerms> kSteepest{1.0, 1.0, 1.0, 0.1925, 0.1356, 0.0537, 0.0336};
    static constexpr std::array<double, 3 + kMaxTerms> kSharpest{0.0, 2.0, 4.0, 2.0, 2.0, 0.375, 0.2426};
    /// Coefficients that may not be zero.
    std::size_t order() const noexcept { return 3 + terms_; }
    /// Coefficient k (D first) of all components.
    std::span<const double> coefficients(std::size_t k) const noexcept {
        return {coefficients_.data() + (1 + k) * n_, n_};
    }
    double begin() const noexcept { return t0_; } ///< s
    double length() const noexcept { return h_; } ///< s, negative when time runs backwards

    bool is_set() const noexcept { return set_; }
    void clear() noexcept { set_ = false; }

private:
    void evaluate_at(double theta, std::span<double> y) const noexcept;
    template <std::size_t kTerms>
    void nested_sum(double theta, std::span<double> y) const noexcept;

    std::size_t n_ = 0;
    std::size_t terms_ = 0;
    double t0_ = 0.0;
    double h_ = 0.0;
    double inverse_h_ = 0.0;
    bool set_ = false;
    std::vector<double> coefficients_; ///< y0, D, A, B, q0 to q3, then scratch
};

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
