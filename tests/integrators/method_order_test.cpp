// What the table of methods claims of each row, measured: order, error order, interpolant, stability, exactness.
#include <cmath>
#include <complex>
#include <string>

#include <doctest/doctest.h>

#include "substep/integrators/butcher_tableau.h"
#include "test_systems.h"

using namespace substep;
using namespace substep_test;

namespace {

/// The pendulum's state at t = 1 from (0.3, -2): RK4 with 100 000 substeps, whose error is round-off (1e-14).
std::array<double, 2> pendulum_at_one() {
    Pendulum pendulum;
    IntegratorService service;
    IntegratorSettings settings;
    settings.method = "rk4";
    settings.substeps = 100000;
    service.configure(pendulum, settings);
    std::array<double, 2> y{0.3, -2.0};
    REQUIRE(service.advance(pendulum, 0.0, 1.0, y).status == StepStatus::ReachedTarget);
    return y;
}

double error_at_one(const MethodInfo& method, double h, const std::array<double, 2>& exact) {
    Pendulum pendulum;
    IntegratorService service;
    service.configure(pendulum, fixed_settings(method, h, 1.0));
    std::array<double, 2> y{0.3, -2.0};
    const StepReport report = service.advance(pendulum, 0.0, 1.0, y);
    REQUIRE(report.status == StepStatus::ReachedTarget);
    REQUIRE(report.accepted == std::lround(1.0 / h));
    return std::hypot(y[0] - exact[0], y[1] - exact[1]);
}

template <std::size_t S>
double imaginary_limit_of(const ButcherTableau<S>& tableau) {
    // R(z) = 1 + z b^T (I - z A)^-1 1, the stages being solved one after the other.
    const auto growth = [&](double y) {
        const std::complex<double> z(0.0, y);
        std::array<std::complex<double>, S> stage;
        std::complex<double> result = 1.0;
        for (std::size_t i = 0; i < S; ++i) {
            stage[i] = 1.0;
            for (std::size_t j = 0; j < i; ++j) {
                stage[i] += z * tableau.a[i][j] * stage[j];
            }
            result += z * tableau.b[i] * stage[i];
        }
        return std::abs(result);
    };
    double y = 0.0;
    while (growth(y + 1e-4) <= 1.0 + 1e-3) {
        y += 1e-4;
    }
    return y;
}

} // namespace

TEST_CASE("every method converges with the order that its row claims") {
    const auto exact = pendulum_at_one();
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        // High orders are measured where their error is still far above round-off.
        const double h = info.order >= 4 ? 1.0 / 40 : 1.0 / 400;
        const double order = measured_order(error_at_one(info, h, exact), error_at_one(info, h / 2, exact), 2.0);
        // The next term of the error is of relative size h times a constant of order one: 0.15 covers it.
        CHECK(order > info.order - 0.15);
        CHECK(order < info.order + 0.5);
    }
}

TEST_CASE("an error estimate converges with the order of the embedded formula plus one") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive) {
            continue;
        }
        CAPTURE(info.name);
        Pendulum pendulum;
        const auto estimate = [&](double h) {
            StepWorkspace workspace;
            workspace.resize(2, static_cast<std::size_t>(info.stages));
            workspace.y0[0] = 0.3;
            workspace.y0[1] = -2.0;
            method->step(pendulum, 0.0, h, workspace);
            return std::hypot(workspace.error[0], workspace.error[1]);
        };
        const double order = measured_order(estimate(1.0 / 30), estimate(1.0 / 60), 2.0);
        CHECK(order == doctest::Approx(info.error_order + 1).epsilon(0.05));
    }
}

TEST_CASE("every interpolant has the order that its row claims, everywhere inside the substep") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        // Largest error of samples inside one substep from exact data; truth by fine RK4 to each sample.
        const auto largest_error = [&](double h) {
            Pendulum pendulum;
            IntegratorService service;
            service.configure(pendulum, fixed_settings(info, h, h));
            std::array<double, 2> y{0.3, -2.0};
            service.advance(pendulum, 0.0, h, y);
            IntegratorSettings fine;
            fine.method = "rk4";
            fine.substeps = 40;
            IntegratorService reference;
            reference.configure(pendulum, fine);
            std::array<double, 2> truth{0.3, -2.0};
            double largest = 0.0;
            for (int i = 1; i < 20; ++i) {
                std::array<double, 2> sampled{};
                reference.advance(pendulum, h * (i - 1) / 20, h * i / 20, truth);
                REQUIRE(service.sample(pendulum, h * i / 20, sampled));
                largest = std::fmax(largest, std::hypot(sampled[0] - truth[0], sampled[1] - truth[1]));
            }
            return largest;
        };
        const double h = 1.0 / 10;
        const double local_order = measured_order(largest_error(h), largest_error(h / 2), 2.0);
        // The slope still misses 0.24 at these lengths (cash_karp54, whose own error joins in); an order less would
        // be 1.
        CHECK(local_order > info.dense_order + 1 - 0.3);
        CHECK(local_order < info.dense_order + 1 + 0.5);
    }
}

