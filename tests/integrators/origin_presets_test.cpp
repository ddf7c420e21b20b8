// The step control of the systems that this one replaces, reproduced to the count: origins 2, 4 and 5.
#include <doctest/doctest.h>

#include <cmath>

#include "substep/integrators/integrator_service.h"
#include "test_systems.h"

using namespace substep;

namespace {

/// The pendulum with the measure of Simbody's regression: velocities compared with their size at the substep's start.
class SimbodyPendulum final : public substep::OdeSystem, public KickDriftSplit, public ErrorMeasure {
public:
    std::size_t size() const noexcept override { return pendulum_.size(); }
    void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
        pendulum_.derivative(t, y, dydt);
    }
    KickDriftSplit* kick_drift_split() noexcept override { return this; }
    ErrorMeasure* error_measure() noexcept override { return this; }
    void force(double t, std::span<const double> y, std::span<double> dydt) override { pendulum_.force(t, y, dydt); }
    bool drift(double t, double h, std::span<double> y) override { return pendulum_.drift(t, h, y); }
    void project_momenta(double, std::span<double>) override {}
    double measure(std::span<const double> y0, std::span<const double> error, double, double rtol) override {
        return std::fmax(std::fabs(error[0]), std::fabs(error[1]) / std::fmax(1.0, std::fabs(y0[1]))) / rtol;
    }

private:
    substep_test::Pendulum pendulum_;
};

} // namespace

TEST_CASE("origin 2: semi-explicit Euler with doubling makes the steps, failures and evaluations of the regression") {
    struct Row {
        double accuracy;
        int steps, failures, evaluations;
        double theta;
    };
    for (const Row& row : {Row{1e-2, 163, 14, 340, 0.434841475754509}, Row{1e-3, 494, 17, 1005, 0.502302276659836},
                           Row{1e-4, 1557, 18, 3132, 0.518361418249073}}) {
        SimbodyPendulum pendulum;
        IntegratorService service;
        service.configure(pendulum, simbody_settings(row.accuracy, 0.01));
        std::array<double, 2> y{0.0, -2.0};
        const StepReport report = service.advance(pendulum, 0.0, 10.0, y);
        CHECK(report.accepted == row.steps);
        CHECK(report.rejected == row.failures);
        CHECK(report.evaluations == row.evaluations);
        CHECK(std::fabs(y[0] - row.theta) < 1e-12); // twelve digits
    }
}

TEST_CASE("origin 5: fourth order by doubling makes 26 attempts and 286 evaluations") {
    auto system = substep_test::plain_system<2>([](double t, const auto& y) {
        return std::array{-2.0 * y[0] + t + 4.0, std::exp(-0.5 * t)};
    });
    IntegratorService service;
    service.configure(system, garcia_settings(1e-8, 0.01));
    std::array<double, 2> y{1.0, 4.0};
    const StepReport report = service.advance(system, 0.0, 1.0, y);
    CHECK(report.accepted == 26);
    CHECK(report.rejected == 0);
    CHECK(report.evaluations == 286);
    // The last digits differ by rounding: sums are formed in another order.
    CHECK(std::fabs(y[0] - 2.1484985313695355) < 1e-13);
    CHECK(std::fabs(y[1] - 4.7869386805782055) < 1e-13);
}

TEST_CASE("origin 4: every solver completes, at the smallest step if it must, and says so") {
    for (const char* method :
         {"explicit_euler", "rk4", "rk4_doubling", "fehlberg54", "dormand_prince54", "bogacki_shampine32"}) {
        CAPTURE(method);
        // A swirl whose speed jumps: no step is short enough for the tolerance there.
        auto system = substep_test::plain_system<3>([](double t, const auto& y) {
            const double rate = t < 0.5 ? 1.0 : 20.0;
            return std::array{-rate * y[1], rate * y[0], 0.1};
        });
        IntegratorService service;
        IntegratorSettings settings = medium_settings(method, 1.3e-10, 1.0);
        settings.substeps = 1000;
        service.configure(system, settings);
        std::array<double, 3> y{1.0, 0.0, 0.0};
        const StepReport report = service.advance(system, 0.0, 1.0, y);
        CHECK(report.status == StepStatus::ReachedTarget);
        CHECK(report.degraded == find_method(method)->adaptive);
        CHECK(report.accepted <= 1000);
        CHECK(std::fabs(y[0] - std::cos(10.5)) < (std::string_view(method) == "explicit_euler" ? 0.2 : 0.02));
    }
}
