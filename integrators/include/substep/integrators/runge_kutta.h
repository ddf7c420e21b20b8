// The Runge-Kutta stage loop: one template over the tableau, the scalar and the kind of state.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "substep/integrators/tableaux.h"
#include "substep/numerics/pack.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

namespace detail {

/// The product of the step length and a coefficient; a ScaledTableau, which stands in for h, has it ready.
template <const auto& kRow, std::size_t J, class Step>
constexpr auto scaled(const Step& h) {
    if constexpr (requires { h.template product<kRow, J>(); }) {
        return h.template product<kRow, J>();
    } else {
        return h * kRow[J];
    }
}

/// Returns sum_j (h row[j]) k[j][e] over the coefficients that are not zero, which the compiler sees as constants. The
/// products h row[j] do not wait for the last stage, which keeps them off the critical path; the sum is added to y
/// once, so that y is rounded once.
template <const auto& kRow, class Step, class Stages, std::size_t... J>
constexpr auto weighted_sum(const Step& h, const Stages& k, std::size_t e, std::index_sequence<J...>) {
    constexpr std::size_t kFirst = [] {
        std::size_t first = 0;
        while (first < sizeof...(J) && kRow[first] == 0.0) {
            ++first;
        }
        return first;
    }();
    if constexpr (kFirst == sizeof...(J)) {
        return std::remove_cvref_t<decltype(k[0][e])>{};
    } else {
        auto sum = scaled<kRow, kFirst>(h) * k[kFirst][e];
        (
            [&] {
                if constexpr (J > kFirst && kRow[J] != 0.0) {
                    sum = sum + scaled<kRow, J>(h) * k[J][e];
                }
            }(),
            ...);
        return sum;
    }
}

/// Rows of a tableau as constants of their own, which template arguments may refer to.
template <const auto& kTableau, std::size_t kStage>
inline constexpr auto kStageRow = kTableau.a[kStage];
template <const auto& kTableau>
inline constexpr auto kSolutionRow = kTableau.b;
template <const auto& kTableau>
inline constexpr auto kErrorRow = kTableau.b_error;
template <const auto& kTableau>
inline constexpr auto kCoarseErrorRow = kTableau.b_coarse_error;

/// Components that make it worth while to take two at a time: a derivative just written number by number is not yet
/// ready to be read in pairs.
inline constexpr std::size_t kManyComponents = 12;

/// Stages on spans, read in pairs.
template <class Stages>
struct PairsOfStages {
    struct Pairs {
        const double* first;
        Pack<2> operator[](std::size_t e) const { return Pack<2>::load(first + e); }
    };
    const Stages& k;
    Pairs operator[](std::size_t j) const { return {k[j].data()}; }
};

/// Calls f(e, stages) for every component e: one by one, or where a state is a long span two by two, with stages whose
/// components are pairs. Each component's operations and bits are the same.
template <class Out, class Stages, class F>
constexpr void for_components(const Out& out, const Stages& k, F&& f) {
    std::size_t e = 0;
    if constexpr (std::is_same_v<Out, std::span<double>>) {
        if (out.size() >= kManyComponents) {
            for (; e + 1 < out.size(); e += 2) {
                f(e, PairsOfStages<Stages>{k});
            }
        }
    }
    for (; e < out.size(); ++e) {
        f(e, k);
    }
}

/// Reads component e of a state beside stages of the same kind: one number, or where they come in pairs two.
template <class Stages, class State>
constexpr auto component(const Stages&, const State& y, std::size_t e) {
    return y[e];
}
template <class Stages, class State>
Pack<2> component(const PairsOfStages<Stages>&, const State& y, std::size_t e) {
    return Pack<2>::load(y.data() + e);
}

/// Writes component e, as `component` reads it.
template <class Stages, class Value, class State>
constexpr void set_component(const Stages&, const Value& value, State& y, std::size_t e) {
    y[e] = value;
}
template <class Stages, class State>
void set_component(const PairsOfStages<Stages>&, const Pack<2>& value, State& y, std::size_t e) {
    value.store(y.data() + e);
}

/// Writes y + h sum_j row[j] k[j] to `out`.
template <const auto& kRow, std::size_t kCount, class Step, class Start, class Stages, class Out>
constexpr void advance_along(const Start& y, const Step& h, const Stages& k, Out& out) {
    for_components(out, k, [&](std::size_t e, const auto& stages) {
        const auto sum = weighted_sum<kRow>(h, stages, e, std::make_index_sequence<kCount>{});
        set_component(stages, component(stages, y, e) + sum, out, e);
    });
}

/// Writes h sum_j row[j] k[j] to `out`.
template <const auto& kRow, std::size_t kCount, class Step, class Stages, class Out>
constexpr void sum_along(const Step& h, const Stages& k, Out& out) {
    for_components(out, k, [&](std::size_t e, const auto& stages) {
        set_component(stages, weighted_sum<kRow>(h, stages, e, std::make_index_sequence<kCount>{}), out, e);
    });
}

} // namespace detail

