// Coefficients of explicit Runge-Kutta methods, and the checks that every set of them passes at compile time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Coefficients of an explicit Runge-Kutta method of S stages:
///
///     k_i = f(t + c_i h, y + h sum_j a_ij k_j),  y1 = y + h sum_i b_i k_i,  error = h sum_i b_error_i k_i
///
/// b is the row that is propagated; b_error is b minus the embedded row, all zero for a method without estimate;
/// b_coarse_error the same for a second embedded row of lower order.
///
/// Where the last stage is the derivative at the end (its row is b), it is the first stage of the next substep: "first
/// same as last".
template <std::size_t S>
struct ButcherTableau {
    static constexpr std::size_t kStages = S;
    std::array<std::array<double, S>, S> a{}; ///< strictly lower triangular
    std::array<double, S> b{};
    std::array<double, S> c{};
    std::array<double, S> b_error{};
    std::array<double, S> b_coarse_error{};

    constexpr bool has_error_estimate() const { return b_error != std::array<double, S>{}; }
    constexpr bool has_two_estimates() const { return b_coarse_error != std::array<double, S>{}; }
    constexpr bool first_same_as_last() const { return S > 1 && a[S - 1] == b && b[S - 1] == 0.0; }

    /// The embedded row b - b_error.
    constexpr std::array<double, S> b_embedded() const { return without(b_error); }

    /// The second embedded row b - b_coarse_error.
    constexpr std::array<double, S> b_coarse() const { return without(b_coarse_error); }

private:
    constexpr std::array<double, S> without(const std::array<double, S>& error) const {
        std::array<double, S> row{};
        for (std::size_t i = 0; i < S; ++i) {
            row[i] = b[i] - error[i];
        }
        return row;
    }
};

/// Dense output of a Runge-Kutta method beyond the cubic through the ends: terms q_j = rise_j (y1 - y0) + h sum_i d_ji
/// k_i of Interpolant, and E extra stages that only they need. (rise may be zero; it keeps d small.)
///
/// The N derivatives k_i are the method's stages, then the derivative at the end (which is the last stage itself where
/// the first is the same as the last), then the extra stages, whose rows are a and c.
template <std::size_t N, std::size_t E, std::size_t T>
struct ContinuousExtension {
    static constexpr std::size_t kDerivatives = N;
    static constexpr std::size_t kExtraStages = E;
    static constexpr std::size_t kTerms = T;
    std::array<std::array<double, N>, E> a{};
    std::array<double, E> c{};
    std::array<std::array<double, N>, T> d{};
    std::array<double, T> rise{};
};

/// For methods whose dense output is the cubic, or is raised by an evaluation (Interpolant::raise_order).
inline constexpr ContinuousExtension<1, 0, 0> kNoExtension{};

