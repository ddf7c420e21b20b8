// The systems whose figures are reproduced: pendulum, semi-explicit Euler, stopping criteria, step doubling.
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "origin_table.h"
#include "substep/integrators/integrator_service.h"
#include "substep/scenes/ode_problem.h"

namespace substep {
namespace {

/// One advance of a problem from its start.
struct Run {
    std::vector<double> y;
    StepReport report;
};

Run run(OdeSystem& system, const OdeProblem& problem, const IntegratorSettings& settings) {
    IntegratorService service;
    service.configure(system, settings);
    Run result{problem.y0, {}};
    result.report = service.advance(system, problem.t0, problem.t1, result.y);
    result.report.message = {}; // belongs to the service
    return result;
}

Run run(const OdeProblem& problem, const IntegratorSettings& settings) {
    return run(*make_ode_system(problem), problem, settings);
}

/// A pendulum with the measure of Simbody's regression: a velocity's error is compared with the velocity at the
/// substep's start where that is above one, everything else with one.
class SimbodyPendulum final : public OdeSystem, public ErrorMeasure {
public:
    explicit SimbodyPendulum(const OdeProblem& problem) : pendulum_(make_ode_system(problem)) {}
    std::size_t size() const noexcept override { return pendulum_->size(); }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        pendulum_->derivative(t, y, dydt);
    }
    KickDriftSplit* kick_drift_split() noexcept override { return pendulum_->kick_drift_split(); }
    ErrorMeasure* error_measure() noexcept override { return this; }
    double measure(std::span<const double> y0, std::span<const double> error, double, double rtol) override {
        return std::fmax(std::fabs(error[0]), std::fabs(error[1]) / std::fmax(1.0, std::fabs(y0[1]))) / rtol;
    }

private:
    std::unique_ptr<OdeSystem> pendulum_;
};

const OdeProblem& problem_named(std::string_view id) { return *find_ode_problem(id); }

std::string short_number(double value) { return cell(value, "%.3g").text; }

} // namespace

// Fixed RK4 and adaptive Cash-Karp on theta'' = -9.8 sin theta, against elliptic functions.
CheckTable check_runge_kutta_pendulum() {
    OriginTable table("theta(0) = 0, omega(0) = -2, errors at t = 10000/60 s after one advance");
    const OdeProblem& problem = problem_named("pendulum_seed000");
    const auto error_of = [&](const Run& result, std::size_t i) {
        return result.report.status == StepStatus::ReachedTarget ? std::fabs(result.y[i] - problem.y1[i])
                                                                 : std::numeric_limits<double>::infinity();
    };

    // Recomputed errors have two or three digits. At 80 substeps round-off is as large as the method's error.
    struct Fixed {
        int substeps;
        double theta, omega;
    };
    for (const Fixed& row : {Fixed{1, 2.9e-6, 1.7e-5}, Fixed{5, 1.4e-8, 6.0e-8}, Fixed{10, 9.2e-10, 4.0e-9},
                             Fixed{20, 5.94e-11, 2.6e-10}, Fixed{80, 6e-14, 4e-13}}) {
        IntegratorSettings settings;
        settings.method = "rk4";
        settings.substeps = row.substeps * 10000;
        const Run result = run(problem, settings);
        const std::string name = "rk4, " + std::to_string(row.substeps) + " a frame";
        const std::string published = row.substeps == 20 ? "< 1e-12" : "-";
        if (row.substeps == 80) {
            table.add_bounded(name, "error theta", "-", "about 6e-14", error_of(result, 0), 1e-12);
            table.add_bounded(name, "error omega", "-", "4e-13", error_of(result, 1), 2e-12);
        } else {
            table.add_near(name, "error theta", published, row.theta, error_of(result, 0), "%.3g", 0.05);
            table.add_near(name, "error omega", published, row.omega, error_of(result, 1), "%.3g", 0.05);
        }
        table.add_count(name, "evaluations", "-", 40000 * row.substeps, result.report.evaluations);
    }

    // Counts move with the order of operations: 1 %.
    struct Adaptive {
        double eps, theta;
        int first_try, retried;
    };
    for (const Adaptive& row : {Adaptive{1e-6, 1.0e-3, 1459, 323}, Adaptive{1e-8, 7.5e-6, 4463, 244},
                                Adaptive{1e-10, 6.1e-8, 12071, 283}, Adaptive{1e-12, 5.6e-10, 31454, 321}}) {
        const Run result = run(problem, nr_settings(row.eps, 1.0 / 600.0));
        const std::string name = "cash_karp54 nr, " + short_number(row.eps);
        table.add_near(name, "error theta", "-", row.theta, error_of(result, 0), "%.3g", 0.05);
        table.add_near(name, "nok + nbad", "-", row.first_try + row.retried,
                       static_cast<double>(result.report.accepted), "%.0f", 0.01);
    }
    const Run tight = run(problem, nr_settings(1e-16, 1.0 / 600.0));
    const std::string name = "cash_karp54 nr, 1e-16";
    table.add_bounded(name, "error theta", "< 1e-12", "2.9e-12, compensated 1.1e-13", error_of(tight, 0), 1e-12);
    table.add_bounded(name, "error omega", "< 1e-12", "1.3e-11, compensated 4.4e-13", error_of(tight, 1), 1e-12);
    table.add_near(name, "nok + nbad", "-", 203686 + 237, static_cast<double>(tight.report.accepted), "%.0f", 0.01);
    table.add_near(name, "evaluations", "-", 1224723, static_cast<double>(tight.report.evaluations), "%.0f", 0.01);
    return table.take();
}