TEST_CASE("a method of order p integrates t^(p-1) exactly") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (info.needs != MethodNeeds::Derivative) {
            continue;
        }
        CAPTURE(info.name);
        auto system = plain_system<1>([&](double t, const std::array<double, 1>&) {
            return std::array{info.order * std::pow(t, info.order - 1)};
        });
        StepWorkspace workspace;
        workspace.resize(1, static_cast<std::size_t>(info.stages));
        workspace.y0[0] = 0.0;
        method->step(system, 0.0, 1.5, workspace);
        // A handful of roundings of numbers as large as the result.
        CHECK(std::fabs(workspace.y1[0] - std::pow(1.5, info.order)) < 1e-14 * std::pow(1.5, info.order));
    }
}

TEST_CASE("the stability limits of the table follow from the tableaux within 2 %") {
    const auto limit = [](const char* name) { return find_method(name)->info().imaginary_limit; };
    CHECK(limit("explicit_euler") == doctest::Approx(imaginary_limit_of(kExplicitEuler)).epsilon(0.02));
    CHECK(limit("heun2") == doctest::Approx(imaginary_limit_of(kHeun2)).epsilon(0.02));
    CHECK(limit("rk4") == doctest::Approx(imaginary_limit_of(kRk4)).epsilon(0.02));
    CHECK(limit("cash_karp54") == doctest::Approx(imaginary_limit_of(kCashKarp54)).epsilon(0.02));
}

TEST_CASE("a tableau with one wrong coefficient does not pass its checks") {
    auto wrong_row = kCashKarp54;
    wrong_row.a[4][2] = 70.0 / 27;
    CHECK_FALSE(is_consistent(wrong_row));
    auto wrong_weights = kCashKarp54;
    std::swap(wrong_weights.b[2], wrong_weights.b[3]);
    CHECK(is_consistent(wrong_weights));
    CHECK(order_of(wrong_weights, wrong_weights.b, 6) == 1);
}

TEST_CASE("a method's stages tell the frequency of an oscillator") {
    for (const char* name : {"rk4", "cash_karp54"}) {
        CAPTURE(name);
        auto oscillator = plain_system<2>([](double, const std::array<double, 2>& y) {
            return std::array{y[1], -2500.0 * y[0]};
        });
        const IntegrationMethod* method = find_method(name);
        StepWorkspace workspace;
        workspace.resize(2, static_cast<std::size_t>(method->info().stages));
        workspace.y0[0] = 1.0;
        workspace.y0[1] = 3.0;
        method->step(oscillator, 0.0, 0.01, workspace);
        CHECK(method->stage_frequency(workspace, 0.01) == doctest::Approx(50.0).epsilon(1e-9));
    }
}

TEST_CASE("every row says what people need to know, and its name finds it") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        CHECK(find_method(info.name) == method);
        for (const std::string_view text : {info.label, info.promise, info.caution, info.source}) {
            CHECK(text.size() > 5);
        }
        CHECK(info.adaptive == (info.error_order > 0));
        CHECK(info.imaginary_limit > 0.0);
    }
    CHECK(find_method("rk5") == nullptr);
}

TEST_CASE("symplectic methods keep the pendulum's energy bounded, heun2 does not") {
    // 20 000 substeps of 1/60 s. A first-order symplectic method oscillates by O(h), without trend: the extremes of the
    // second half equal those of the first.
    const auto extremes = [](const char* name) {
        Pendulum pendulum;
        IntegratorService service;
        IntegratorSettings settings;
        settings.method = name;
        service.configure(pendulum, settings);
        std::array<double, 2> y{0.0, -2.0};
        const double start = Pendulum::energy(y);
        std::array<double, 2> halves{};
        for (int i = 0; i < 20000; ++i) {
            service.advance(pendulum, i / 60.0, (i + 1) / 60.0, y);
            double& half = halves[i < 10000 ? 0 : 1];
            half = std::fmax(half, std::fabs(Pendulum::energy(y) - start));
        }
        return halves;
    };
    for (const IntegrationMethod* method : method_catalogue()) {
        if (method->info().symplectic) {
            CAPTURE(method->info().name);
            const auto halves = extremes(std::string(method->info().name).c_str());
            CHECK(halves[1] < 1.01 * halves[0]);
        }
    }
    const auto heun = extremes("heun2");
    CHECK(heun[1] > 1.5 * heun[0]);
}
