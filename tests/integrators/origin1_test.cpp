// Origin 1, the Runge-Kutta pendulum: its published table, recomputed.
//
// theta'' = -9.8 sin theta, theta(0) = 0, omega(0) = -2, one advance over 10 000 frames of 1/60 s.
#include <cmath>

#include <doctest/doctest.h>

#include "test_systems.h"

using namespace substep;
using namespace substep_test;

namespace {

constexpr double kEnd = 10000.0 / 60.0;
constexpr double kTheta = 0.530077798104947758; ///< exact, at kEnd rounded to double
constexpr double kOmega = -1.14466050513173661;

struct Result {
    double theta_error;
    double omega_error;
    StepReport report;
};

Result run(const IntegratorSettings& settings) {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, settings);
    std::array<double, 2> y{0.0, -2.0};
    const StepReport report = service.advance(pendulum, 0.0, kEnd, y);
    CHECK(report.status == StepStatus::ReachedTarget);
    CHECK(report.evaluations == pendulum.calls);
    return {std::fabs(y[0] - kTheta), std::fabs(y[1] - kOmega), report};
}

} // namespace

TEST_CASE("origin 1: rk4 has the published errors at 1 to 80 substeps a frame") {
    struct Row {
        int substeps;
        double theta, omega;
    };
    // Published to two digits; the last row's method error is 2.3e-13, with round-off of the same size on top.
    for (const Row row :
         {Row{1, 2.9e-6, 1.7e-5}, Row{5, 1.4e-8, 6.0e-8}, Row{10, 9.2e-10, 4.0e-9}, Row{20, 5.94e-11, 2.6e-10}}) {
        CAPTURE(row.substeps);
        IntegratorSettings settings;
        settings.method = "rk4";
        settings.substeps = row.substeps * 10000;
        const Result result = run(settings);
        CHECK(result.theta_error == doctest::Approx(row.theta).epsilon(0.05));
        CHECK(result.omega_error == doctest::Approx(row.omega).epsilon(0.05));
        CHECK(result.report.evaluations == 40000 * row.substeps);
    }
    IntegratorSettings settings;
    settings.method = "rk4";
    settings.substeps = 800000;
    const Result result = run(settings);
    CHECK(result.theta_error < 1e-12);
    CHECK(result.omega_error < 4e-12);
}

TEST_CASE("origin 1: Cash-Karp nr has the published errors and counts") {
    struct Row {
        double eps, theta;
        int steps;
    };
    for (const Row row : {Row{1e-6, 1.0e-3, 1459 + 323}, Row{1e-8, 7.5e-6, 4463 + 244}, Row{1e-10, 6.1e-8, 12071 + 283},
                          Row{1e-12, 5.6e-10, 31454 + 321}}) {
        CAPTURE(row.eps);
        const Result result = run(nr_settings(row.eps, 1.0 / 600));
        CHECK(result.theta_error == doctest::Approx(row.theta).epsilon(0.05));
        CHECK(static_cast<double>(result.report.accepted) == doctest::Approx(row.steps).epsilon(0.01));
        // Six evaluations a substep, five more for every rejected attempt.
        CHECK(result.report.evaluations == 6 * result.report.accepted + 5 * result.report.rejected);
    }
}

TEST_CASE("origin 1: with compensated time Cash-Karp nr at 1e-16 meets the published claim of 1e-12") {
    const Result result = run(nr_settings(1e-16, 1.0 / 600));
    CHECK(result.theta_error < 2e-13);
    CHECK(result.omega_error < 8e-13);
    CHECK(static_cast<double>(result.report.accepted) == doctest::Approx(203686 + 237).epsilon(0.01));
    CHECK(static_cast<double>(result.report.evaluations) == doctest::Approx(1224723).epsilon(0.01));
}