namespace detail {

/// Coefficients are rounded to double; sums of products of them agree to this, relative to their terms.
inline constexpr double kTableauRoundOff = 1e-13;

constexpr bool agrees(double x, double y, double scale = 1.0) {
    const double allowed = kTableauRoundOff * (scale > 1.0 ? scale : 1.0);
    return x - y < allowed && y - x < allowed;
}

/// A rooted tree with its density gamma and elementary weights Phi_i (Hairer, Norsett & Wanner I, II.2).
template <std::size_t S>
struct RootedTree {
    int nodes = 1;
    std::size_t largest = 0; ///< number of the branch that was grafted last
    double gamma = 1.0;
    double phi[S]{};
};

/// Returns all rooted trees of at most `limit` nodes, smaller ones first.
///
/// They are made as Butcher products u * v (v grafted onto the root of u), for which
/// Phi_i(u * v) = Phi_i(u) sum_j a_ij Phi_j(v) and gamma(u * v) = gamma(u) gamma(v) (|u| + |v|) / |u|. Branches are
/// grafted in ascending order, so that every tree is made once.
template <std::size_t S>
constexpr std::vector<RootedTree<S>> rooted_trees(const ButcherTableau<S>& tableau, int limit) {
    std::vector<RootedTree<S>> trees(1);
    std::fill_n(trees[0].phi, S, 1.0);
    for (int nodes = 2; nodes <= limit; ++nodes) {
        const std::size_t smaller = trees.size();
        for (std::size_t v = 0; v < smaller; ++v) {
            // sum_j a_ij Phi_j(v) for every tree that v is grafted onto. (Pointers: compilers evaluate them fastest.)
            const RootedTree<S> branch = trees[v];
            double inner[S]{};
            for (std::size_t i = 1; i < S; ++i) {
                const double* const row = tableau.a[i].data();
                for (std::size_t j = 0; j < i; ++j) {
                    if (row[j] != 0.0) {
                        inner[i] += row[j] * branch.phi[j];
                    }
                }
            }
            for (std::size_t u = 0; u < smaller; ++u) {
                const RootedTree<S>& trunk = trees[u];
                if (trunk.nodes + branch.nodes == nodes && v >= trunk.largest) {
                    RootedTree<S> grafted = trunk;
                    grafted.nodes = nodes;
                    grafted.largest = v;
                    grafted.gamma *= branch.gamma * nodes / trunk.nodes;
                    for (std::size_t i = 0; i < S; ++i) {
                        grafted.phi[i] *= inner[i];
                    }
                    trees.push_back(grafted);
                }
            }
        }
    }
    return trees;
}

/// Returns the largest p such that sum_i weights_i Phi_i = theta^n / gamma for every tree of n <= p nodes.
template <std::size_t S>
constexpr int order_at(const std::vector<RootedTree<S>>& trees, const std::array<double, S>& weights, double theta) {
    const double* const row = weights.data();
    for (const RootedTree<S>& tree : trees) {
        double wanted = 1.0 / tree.gamma;
        for (int i = 0; i < tree.nodes; ++i) {
            wanted *= theta;
        }
        double sum = 0.0;
        double scale = 0.0;
        for (std::size_t i = 0; i < S; ++i) {
            const double part = row[i] * tree.phi[i];
            sum += part;
            scale += part < 0.0 ? -part : part;
        }
        if (!agrees(sum, wanted, scale)) {
            return tree.nodes - 1;
        }
    }
    return trees.back().nodes;
}

} // namespace detail

/// Checks what every tableau must satisfy: explicit, row sums equal to c, sum b = 1, sums of the error rows zero.
template <std::size_t S>
constexpr bool is_consistent(const ButcherTableau<S>& tableau) {
    const auto sums_to = [](const std::array<double, S>& row, double wanted) {
        double sum = 0.0;
        double scale = 0.0;
        for (const double x : row) {
            sum += x;
            scale += x < 0.0 ? -x : x;
        }
        return detail::agrees(sum, wanted, scale);
    };
    for (std::size_t i = 0; i < S; ++i) {
        for (std::size_t j = i; j < S; ++j) {
            if (tableau.a[i][j] != 0.0) {
                return false;
            }
        }
        if (!sums_to(tableau.a[i], tableau.c[i])) {
            return false;
        }
    }
    return sums_to(tableau.b, 1.0) && sums_to(tableau.b_error, 0.0) && sums_to(tableau.b_coarse_error, 0.0);
}

/// Returns the order of the method that propagates with `weights`, up to `limit`: the largest p such that
/// sum_i weights_i Phi_i(tree) = 1 / gamma(tree) for every rooted tree of at most p nodes.
template <std::size_t S>
constexpr int order_of(const ButcherTableau<S>& tableau, const std::array<double, S>& weights, int limit) {
    return detail::order_at(detail::rooted_trees(tableau, limit), weights, 1.0);
}

