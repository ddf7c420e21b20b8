// Integrals of smooth periodic functions, for the angles that closed forms leave as a quadrature.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// Gauss-Legendre quadrature with twelve nodes: exact for polynomials of degree 23.
class GaussLegendre {
public:
    /// Integrates f over [from, to].
    template <class Function>
    static long double integrate(const Function& f, long double from, long double to) {
        static const GaussLegendre rule;
        const long double middle = 0.5L * (from + to);
        const long double half = 0.5L * (to - from);
        long double sum = 0.0L;
        for (int i = 0; i < kHalfNodes; ++i) {
            sum += rule.weight_[i] * (f(middle - half * rule.node_[i]) + f(middle + half * rule.node_[i]));
        }
        return half * sum;
    }

private:
    // Nodes and weights on [-1, 1], positive half, by Newton's method on the Legendre polynomial.
    GaussLegendre() {
        constexpr int n = 2 * kHalfNodes;
        for (int i = 0; i < kHalfNodes; ++i) {
            long double x = std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (n + 0.5L));
            long double slope = 0.0L;
            for (int iteration = 0; iteration < 8; ++iteration) {
                // P_n by its recurrence, P_n' = n (x P_n - P_(n-1)) / (x^2 - 1).
                long double previous = 1.0L;
                long double p = x;
                for (int j = 2; j <= n; ++j) {
                    const long double next = ((2 * j - 1) * x * p - (j - 1) * previous) / j;
                    previous = p;
                    p = next;
                }
                slope = n * (x * p - previous) / (x * x - 1.0L);
                x -= p / slope;
            }
            node_[i] = x;
            weight_[i] = 2.0L / ((1.0L - x * x) * slope * slope);
        }
    }

    static constexpr int kHalfNodes = 6;
    std::array<long double, kHalfNodes> node_{};
    std::array<long double, kHalfNodes> weight_{};
};

/// The integral from 0 to u of a function with a period, kept panel by panel over one period. The function is given
/// anew to each call, and must be the same.
class PeriodicIntegral {
public:
    PeriodicIntegral() = default;

    /// Integrates once over [0, period]. Panels are halved until twelve nodes on a panel and on its halves agree to the
    /// last digits of long double, or as well as the function's own round-off lets them: where it has a pole near the
    /// real axis they become short.
    template <class Function>
    PeriodicIntegral(const Function& f, long double period) : period_(period) {
        constexpr int kFirstPanels = 8;
        for (int i = 0; i < kFirstPanels; ++i) {
            add_panel(f, period * i / kFirstPanels, period * (i + 1) / kFirstPanels, 0,
                      std::numeric_limits<long double>::infinity());
        }
    }

    /// Returns the integral from 0 to u, for any u: whole periods, whole panels, and a part of a panel.
    template <class Function>
    long double at(const Function& f, long double u) const {
        const long double periods = std::floor(u / period_);
        const long double rest = std::clamp(u - periods * period_, 0.0L, period_); // rounding may leave the period
        const auto after = std::upper_bound(start_.begin() + 1, start_.end() - 1, rest);
        const auto panel = static_cast<std::size_t>(after - start_.begin()) - 1;
        return periods * sum_.back() + sum_[panel] + GaussLegendre::integrate(f, start_[panel], rest);
    }

private:
    template <class Function>
    void add_panel(const Function& f, long double from, long double to, int depth, long double difference_before) {
        constexpr long double kLastDigits = 1e-17L;
        constexpr long double kFewDigits = 1e-9L; // nearer than that halving mends all but round-off
        constexpr int kDeepest = 24;
        const long double middle = 0.5L * (from + to);
        const long double whole = GaussLegendre::integrate(f, from, to);
        const long double halves = GaussLegendre::integrate(f, from, middle) + GaussLegendre::integrate(f, middle, to);
        const long double difference = std::abs(whole - halves);
        const long double size = 1.0L + std::abs(halves);
        const bool is_round_off = difference < kFewDigits * size && difference > 0.25L * difference_before;
        if (difference > kLastDigits * size && !is_round_off && depth < kDeepest) {
            add_panel(f, from, middle, depth + 1, difference);
            add_panel(f, middle, to, depth + 1, difference);
            return;
        }
        start_.push_back(to);
        sum_.push_back(sum_.back() + halves);
    }

    long double period_ = 1.0L;
    std::vector<long double> start_{0.0L}; // of each panel; the last is the period
    std::vector<long double> sum_{0.0L};   // the integral up to there
};

} // namespace substep::detail

#pragma GCC visibility pop
