// Solvers of initial value problems, ours and others, behind one interface: what a race over tolerances needs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace substep_bench {

/// y' = f(t, y), y(t0) = y0, wanted at t1. `f` is a plain function, so that every library calls the same code.
struct InitialValueProblem {
    double t0 = 0.0;
    double t1 = 0.0;
    std::vector<double> y0;
    void (*f)(double t, const double* y, double* dydt) = nullptr;
};

/// One way to solve a problem.
struct Solver {
    std::string name;
    bool ours = false;
    bool adaptive = true; ///< the setting is a tolerance, absolute and relative; otherwise a number of steps
    std::function<void(double setting, std::span<double> y)> solve; ///< y0 in, y(t1) out
};

/// IntegratorService with one method: entry (b), spans behind OdeSystem.
Solver service_solver(const std::string& method, const InitialValueProblem& problem);

/// GSL's and SUNDIALS' explicit methods; empty where the library is not installed.
std::vector<Solver> gsl_solvers(const InitialValueProblem& problem);
std::vector<Solver> sundials_solvers(const InitialValueProblem& problem);

/// One measured setting of a solver.
struct WorkPoint {
    double setting = 0.0;
    double evaluations = 0.0;
    double error = 0.0;
    double ns = 0.0;
};

/// Returns the time in ns at which `points`, ordered from coarse to fine, reach an error of at most `error`:
/// interpolated in logarithms along the curve of the largest error of a point and all finer ones, so that an error that
/// is small by luck does not count. The coarsest point's where all are good enough; infinity where none is.
double time_at_error(const std::vector<WorkPoint>& points, double error);

} // namespace substep_bench
