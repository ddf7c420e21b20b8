// Our service as a solver, and curves of work against error.
#include "solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "substep/integrators/integrator_service.h"

namespace substep_bench {
namespace {

class FunctionSystem final : public substep::OdeSystem {
public:
    explicit FunctionSystem(const InitialValueProblem& problem) : f_(problem.f), size_(problem.y0.size()) {}
    std::size_t size() const noexcept override { return size_; }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        f_(t, y.data(), dydt.data());
    }

private:
    void (*f_)(double, const double*, double*);
    std::size_t size_;
};

} // namespace

Solver service_solver(const std::string& method, const InitialValueProblem& problem) {
    struct Memory {
        FunctionSystem system;
        substep::IntegratorService service;
        substep::IntegratorSettings settings;
    };
    const auto memory = std::make_shared<Memory>(Memory{FunctionSystem(problem), {}, {}});
    memory->settings.method = method;
    const bool adaptive = substep::find_method(method)->adaptive;
    return {"substep " + method + " (service)", true, adaptive,
            [memory, adaptive, t0 = problem.t0, t1 = problem.t1](double setting, std::span<double> y) {
                if (adaptive) {
                    memory->settings.atol = memory->settings.rtol = setting;
                } else {
                    memory->settings.substeps = static_cast<int>(setting);
                }
                memory->service.configure(memory->system, memory->settings);
                memory->service.reset();
                memory->service.advance(memory->system, t0, t1, y);
            }};
}

double time_at_error(const std::vector<WorkPoint>& points, double error) {
    // From fine to coarse: the largest error so far, until it exceeds what is wanted.
    double largest = 0.0;
    double finer_error = 0.0;
    double finer_ns = 0.0;
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
        if (!std::isfinite(point->error)) {
            break;
        }
        largest = std::max(largest, point->error);
        if (largest > error) {
            if (finer_error == 0.0) {
                return std::numeric_limits<double>::infinity();
            }
            const double part = std::log(error / finer_error) / std::log(largest / finer_error);
            return finer_ns * std::pow(point->ns / finer_ns, part);
        }
        finer_error = largest;
        finer_ns = point->ns;
    }
    return finer_error > 0.0 ? finer_ns : std::numeric_limits<double>::infinity();
}

} // namespace substep_bench
