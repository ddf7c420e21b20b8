// The six solvers of a sculpting tool: one small system per vertex, completion guaranteed.
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "origin_table.h"
#include "substep/integrators/integrator_service.h"
#include "substep/numerics/elementary_functions.h"

namespace substep {
namespace {

constexpr double kTolerance = 0.00013; // m, a tenth of a voxel
constexpr double kInterval = 1.0;      // s
constexpr int kFixedSteps = 10;        // the first step is a tenth of the interval

constexpr std::array kSolvers{"explicit_euler",    "rk4", "rk4_doubling", "fehlberg54", "dormand_prince54",
                              "bogacki_shampine32"};

/// A swirl about the z axis that fades with the distance r from it, and a lift: angle' = a exp(-r^2), z' = 1/5. r is
/// constant along a path, which makes the closed form.
class Swirl final : public OdeSystem {
public:
    explicit Swirl(double rate) : rate_(rate) {}
    std::size_t size() const noexcept override { return 3; }
    void derivative(double, std::span<const double> p, std::span<double> dpdt) override {
        const double turn = angular_rate(p);
        dpdt[0] = -turn * p[1];
        dpdt[1] = turn * p[0];
        dpdt[2] = 0.2;
    }
    std::array<double, 3> exact(const std::array<double, 3>& p, double t) const {
        const double angle = angular_rate(p) * t;
        const double s = sine(angle);
        const double c = cosine(angle);
        return {c * p[0] - s * p[1], s * p[0] + c * p[1], p[2] + 0.2 * t};
    }

private:
    double angular_rate(std::span<const double> p) const { return rate_ * std::exp(-p[0] * p[0] - p[1] * p[1]); }
    double rate_;
};

/// A field with a hole: not a number beyond x = 1/2.
class Hole final : public OdeSystem {
public:
    std::size_t size() const noexcept override { return 3; }
    void derivative(double, std::span<const double> p, std::span<double> dpdt) override {
        dpdt[0] = p[0] < 0.5 ? 1.0 : std::numeric_limits<double>::quiet_NaN();
        dpdt[1] = dpdt[2] = 0.0;
    }
};

IntegratorSettings settings_for(const char* solver, double tolerance) {
    IntegratorSettings settings = medium_settings(solver, tolerance, kInterval);
    if (!find_method(solver)->adaptive) {
        settings.substeps = kFixedSteps;
    }
    return settings;
}

/// What a grid of vertices did.
struct Sweep {
    double worst_error = 0.0; // m
    std::int64_t steps = 0;
    bool completed = true;
    bool degraded = false;
};

Sweep sweep(const IntegratorSettings& settings, double rate) {
    Swirl swirl(rate);
    Sweep result;
    for (int i = 0; i < 100; ++i) {
        const int row = i / 10;
        const std::array<double, 3> start{-1.0 + 0.2 * (i % 10) + 0.1, -1.0 + 0.2 * row + 0.1, 0.0};
        std::array<double, 3> p = start;
        IntegratorService service;
        service.configure(swirl, settings);
        const StepReport report = service.advance(swirl, 0.0, kInterval, p);
        const auto exact = swirl.exact(start, kInterval);
        const double error = std::hypot(p[0] - exact[0], p[1] - exact[1], p[2] - exact[2]);
        result.worst_error = std::fmax(result.worst_error, error);
        result.steps += report.accepted;
        result.completed = result.completed && report.status == StepStatus::ReachedTarget;
        result.degraded = result.degraded || report.degraded;
    }
    return result;
}

// Errors of single steps of length h: of the result against the closed form, and as the method estimates it.
struct StepErrors {
    double result = 0.0;
    double estimate = 0.0;
};

StepErrors step_errors(const IntegrationMethod& method, double h) {
    Swirl swirl(3.0);
    const std::array<double, 3> start{0.3, 0.5, 0.0};
    StepWorkspace workspace;
    workspace.resize(3, static_cast<std::size_t>(method.info().stages) + 1);
    std::copy(start.begin(), start.end(), workspace.y0.begin());
    method.step(swirl, 0.0, h, workspace);
    const auto exact = swirl.exact(start, h);
    StepErrors errors;
    for (std::size_t i = 0; i < 3; ++i) {
        errors.result = std::hypot(errors.result, workspace.y1[i] - exact[i]);
        errors.estimate = std::hypot(errors.estimate, workspace.error[i]);
    }
    return errors;
}

// Halving a step divides a local error of order p by 2^(p + 1).
void add_orders(OriginTable& table, const char* solver) {
    const IntegrationMethod& method = *detail::integration_method(solver);
    const double h = method.info().order >= 5 ? 0.04 : 0.02; // small, but errors well above round-off
    const StepErrors coarse = step_errors(method, h);
    const StepErrors fine = step_errors(method, 0.5 * h);
    const auto add = [&](const char* quantity, double order, int expected, const char* recomputed) {
        table.add(solver, quantity, "-", recomputed, order, "%.2f", std::to_string(expected) + " +- 0.2",
                  std::fabs(order - expected) <= 0.2);
    };
    add("order of the result", std::log2(coarse.result / fine.result) - 1.0, method.info().order, "-");
    if (method.info().adaptive) {
        const bool is_dormand_prince = std::string_view(solver) == "dormand_prince54";
        add("order of the estimate", std::log2(coarse.estimate / fine.estimate) - 1.0, method.info().error_order,
            is_dormand_prince ? "3 (k5 for k6)" : "-");
    }
}

} // namespace

CheckTable check_sculpting_tool() {
    OriginTable table("100 vertices through a swirl for 1 s, error per unit step <= 0.00013 m, first step 0.1 s, "
                      "steps of 0.001 s always accepted");
    for (const char* solver : kSolvers) {
        const MethodInfo& info = *find_method(solver);

        // At its own tolerance; fixed solvers must converge instead.
        const Sweep normal = sweep(settings_for(solver, kTolerance), 3.0);
        table.add(solver, "vertices completed", "all", "-", normal.completed ? 100 : 0, "%.0f", "100",
                  normal.completed);
        if (info.adaptive) {
            table.add_bounded(solver, "worst error (m)", "-", "-", normal.worst_error, kTolerance);
        } else {
            IntegratorSettings finer = settings_for(solver, kTolerance);
            finer.substeps *= 2;
            const double ratio = normal.worst_error / sweep(finer, 3.0).worst_error;
            table.add(solver, "worst error (m)", "-", "-", normal.worst_error, "%.3g", "-", true);
            table.add_near(solver, "error / error at half the step", "-", std::pow(2.0, info.order), ratio, "%.2f",
                           0.25);
        }

        // A tolerance that no step can meet still completes, and the report says so.
        if (info.adaptive) {
            const Sweep hopeless = sweep(settings_for(solver, 1e-17), 3.0);
            table.add(solver, "completed at tolerance 1e-17", "all", "-", hopeless.completed ? 100 : 0, "%.0f",
                      "100, degraded", hopeless.completed && hopeless.degraded);
        }
        add_orders(table, solver);
    }

    // The original ends a field that is not a number as accepted steps; here the last good state stays, and is said.
    Hole hole;
    IntegratorService service;
    service.configure(hole, settings_for("dormand_prince54", kTolerance));
    std::array<double, 3> p{0.0, 0.0, 0.0};
    const StepReport report = service.advance(hole, 0.0, kInterval, p);
    table.add("field that is not a number", "x where it stopped", "accepted", "-", p[0], "%.3f", "non_finite, x <= 0.5",
              report.status == StepStatus::NonFinite && p[0] <= 0.5);
    return table.take();
}

} // namespace substep
