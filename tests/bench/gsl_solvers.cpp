// GSL's explicit methods, driven as its manual does; memory is made once.
#include "solver.h"

#ifdef SUBSTEP_BENCH_GSL
#include <memory>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#endif

namespace substep_bench {

#ifdef SUBSTEP_BENCH_GSL
namespace {

/// A driver with everything that it points to.
class Driver {
public:
    Driver(const gsl_odeiv2_step_type* type, const InitialValueProblem& problem)
        : type_(type), problem_(problem), system_{call, nullptr, problem.y0.size(), &problem_} {}
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    ~Driver() { release(); }

    void solve(double tolerance, std::span<double> y) {
        if (tolerance != tolerance_) {
            release();
            tolerance_ = tolerance;
            driver_ = gsl_odeiv2_driver_alloc_y_new(&system_, type_, first_step(), tolerance, tolerance);
        }
        gsl_odeiv2_driver_reset_hstart(driver_, first_step());
        double t = problem_.t0;
        gsl_odeiv2_driver_apply(driver_, &t, problem_.t1, y.data());
    }

private:
    static int call(double t, const double y[], double dydt[], void* self) {
        static_cast<InitialValueProblem*>(self)->f(t, y, dydt);
        return GSL_SUCCESS;
    }
    double first_step() const { return 1e-4 * (problem_.t1 - problem_.t0); }
    void release() {
        if (driver_ != nullptr) {
            gsl_odeiv2_driver_free(driver_);
        }
        driver_ = nullptr;
    }

    const gsl_odeiv2_step_type* type_;
    InitialValueProblem problem_;
    gsl_odeiv2_system system_;
    gsl_odeiv2_driver* driver_ = nullptr;
    double tolerance_ = 0.0;
};

} // namespace

std::vector<Solver> gsl_solvers(const InitialValueProblem& problem) {
    gsl_set_error_handler_off();
    const auto solver = [&](const char* name, const gsl_odeiv2_step_type* type) {
        const auto driver = std::make_shared<Driver>(type, problem);
        return Solver{std::string("GSL ") + name, false, true,
                      [driver](double tolerance, std::span<double> y) { driver->solve(tolerance, y); }};
    };
    return {solver("rkf45", gsl_odeiv2_step_rkf45), solver("rkck", gsl_odeiv2_step_rkck),
            solver("rk8pd", gsl_odeiv2_step_rk8pd)};
}
#else
std::vector<Solver> gsl_solvers(const InitialValueProblem&) { return {}; }
#endif

} // namespace substep_bench