/// Returns the order of dense output everywhere in the substep, up to `limit`: the method whose weights are the
/// interpolant's at theta makes a step of length theta h with that order.
template <std::size_t S, std::size_t N, std::size_t E, std::size_t T>
constexpr int dense_order_of(const ButcherTableau<S>& tableau, const ContinuousExtension<N, E, T>& extension,
                             int limit) {
    static_assert(N == S + E || N == S + 1 + E, "stages, the derivative at the end unless it is one, extra stages");
    constexpr std::size_t kEnd = N - E - 1;

    // All derivatives as one tableau.
    ButcherTableau<N> all;
    for (std::size_t i = 0; i < S; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            all.a[i][j] = tableau.a[i][j];
        }
        all.a[kEnd][i] = tableau.b[i];
        all.b[i] = tableau.b[i];
    }
    for (std::size_t i = 0; i < E; ++i) {
        all.a[kEnd + 1 + i] = extension.a[i];
    }
    const auto trees = detail::rooted_trees(all, limit);

    // A polynomial of degree 8 or less without constant term is zero if it is at eight points.
    int order = limit;
    for (int point = 1; point <= 8; ++point) {
        const double s = point / 8.0;
        const double r = 1.0 - s;
        std::array<double, N> weights{};
        for (std::size_t i = 0; i < N; ++i) {
            const double rise = all.b[i];
            const double bend = (i == 0 ? 1.0 : 0.0) - rise;
            const double twist = rise - (i == kEnd ? 1.0 : 0.0) - bend;
            double tail = 0.0;
            for (std::size_t j = T; j-- > 0;) {
                tail = (j % 2 == 0 ? r : s) * (extension.rise[j] * rise + extension.d[j][i] + tail);
            }
            weights[i] = s * (rise + r * (bend + s * (twist + tail)));
        }
        const int here = detail::order_at(trees, weights, s);
        order = here < order ? here : order;
    }
    return order;
}

/// Makes the method that takes two half steps of `base`, of order p, and a full one for comparison (3 S - 1 stages: the
/// first is shared). The two half steps are propagated as they are; their error is estimated as (full - halves) /
/// (2^p - 1), so that the embedded row is Richardson's extrapolation, of order p + 1.
///
/// Stages: the first half step (0 to S - 1), the second (S to 2 S - 1), the rest of the full step.
template <std::size_t S>
constexpr ButcherTableau<3 * S - 1> step_doubling(const ButcherTableau<S>& base, int order) {
    ButcherTableau<3 * S - 1> doubled;
    for (std::size_t i = 0; i < S; ++i) {
        const std::size_t full = i == 0 ? 0 : 2 * S - 1 + i;
        doubled.c[i] = base.c[i] / 2;
        doubled.c[S + i] = 0.5 + base.c[i] / 2;
        doubled.c[full] = base.c[i];
        for (std::size_t j = 0; j < S; ++j) {
            doubled.a[S + i][j] = base.b[j] / 2;
        }
        for (std::size_t j = 0; j < i; ++j) {
            doubled.a[i][j] = base.a[i][j] / 2;
            doubled.a[S + i][S + j] = base.a[i][j] / 2;
            doubled.a[full][j == 0 ? 0 : 2 * S - 1 + j] = base.a[i][j];
        }
    }
    const double divisor = static_cast<double>((1 << order) - 1);
    for (std::size_t i = 0; i < S; ++i) {
        doubled.b[i] = base.b[i] / 2;
        doubled.b[S + i] = base.b[i] / 2;
        doubled.b_error[i] -= base.b[i] / 2 / divisor;
        doubled.b_error[S + i] -= base.b[i] / 2 / divisor;
        doubled.b_error[i == 0 ? 0 : 2 * S - 1 + i] += base.b[i] / divisor;
    }
    return doubled;
}

/// Dense output of `step_doubling(base)` for nothing: the quartic that also passes through the state in the middle,
/// q0 = 16 (y_middle - cubic in the middle) = 16 y_middle - 8 (y0 + y1) - 2 h (f0 - f1).
template <std::size_t S>
constexpr ContinuousExtension<3 * S, 0, 1> step_doubling_extension(const ButcherTableau<S>& base) {
    ContinuousExtension<3 * S, 0, 1> extension;
    for (std::size_t i = 0; i < S; ++i) {
        extension.d[0][i] = 4 * base.b[i];
        extension.d[0][S + i] = -4 * base.b[i];
    }
    extension.d[0][0] -= 2.0;
    extension.d[0][3 * S - 1] = 2.0;
    return extension;
}

} // namespace substep

#pragma GCC visibility pop
