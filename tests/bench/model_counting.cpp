// All solvers with models that count their evaluations: never timed.
#include "model_solvers.h"

namespace substep_bench {
namespace {

template <class Model>
void counted_rate(double t, const double* y, double* dydt) {
    ++counted_evaluations;
    Model::rate(t, y, dydt);
}

/// A plain function as what solvers of fixed size call: one type for all models, so that less is compiled.
struct PlainRate {
    void (*f)(double, const double*, double*);
    template <class State, class Rate>
    void operator()(double t, const State& y, Rate& dydt) const {
        f(t, y.data(), dydt.data());
    }
};

} // namespace

template <class Model>
std::vector<Solver> counting_solvers() {
    return detail::make_solvers<Model>(PlainRate{counted_rate<Model>}, counted_rate<Model>);
}

template std::vector<Solver> counting_solvers<PleiadesModel>();
template std::vector<Solver> counting_solvers<ArenstorfModel>();
template std::vector<Solver> counting_solvers<LorenzModel>();
template std::vector<Solver> counting_solvers<KeplerModel>();

} // namespace substep_bench
