// Solvers that are compiled for one system: our entry for systems of fixed size, and Boost.odeint with std::array.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#ifdef SUBSTEP_BENCH_ODEINT
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/integrate/integrate_n_steps.hpp>
#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_cash_karp54.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#endif

#include "solver.h"
#include "substep/integrators/dormand_prince853.h"
#include "substep/integrators/integrate.h"
#include "substep/integrators/tableaux.h"
#include "substep/integrators/verner87.h"

namespace substep_bench {

namespace detail {

template <std::size_t N>
std::array<double, N> load(std::span<const double> y) {
    std::array<double, N> state;
    std::ranges::copy(y, state.begin());
    return state;
}

} // namespace detail

/// integrate<kTableau> with `f(t, y, dydt)`, arrays of N doubles, inlined.
template <const auto& kTableau, std::size_t N, class F>
Solver fixed_size_solver(const std::string& method, const InitialValueProblem& problem, F f) {
    return {"substep " + method, true, kTableau.has_error_estimate(),
            [f, t0 = problem.t0, t1 = problem.t1](double setting, std::span<double> y) {
                auto state = detail::load<N>(y);
                const auto system = [&f](double t, const std::array<double, N>& at) {
                    std::array<double, N> rate;
                    f(t, at, rate);
                    return rate;
                };
                if constexpr (kTableau.has_error_estimate()) {
                    substep::integrate<kTableau>(system, t0, t1, state, {.atol = setting, .rtol = setting});
                } else {
                    substep::integrate_fixed<kTableau>(system, t0, t1, static_cast<std::int64_t>(setting), state);
                }
                std::ranges::copy(state, y.begin());
            }};
}

/// All of ours that are worth having in a race.
template <std::size_t N, class F>
std::vector<Solver> fixed_size_solvers(const InitialValueProblem& problem, F f) {
    return {fixed_size_solver<substep::kRk4, N>("rk4", problem, f),
            fixed_size_solver<substep::kBogackiShampine32, N>("bogacki_shampine32", problem, f),
            fixed_size_solver<substep::kCashKarp54, N>("cash_karp54", problem, f),
            fixed_size_solver<substep::kDormandPrince54, N>("dormand_prince54", problem, f),
            fixed_size_solver<substep::kTsitouras54, N>("tsitouras54", problem, f),
            fixed_size_solver<substep::kDormandPrince853, N>("dormand_prince853", problem, f),
            fixed_size_solver<substep::kVerner87, N>("verner87", problem, f)};
}

#ifdef SUBSTEP_BENCH_ODEINT
/// Boost.odeint's controlled steppers and its RK4, with the same `f`.
template <std::size_t N, class F>
std::vector<Solver> odeint_solvers(const InitialValueProblem& problem, F f) {
    namespace odeint = boost::numeric::odeint;
    using State = std::array<double, N>;
    const auto system = [f](const State& y, State& dydt, double t) { f(t, y, dydt); };
    const double t0 = problem.t0;
    const double t1 = problem.t1;
    const double first = 1e-4 * (t1 - t0);
    const auto controlled = [=]<class Stepper>(const char* name, Stepper) {
        return Solver{std::string("odeint ") + name, false, true, [=](double setting, std::span<double> y) {
                          State state = detail::load<N>(y);
                          odeint::integrate_adaptive(odeint::make_controlled<Stepper>(setting, setting), system, state,
                                                     t0, t1, first);
                          std::ranges::copy(state, y.begin());
                      }};
    };
    const auto rk4 = [=](double setting, std::span<double> y) {
        State state = detail::load<N>(y);
        const auto n = static_cast<std::size_t>(setting);
        odeint::integrate_n_steps(odeint::runge_kutta4<State>(), system, state, t0, (t1 - t0) / setting, n);
        std::ranges::copy(state, y.begin());
    };
    return {Solver{"odeint rk4", false, false, rk4},
            controlled("cash_karp54", odeint::runge_kutta_cash_karp54<State>()),
            controlled("dopri5", odeint::runge_kutta_dopri5<State>()),
            controlled("fehlberg78", odeint::runge_kutta_fehlberg78<State>())};
}
#else
template <std::size_t N, class F>
std::vector<Solver> odeint_solvers(const InitialValueProblem&, F) {
    return {};
}
#endif

} // namespace substep_bench