/// Evaluates the stages k_i = f(t + c_i h, y + h sum_j a_ij k_j) of an explicit Runge-Kutta method.
///
/// The one stage loop of the library: `State` is std::array<double, N> (inlined, nothing allocated), a span behind
/// OdeSystem, or an array of SIMD packs with a pack `Scalar` for t and h. The loop over stages is unrolled, with zero
/// coefficients left out. `f(t, y, dydt)` writes the derivative; `k` holds one state per stage; `stage` is scratch.
/// With `k0_ready` the first stage is taken from k[0] as it is. `h` is a Scalar, or a ScaledTableau where steps of one
/// length follow each other. Template arguments: kTableau, a tableau of static storage duration; kCount, the number of
/// stages, if not all are wanted.
template <const auto& kTableau, std::size_t kCount = kTableau.kStages, class Derivative, class Scalar, class Step,
          class Start, class Stages, class Scratch>
constexpr void runge_kutta_stages(Derivative&& f, Scalar t, const Step& h, const Start& y, Stages& k, Scratch& stage,
                                  bool k0_ready = false) {
    static_assert(is_consistent(kTableau), "rows of a must sum to c, b to 1, the error rows to 0, and a be explicit");
    if (!k0_ready) {
        f(t, y, k[0]);
    }
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (
            [&] {
                constexpr std::size_t kStage = I + 1;
                detail::advance_along<detail::kStageRow<kTableau, kStage>, kStage>(y, h, k, stage);
                f(t + kTableau.c[kStage] * h, stage, k[kStage]);
            }(),
            ...);
    }
    (std::make_index_sequence<kCount - 1>{});
}

/// Writes y1 = y + h sum_i b_i k_i. `y1` may be `y`.
template <const auto& kTableau, class Step, class Start, class Stages, class End>
constexpr void runge_kutta_solution(const Start& y, const Step& h, const Stages& k, End& y1) {
    detail::advance_along<detail::kSolutionRow<kTableau>, kTableau.kStages>(y, h, k, y1);
}

/// Makes the stages and y1, which must not be `y`: it holds the stages' arguments meanwhile. Where the last stage is
/// the derivative at the end, its argument is y1, which is computed once.
template <const auto& kTableau, class Derivative, class Scalar, class Step, class Start, class Stages, class End>
constexpr void runge_kutta_attempt(Derivative&& f, Scalar t, const Step& h, const Start& y, Stages& k, End& y1,
                                   bool k0_ready = false) {
    runge_kutta_stages<kTableau>(f, t, h, y, k, y1, k0_ready);
    if constexpr (!kTableau.first_same_as_last()) {
        runge_kutta_solution<kTableau>(y, h, k, y1);
    }
}

/// Writes error = h sum_i b_error_i k_i.
template <const auto& kTableau, class Step, class Stages, class Error>
constexpr void runge_kutta_error(const Step& h, const Stages& k, Error& error) {
    detail::sum_along<detail::kErrorRow<kTableau>, kTableau.kStages>(h, k, error);
}

/// Writes the second estimate, h sum_i b_coarse_error_i k_i.
template <const auto& kTableau, class Step, class Stages, class Error>
constexpr void runge_kutta_coarse_error(const Step& h, const Stages& k, Error& error) {
    detail::sum_along<detail::kCoarseErrorRow<kTableau>, kTableau.kStages>(h, k, error);
}

/// Makes one step of length h of a small system of fixed size, and returns the state at its end. Allocates nothing.
///
///     y = runge_kutta_step<kRk4>([](double, const auto& y) { return std::array{y[1], -y[0]}; }, t, h, y);
///
/// `f(t, y)` returns the derivative. Scalar is double, float or a SIMD pack; `h` is a Scalar or a ScaledTableau.
template <const auto& kTableau, class Derivative, class Scalar, class Step, std::size_t N>
constexpr std::array<Scalar, N> runge_kutta_step(Derivative&& f, Scalar t, const Step& h,
                                                 const std::array<Scalar, N>& y) {
    // A last stage that only the next step would need is left out.
    constexpr std::size_t kCount = kTableau.kStages - (kTableau.first_same_as_last() ? 1 : 0);
    std::array<std::array<Scalar, N>, kTableau.kStages> k;
    std::array<Scalar, N> y1;
    runge_kutta_stages<kTableau, kCount>(
        [&f](Scalar time, const std::array<Scalar, N>& at, std::array<Scalar, N>& dydt) { dydt = f(time, at); }, t, h,
        y, k, y1);
    runge_kutta_solution<kTableau>(y, h, k, y1);
    return y1;
}

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
