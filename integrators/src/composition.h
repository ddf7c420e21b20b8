// Coefficients of symmetric compositions: a step of length h made of second-order steps of lengths w_i h, whose errors
// cancel.
#pragma once

#include <array>
#include <cstddef>

namespace substep::detail {

/// Weights of a symmetric composition of N symmetric second-order steps.
template <std::size_t N>
struct Composition {
    std::array<double, N> weights{};
};

/// Returns the order of a composition of a symmetric second-order method, up to 6: 0 if its weights do not sum to 1 or
/// are not symmetric. The conditions beyond the first are sum w^3 = 0 for order 4, and sum w^5 = 0 and
/// sum_k w_k^3 (sum_{l <= k} w_l, the last of them halved)^2 = 0 for order 6 (Hairer, Lubich & Wanner, V.3.2).
template <std::size_t N>
constexpr int order_of(const Composition<N>& composition) {
    const auto vanishes = [](double x) { return x < 1e-14 && x > -1e-14; };
    double before = 0.0;
    double cubes = 0.0;
    double fifths = 0.0;
    double mixed = 0.0;
    for (std::size_t i = 0; i < N; ++i) {
        const double w = composition.weights[i];
        if (w != composition.weights[N - 1 - i]) {
            return 0;
        }
        const double middle = before + w / 2;
        cubes += w * w * w;
        fifths += w * w * w * w * w;
        mixed += w * w * w * middle * middle;
        before += w;
    }
    if (!vanishes(before - 1.0)) {
        return 0;
    }
    return !vanishes(cubes) ? 2 : vanishes(fifths) && vanishes(mixed) ? 6 : 4;
}

/// The second-order step itself.
inline constexpr Composition<1> kSingle{{1.0}};
static_assert(order_of(kSingle) == 2);

/// Three steps, the middle one backwards: 1/(2 - 2^(1/3)), -2^(1/3)/(2 - 2^(1/3)) (Yoshida, Phys. Lett. A 150, 262,
/// 1990).
inline constexpr Composition<3> kYoshida4{{1.3512071919596576340, -1.7024143839193152681, 1.3512071919596576340}};
static_assert(order_of(kYoshida4) == 4);

/// Thirteen steps of order 6 (Sofroniou & Spaletta, Optim. Methods Softw. 20, 597, 2005). Chosen among the compositions
/// of order 6 by error at equal evaluations (pendulum, Kepler e = 0.3, Henon-Heiles): relative to this one that of
/// Sofroniou & Spaletta's of eleven steps is 1.4 to 1.8, McLachlan's of nine 2.5 to 5.0, Kahan & Li's of nine 4.5
/// to 7.4, Yoshida's of seven 7.4 to 14.
inline constexpr Composition<13> kSofroniouSpaletta6{
    {0.13861930854051695245808013042625, 0.13346562851074760407046858832209, 0.13070531011449225190542755785015,
     0.12961893756907034772505366537091, -0.35000324893920896516170830911323, 0.11805530653002387170273438954049,
     0.39907751534871587459988795520665, 0.11805530653002387170273438954049, -0.35000324893920896516170830911323,
     0.12961893756907034772505366537091, 0.13070531011449225190542755785015, 0.13346562851074760407046858832209,
     0.13861930854051695245808013042625}};
static_assert(order_of(kSofroniouSpaletta6) == 6);

} // namespace substep::detail
