// Every solver for one model, compiled in a source of its own: inliners ration what they do for a whole source, and a
// model that is inlined for one library and not for another would decide a race.
#pragma once

#include <vector>

#include "fixed_size_solvers.h"
#include "problem_models.h"
#include "solver.h"
#include "substep/scenes/ode_problem.h"

namespace substep_bench {

/// Returns all solvers of the model's problem (see model_*.cpp).
template <class Model>
std::vector<Solver> model_solvers();

/// Likewise, with evaluations counted in `counted_evaluations`.
template <class Model>
std::vector<Solver> counting_solvers();

inline thread_local long counted_evaluations = 0;

namespace detail {

template <class Model, class F>
std::vector<Solver> make_solvers(F f, void (*plain)(double, const double*, double*)) {
    const substep::OdeProblem& known = *substep::find_ode_problem(Model::kId);
    const InitialValueProblem problem{known.t0, known.t1, known.y0, plain};
    std::vector<Solver> solvers = fixed_size_solvers<Model::kSize>(problem, f);
    for (const char* method : {"tsitouras54", "dormand_prince853", "verner87"}) {
        solvers.push_back(service_solver(method, problem));
    }
    for (auto& more : {odeint_solvers<Model::kSize>(problem, f), gsl_solvers(problem), sundials_solvers(problem)}) {
        solvers.insert(solvers.end(), more.begin(), more.end());
    }
    return solvers;
}

} // namespace detail

template <class Model>
std::vector<Solver> model_solvers() {
    return detail::make_solvers<Model>([](double t, const auto& y, auto& dydt) { Model::rate(t, y, dydt); },
                                       rate_of<Model>);
}

// Instantiated in model_*.cpp.
extern template std::vector<Solver> model_solvers<PendulumModel>();
extern template std::vector<Solver> model_solvers<PleiadesModel>();
extern template std::vector<Solver> model_solvers<ArenstorfModel>();
extern template std::vector<Solver> model_solvers<LorenzModel>();
extern template std::vector<Solver> model_solvers<KeplerModel>();

} // namespace substep_bench