// Two semi-explicit Euler steps against one, on the same pendulum.
CheckTable check_semi_explicit_euler() {
    OriginTable table("the same pendulum to t = 10 s; exact theta 0.5254686860713975");
    OdeProblem problem = problem_named("pendulum_seed000");
    problem.t1 = 10.0;
    struct Row {
        double accuracy;
        int steps, failures, evaluations;
        double theta;
    };
    for (const Row& row : {Row{1e-2, 163, 14, 340, 0.434841475754509}, Row{1e-3, 494, 17, 1005, 0.502302276659836},
                           Row{1e-4, 1557, 18, 3132, 0.518361418249073}}) {
        SimbodyPendulum pendulum(problem);
        const Run result = run(pendulum, problem, simbody_settings(row.accuracy, 0.01));
        const std::string name = "accuracy " + short_number(row.accuracy);
        table.add_count(name, "steps", "-", row.steps, result.report.accepted);
        table.add_count(name, "failures", "-", row.failures, result.report.rejected);
        table.add_count(name, "evaluations", "-", row.evaluations, result.report.evaluations);
        table.add_digits(name, "theta", "-", row.theta, result.y[0], 5e-13);
    }
    return table.take();
}

namespace {

// A step of 0.1 s until the ball lands; the last one is repeated shorter.
void add_ballistic(OriginTable& table, const char* method, const char* published_t, const char* published_v, double t,
                   double v) {
    OdeProblem problem = problem_named("ballistic_landing_seed002");
    IntegratorSettings settings;
    settings.method = method;
    settings.substeps = 40; // of the 4 s that the problem gives it
    settings.event_location = EventLocation::RepeatShorter;
    const Run result = run(problem, settings);
    const std::string name = std::string("ballistic, ") + method;
    table.add_digits(name, "t of landing", published_t, t, problem.t0 + result.report.simulated, 1e-12);
    table.add_digits(name, "v of landing", published_v, v, result.y[1], 1e-11);
}

// From the centre of a star to its surface, where the density vanishes and the equations end.
void add_white_dwarf(OriginTable& table, double density, double radius, double mass) {
    OdeProblem problem = problem_named("white_dwarf");
    problem.y0 = {density * problem.t0 * problem.t0 * problem.t0 / 3.0, density};
    IntegratorSettings settings;
    settings.method = "dormand_prince54";
    settings.atol = settings.rtol = 1e-12;
    settings.event_location = EventLocation::RepeatShorter;
    const Run result = run(problem, settings);
    const std::string name = "white dwarf, density " + short_number(density);
    const bool stopped = result.report.status == StepStatus::EventLocated;
    const double at = stopped ? problem.t0 + result.report.simulated : std::numeric_limits<double>::quiet_NaN();
    table.add_digits(name, "radius", "-", radius, at, 1e-8);
    table.add_digits(name, "mass", "-", mass, result.y[0], 1e-8);
}

} // namespace

CheckTable check_stopping_criteria() {
    OriginTable table("the last step is repeated shorter until it meets the surface");
    add_ballistic(table, "explicit_euler", "2.749448", "-13.972081", 2.749447616223029584, -13.972081115147920);
    add_ballistic(table, "rk4", "2.650357", "-13.000000", 2.650356778797145770, -13.0);
    add_white_dwarf(table, 0.1, 3.7594991337634547091, 0.27982437458528710331);
    add_white_dwarf(table, 1.0, 2.4981872547817363179, 0.70706562008275561474);
    add_white_dwarf(table, 100.0, 0.95395032534020213275, 1.7355325885737238983);
    return table.take();
}

// Runge-Kutta 4 by step doubling on two equations with a closed form.
CheckTable check_step_doubling() {
    OriginTable table("x' = -2 x + t + 4, y' = exp(-t/2) to t = 1, relative error 1e-8, first step 0.01");
    const Run result = run(problem_named("orvedahl_seed004"), garcia_settings(1e-8, 0.01));
    const std::int64_t attempts = result.report.accepted + result.report.rejected;
    table.add_count("rk4_doubling garcia", "attempts", "-", 26, attempts);
    table.add_count("rk4_doubling garcia", "rejections", "-", 0, result.report.rejected);
    table.add_count("rk4_doubling garcia", "evaluations", "312 (first stage not shared)", 286,
                    result.report.evaluations);
    table.add_count("rk4_doubling garcia", "evaluations, 12 an attempt", "312", 312,
                    result.report.evaluations + attempts);
    table.add_digits("rk4_doubling garcia", "x(1)", "-", 2.1484985313695355, result.y[0], 1e-14);
    table.add_digits("rk4_doubling garcia", "y(1)", "-", 4.7869386805782055, result.y[1], 1e-14);
    return table.take();
}

std::vector<VerifyEntry> origin_entries() {
    return {{"origin1_pendulum", "Runge-Kutta pendulum: fixed RK4 and adaptive Cash-Karp", check_runge_kutta_pendulum},
            {"origin2_semi_explicit_euler", "Semi-explicit Euler with error control", check_semi_explicit_euler},
            {"origin3_stopping_criteria", "Stopping criteria: a ballistic curve and a white dwarf",
             check_stopping_criteria},
            {"origin4_sculpting_tool", "Six solvers of a sculpting tool", check_sculpting_tool},
            {"origin5_step_doubling", "Runge-Kutta with step doubling", check_step_doubling}};
}

} // namespace substep
