// Coefficients of explicit Runge-Kutta methods, checked at compile time against Butcher's order conditions.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace substep {

/// Coefficients of an explicit Runge-Kutta method of S stages:
///
///     k_i = f(t + c_i h, y + h sum_j a_ij k_j),  y1 = y + h sum_i b_i k_i,  error = h sum_i b_error_i k_i
///
/// b is the row that is propagated; b_error is b minus the embedded row, all zero for a method without estimate.
template <std::size_t S>
struct ButcherTableau {
    static constexpr std::size_t kStages = S;
    std::array<std::array<double, S>, S> a{}; ///< strictly lower triangular
    std::array<double, S> b{};
    std::array<double, S> c{};
    std::array<double, S> b_error{};

    constexpr bool has_error_estimate() const {
        for (const double weight : b_error) {
            if (weight != 0.0) {
                return true;
            }
        }
        return false;
    }

    /// The embedded row b - b_error.
    constexpr std::array<double, S> b_embedded() const {
        std::array<double, S> row{};
        for (std::size_t i = 0; i < S; ++i) {
            row[i] = b[i] - b_error[i];
        }
        return row;
    }
};

namespace detail {

/// Coefficients are quotients rounded to double; sums of a dozen of them agree to this.
inline constexpr double kTableauRoundOff = 4e-14;

constexpr bool agrees(double x, double y) { return x - y < kTableauRoundOff && y - x < kTableauRoundOff; }

/// A rooted tree with its density gamma and elementary weights Phi_i (Hairer, Norsett & Wanner I, II.2).
template <std::size_t S>
struct RootedTree {
    double gamma = 1.0;
    std::array<double, S> phi{};
};

} // namespace detail

/// Checks what every tableau must satisfy: explicit, row sums equal to c, sum b = 1, sum b_error = 0.
template <std::size_t S>
constexpr bool is_consistent(const ButcherTableau<S>& tableau) {
    double sum_b = 0.0;
    double sum_error = 0.0;
    for (std::size_t i = 0; i < S; ++i) {
        double row = 0.0;
        for (std::size_t j = 0; j < S; ++j) {
            if (j >= i && tableau.a[i][j] != 0.0) {
                return false;
            }
            row += tableau.a[i][j];
        }
        if (!detail::agrees(row, tableau.c[i])) {
            return false;
        }
        sum_b += tableau.b[i];
        sum_error += tableau.b_error[i];
    }
    return detail::agrees(sum_b, 1.0) && detail::agrees(sum_error, 0.0);
}

/// Returns the order of the method that propagates with `weights`, up to `limit`: the largest p such that
/// sum_i weights_i Phi_i(tree) = 1 / gamma(tree) for every rooted tree of at most p nodes.
///
/// Trees of n nodes are made as Butcher products u * v (v grafted onto the root of u), for which
/// Phi_i(u * v) = Phi_i(u) sum_j a_ij Phi_j(v) and gamma(u * v) = gamma(u) gamma(v) (|u| + |v|) / |u|.
/// A tree may appear more than once, which repeats its condition and harms nothing.
template <std::size_t S>
constexpr int order_of(const ButcherTableau<S>& tableau, const std::array<double, S>& weights, int limit) {
    std::vector<std::vector<detail::RootedTree<S>>> trees(static_cast<std::size_t>(limit) + 1);
    detail::RootedTree<S> single;
    single.phi.fill(1.0);
    trees[1].push_back(single);
    for (std::size_t n = 1; n <= static_cast<std::size_t>(limit); ++n) {
        for (std::size_t left = 1; left < n; ++left) {
            for (const auto& u : trees[left]) {
                for (const auto& v : trees[n - left]) {
                    detail::RootedTree<S> grafted;
                    grafted.gamma = u.gamma * v.gamma * static_cast<double>(n) / static_cast<double>(left);
                    for (std::size_t i = 0; i < S; ++i) {
                        double inner = 0.0;
                        for (std::size_t j = 0; j < i; ++j) {
                            inner += tableau.a[i][j] * v.phi[j];
                        }
                        grafted.phi[i] = u.phi[i] * inner;
                    }
                    trees[n].push_back(grafted);
                }
            }
        }
        for (const auto& tree : trees[n]) {
            double sum = 0.0;
            for (std::size_t i = 0; i < S; ++i) {
                sum += weights[i] * tree.phi[i];
            }
            if (!detail::agrees(sum, 1.0 / tree.gamma)) {
                return static_cast<int>(n) - 1;
            }
        }
    }
    return limit;
}

/// Explicit Euler.
inline constexpr ButcherTableau<1> kExplicitEuler{
    .a = {{{}}},
    .b = {1.0},
    .c = {0.0},
    .b_error = {},
};
static_assert(is_consistent(kExplicitEuler) && order_of(kExplicitEuler, kExplicitEuler.b, 3) == 1);

/// Heun's second-order method, the explicit trapezoidal rule.
///
///     0 |
///     1 | 1
///     --+---------
///       | 1/2  1/2
inline constexpr ButcherTableau<2> kHeun2{
    .a = {{{}, {1.0}}},
    .b = {1.0 / 2, 1.0 / 2},
    .c = {0.0, 1.0},
    .b_error = {},
};
static_assert(is_consistent(kHeun2) && order_of(kHeun2, kHeun2.b, 4) == 2);

/// The classical fourth-order method (Kutta 1901).
///
///     0   |
///     1/2 | 1/2
///     1/2 |  0   1/2
///     1   |  0    0    1
///     ----+-------------------
///         | 1/6  1/3  1/3  1/6
inline constexpr ButcherTableau<4> kRk4{
    .a = {{{}, {1.0 / 2}, {0.0, 1.0 / 2}, {0.0, 0.0, 1.0}}},
    .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
    .c = {0.0, 1.0 / 2, 1.0 / 2, 1.0},
    .b_error = {},
};
static_assert(is_consistent(kRk4) && order_of(kRk4, kRk4.b, 6) == 4);

/// Cash & Karp's fifth-order method with embedded fourth order (ACM Trans. Math. Softw. 16, 201, 1990). The fifth-order
/// row is propagated.
///
///     0    |
///     1/5  | 1/5
///     3/10 | 3/40         9/40
///     3/5  | 3/10        -9/10     6/5
///     1    | -11/54       5/2    -70/27       35/27
///     7/8  | 1631/55296 175/512  575/13824  44275/110592  253/4096
///     -----+----------------------------------------------------------------------
///     b    | 37/378        0     250/621      125/594        0         512/1771
///     b4   | 2825/27648    0   18575/48384  13525/55296  277/14336       1/4
inline constexpr ButcherTableau<6> kCashKarp54{
    .a = {{{},
           {1.0 / 5},
           {3.0 / 40, 9.0 / 40},
           {3.0 / 10, -9.0 / 10, 6.0 / 5},
           {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
           {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}}},
    .b = {37.0 / 378, 0.0, 250.0 / 621, 125.0 / 594, 0.0, 512.0 / 1771},
    .c = {0.0, 1.0 / 5, 3.0 / 10, 3.0 / 5, 1.0, 7.0 / 8},
    .b_error = {37.0 / 378 - 2825.0 / 27648, 0.0, 250.0 / 621 - 18575.0 / 48384, 125.0 / 594 - 13525.0 / 55296,
                -277.0 / 14336, 512.0 / 1771 - 1.0 / 4},
};
static_assert(is_consistent(kCashKarp54) && order_of(kCashKarp54, kCashKarp54.b, 6) == 5);
static_assert(order_of(kCashKarp54, kCashKarp54.b_embedded(), 6) == 4);

} // namespace substep
