// SUNDIALS: explicit Runge-Kutta methods of ARKODE, and CVODE's Adams methods; memory is made once.
#include "solver.h"
#include "sundials_events.h"

#ifdef SUBSTEP_BENCH_SUNDIALS
#include <algorithm>
#include <memory>

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

namespace substep_bench {

#ifdef SUBSTEP_BENCH_SUNDIALS
namespace {

constexpr long kMostSteps = 100'000'000;

int call(sunrealtype t, N_Vector y, N_Vector dydt, void* problem) {
    static_cast<const InitialValueProblem*>(problem)->f(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dydt));
    return 0;
}

/// What both solvers need.
class Base {
public:
    explicit Base(const InitialValueProblem& problem) : problem_(problem) {
        SUNContext_Create(nullptr, &context_);
        state_ = N_VNew_Serial(static_cast<sunindextype>(problem.y0.size()), context_);
        load(problem.y0);
    }
    Base(const Base&) = delete;
    Base& operator=(const Base&) = delete;
    ~Base() {
        N_VDestroy(state_);
        SUNContext_Free(&context_);
    }

protected:
    void load(std::span<const double> y) { std::ranges::copy(y, N_VGetArrayPointer(state_)); }
    void unload(std::span<double> y) const { std::copy_n(N_VGetArrayPointer(state_), y.size(), y.begin()); }

    InitialValueProblem problem_;
    SUNContext context_ = nullptr;
    N_Vector state_ = nullptr;
};

/// ERKStep with the library's method of an order.
class ExplicitRungeKutta : public Base {
public:
    ExplicitRungeKutta(int order, const InitialValueProblem& problem) : Base(problem) {
        memory_ = ERKStepCreate(call, problem_.t0, state_, context_);
        ERKStepSetUserData(memory_, &problem_);
        ERKStepSetOrder(memory_, order);
        ERKStepSetMaxNumSteps(memory_, kMostSteps);
    }
    ~ExplicitRungeKutta() { ERKStepFree(&memory_); }

    void solve(double tolerance, std::span<double> y) {
        load(y);
        ERKStepReInit(memory_, call, problem_.t0, state_);
        ERKStepSStolerances(memory_, tolerance, tolerance);
        ERKStepSetStopTime(memory_, problem_.t1);
        double t = problem_.t0;
        ERKStepEvolve(memory_, problem_.t1, state_, &t, ARK_NORMAL);
        unload(y);
    }

private:
    void* memory_ = nullptr;
};

/// CVODE with Adams methods and functional iteration, its choice for problems that are not stiff.
class Adams : public Base {
public:
    explicit Adams(const InitialValueProblem& problem) : Base(problem) {
        memory_ = CVodeCreate(CV_ADAMS, context_);
        CVodeInit(memory_, call, problem_.t0, state_);
        CVodeSetUserData(memory_, &problem_);
        CVodeSetMaxNumSteps(memory_, kMostSteps);
        iteration_ = SUNNonlinSol_FixedPoint(state_, 0, context_);
        CVodeSStolerances(memory_, 1e-6, 1e-6);
        CVodeSetNonlinearSolver(memory_, iteration_);
    }
    ~Adams() {
        CVodeFree(&memory_);
        SUNNonlinSolFree(iteration_);
    }

    void solve(double tolerance, std::span<double> y) {
        begin(tolerance, y);
        double t = problem_.t0;
        CVode(memory_, problem_.t1, state_, &t, CV_NORMAL);
        unload(y);
    }

    // Times at which the first component is zero, found by CVODE's root finding.
    void zeros(double tolerance, std::span<double> y, std::vector<double>& times) {
        begin(tolerance, y);
        CVodeRootInit(memory_, 1, first_component);
        times.clear();
        double t = problem_.t0;
        while (CVode(memory_, problem_.t1, state_, &t, CV_NORMAL) == CV_ROOT_RETURN) {
            times.push_back(t);
        }
        unload(y);
    }

private:
    static int first_component(sunrealtype, N_Vector y, sunrealtype* g, void*) {
        g[0] = N_VGetArrayPointer(y)[0];
        return 0;
    }
    void begin(double tolerance, std::span<double> y) {
        load(y);
        CVodeReInit(memory_, problem_.t0, state_);
        CVodeSStolerances(memory_, tolerance, tolerance);
        CVodeSetStopTime(memory_, problem_.t1);
    }

    void* memory_ = nullptr;
    SUNNonlinearSolver iteration_ = nullptr;
};

} // namespace

std::vector<Solver> sundials_solvers(const InitialValueProblem& problem) {
    std::vector<Solver> solvers;
    for (const int order : {4, 5, 8}) {
        const auto memory = std::make_shared<ExplicitRungeKutta>(order, problem);
        solvers.push_back({"SUNDIALS ERK " + std::to_string(order), false, true,
                           [memory](double tolerance, std::span<double> y) { memory->solve(tolerance, y); }});
    }
    const auto adams = std::make_shared<Adams>(problem);
    solvers.push_back(
        {"CVODE Adams", false, true, [adams](double tolerance, std::span<double> y) { adams->solve(tolerance, y); }});
    return solvers;
}

ZeroFinder cvode_zero_finder(const InitialValueProblem& problem) {
    const auto adams = std::make_shared<Adams>(problem);
    return [adams](double tolerance, std::span<double> y, std::vector<double>& times) {
        adams->zeros(tolerance, y, times);
    };
}
#else
std::vector<Solver> sundials_solvers(const InitialValueProblem&) { return {}; }
ZeroFinder cvode_zero_finder(const InitialValueProblem&) { return {}; }
#endif

} // namespace substep_bench
