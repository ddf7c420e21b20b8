// What the table of methods claims of each row, measured: order, orders of the estimates and of the interpolant,
// exactness.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "method_driver.h"
#include "substep/integrators/dormand_prince853.h"
#include "substep/integrators/tableaux.h"
#include "test_systems.h"

using namespace substep;
using namespace substep_test;

namespace {

/// Slope of log error against log h at the shortest h = 1/2, 1/4, ... whose error is still above `floor`, where the
/// leading term is all that is left. `finest`: substeps of that many to the unit of time are the shortest tried.
template <class ErrorAt>
double measured_order(ErrorAt error_at, double floor, int finest) {
    double order = 0.0;
    double coarse = error_at(0.5);
    for (int n = 4; n <= finest; n *= 2) {
        const double fine = error_at(1.0 / n);
        if (fine < floor) {
            break;
        }
        order = order_from(coarse, fine);
        coarse = fine;
    }
    return order;
}

/// One substep of length h from the pendulum's start.
struct FirstSubstep {
    FirstSubstep(const IntegrationMethod& method, double h) : driver(method, system, kPendulumStart) {
        driver.step(h);
        exact = reference(system, kPendulumStart, h, 20);
    }

    decltype(pendulum()) system = pendulum();
    MethodDriver driver;
    std::vector<double> exact;
};

double size_of(std::span<const double> y) { return std::hypot(y[0], y[1]); }

/// Largest error of samples inside one substep of length h from exact data.
double dense_error(const IntegrationMethod& method, double h) {
    FirstSubstep first(method, h);
    const StepWorkspace& w = first.driver.w;
    std::array<double, 2> f0{};
    std::array<double, 2> f1{};
    first.system.derivative(0.0, w.y0, f0);
    first.system.derivative(h, w.y1, f1);
    Interpolant interpolant;
    interpolant.resize(2);
    interpolant.set(0.0, h, w.y0, f0, w.y1, f1);
    first.system.calls = 0;
    const int evaluations = method.extend_interpolant(first.system, 0.0, h, first.driver.w, f1, interpolant);
    CHECK(evaluations == method.info().dense_evaluations);
    CHECK(first.system.calls == evaluations);

    double largest = 0.0;
    for (int i = 1; i < 10; ++i) {
        std::array<double, 2> sampled{};
        interpolant.evaluate(h * i / 10, sampled);
        largest = std::fmax(largest, distance(sampled, reference(first.system, kPendulumStart, h * i / 10, 20)));
    }
    return largest;
}

} // namespace

TEST_CASE("the reference of these tests agrees with RK4 at a hundred thousand substeps") {
    auto system = pendulum();
    MethodDriver rk4(*detail::integration_method("rk4"), system, kPendulumStart);
    // RK4's error is 2e-20 h^-4 there; what is left is the round-off of its additions.
    CHECK(distance(rk4.steps(100000, 1e-5), reference(system, kPendulumStart, 1.0, 200)) < 2e-14);
}

TEST_CASE("every method converges with the order that its row claims") {
    // The largest error of several swings, so that no accident of one of them makes a method look better.
    auto system = pendulum();
    std::vector<std::array<double, 2>> starts;
    std::vector<std::vector<double>> ends;
    for (const double angle : {0.3, 1.0, 1.7, 2.4}) {
        for (const double rate : {-2.0, 1.0}) {
            starts.push_back({angle, rate});
            ends.push_back(reference(system, starts.back(), 1.0, 400));
        }
    }
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        const double order = measured_order(
            [&](double h) {
                double largest = 0.0;
                for (std::size_t i = 0; i < starts.size(); ++i) {
                    MethodDriver driver(*method, system, starts[i]);
                    const auto end = driver.steps(static_cast<int>(std::lround(1.0 / h)), h);
                    largest = std::fmax(largest, distance(end, ends[i]));
                }
                return largest;
            },
            1e-12, 1024); // two digits above round-off
        // The next term still shows where the leading one is small (tsitouras54: 0.42); eighth-order methods, whose
        // leading term is tiny, reach round-off before it is all that is left (verner87: 1.01).
        CHECK(order > info.order - 0.3);
        CHECK(order < info.order + (info.order < 8 ? 0.5 : 1.2));
    }
}

TEST_CASE("an error estimate converges with the order of the embedded formula plus one") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive) {
            continue;
        }
        CAPTURE(info.name);
        const auto estimate = [&](double h) {
            const FirstSubstep first(*method, h);
            const double fine = size_of(first.driver.w.error);
            const double coarse = size_of(first.driver.w.coarse_error);
            return info.two_estimates ? fine * fine / std::sqrt(fine * fine + 0.01 * coarse * coarse) : fine;
        };
        // The combination of two estimates still misses 0.29 where round-off begins; an order less would miss by 1.
        CHECK(std::fabs(measured_order(estimate, 1e-14, 256) - (info.error_order + 1)) < 0.35);
    }
}

TEST_CASE("a doubled splitting asks for the force at the middle of its substep, so that its estimate sees the clock") {
    // q'' = t: the halves take the forces 0 and h/2, the whole one the force 0.
    class Ramp final : public OdeSystem, public KickDriftSplit {
    public:
        std::size_t size() const noexcept override { return 2; }
        void derivative(double t, std::span<const double> y, std::span<double> dydt) override {
            force(t, y, dydt);
            dydt[0] = y[1];
        }
        KickDriftSplit* kick_drift_split() noexcept override { return this; }
        void force(double t, std::span<const double>, std::span<double> dydt) override {
            dydt[0] = 0.0;
            dydt[1] = t;
        }
        bool drift(double, double h, std::span<double> y) override {
            y[0] += h * y[1];
            return true;
        }
        void project_momenta(double, std::span<double>) override {}
    };
    Ramp ramp;
    MethodDriver driver(*detail::integration_method("symplectic_euler_doubling"), ramp, std::array{0.0, 0.0});
    driver.step(0.5);
    CHECK(driver.w.y1[1] == 0.25 * 0.25);
    CHECK(driver.w.error[1] == 0.25 * 0.25);
}

TEST_CASE("the two estimates of dormand_prince853 have orders five and three") {
    const IntegrationMethod& method = *detail::integration_method("dormand_prince853");
    const auto fine = [&](double h) { return size_of(FirstSubstep(method, h).driver.w.error); };
    const auto coarse = [&](double h) { return size_of(FirstSubstep(method, h).driver.w.coarse_error); };
    CHECK(std::fabs(measured_order(fine, 1e-14, 256) - 6.0) < 0.15);
    CHECK(std::fabs(measured_order(coarse, 1e-14, 256) - 4.0) < 0.15);
}

TEST_CASE(
    "a pair propagates its better row and estimates with the other: local errors of Dormand-Prince are h^6 and h^5") {
    const auto local_order = [](const char* name, bool embedded) {
        return measured_order(
            [&](double h) {
                const FirstSubstep first(*detail::integration_method(name), h);
                std::array<double, 2> y{first.driver.w.y1[0], first.driver.w.y1[1]};
                for (std::size_t i = 0; embedded && i < 2; ++i) {
                    y[i] -= first.driver.w.error[i];
                }
                return distance(y, first.exact);
            },
            1e-13, 256);
    };
    CHECK(std::fabs(local_order("dormand_prince54", false) - 6.0) < 0.25);
    CHECK(std::fabs(local_order("dormand_prince54", true) - 5.0) < 0.25);
    // Step doubling is the other way round: its extrapolation would be the better result.
    CHECK(std::fabs(local_order("rk4_doubling", false) - 5.0) < 0.25);
    CHECK(std::fabs(local_order("rk4_doubling", true) - 6.0) < 0.25);
}

TEST_CASE("every interpolant has the order that its row claims, everywhere inside the substep") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        const double order = measured_order([&](double h) { return dense_error(*method, h); }, 2e-14, 128);
        // The next term of the error is of relative size h (dormand_prince853: 0.28); an order less would miss by 1.
        CHECK(std::fabs(order - (info.dense_order + 1)) < 0.35);
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
        MethodDriver driver(*method, system, std::array{0.0});
        driver.step(1.5);
        // A handful of roundings of numbers as large as the result, times the sum of |b|: 96 for verner87.
        CHECK(std::fabs(driver.w.y1[0] - std::pow(1.5, info.order)) < 1e-13 * std::pow(1.5, info.order));
    }
}

TEST_CASE("a substep costs the evaluations that its row claims, and one less where the first is known") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        auto system = pendulum();
        MethodDriver driver(*method, system, kPendulumStart);
        driver.steps(10, 0.01);
        CHECK(driver.evaluations == system.calls);
        CHECK(driver.evaluations == 10 * info.stages + (info.first_same_as_last ? 1 : 0));

        // A repeated attempt finds its first stage, whatever the method.
        driver.evaluations = 0;
        driver.w.k0_ready = true;
        const int retried = method->step(system, 0.0, 0.005, driver.w).evaluations;
        const bool reuses = info.needs == MethodNeeds::Derivative || info.needs == MethodNeeds::KickDriftSplit;
        CHECK(retried == info.stages - (reuses && !info.first_same_as_last ? 1 : 0));
    }
}

TEST_CASE("a last stage that is the next one's first is the derivative at the end") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.first_same_as_last || info.needs != MethodNeeds::Derivative) {
            continue;
        }
        CAPTURE(info.name);
        const FirstSubstep first(*method, 0.1);
        std::array<double, 2> f1{};
        auto system = pendulum();
        system.derivative(0.1, first.driver.w.y1, f1);
        const std::span<const double> last = first.driver.w.k(static_cast<std::size_t>(info.stages));
        CHECK(last[0] == f1[0]);
        CHECK(last[1] == f1[1]);
    }
}

TEST_CASE("a tableau with one wrong coefficient does not pass its checks") {
    auto wrong_row = kCashKarp54;
    wrong_row.a[4][2] = 70.0 / 27;
    CHECK_FALSE(is_consistent(wrong_row));
    auto wrong_weights = kCashKarp54;
    std::swap(wrong_weights.b[2], wrong_weights.b[3]);
    CHECK(is_consistent(wrong_weights));
    CHECK(order_of(wrong_weights, wrong_weights.b, 6) == 1);

    // k5 where k6 belongs in the last stage of Dormand-Prince, a mistake that has been made: every sum is right, and
    // the estimate has lost its order.
    auto wrong_stage = kDormandPrince54;
    wrong_stage.a[6][4] += wrong_stage.a[6][5];
    wrong_stage.a[6][5] = 0.0;
    CHECK(is_consistent(wrong_stage));
    CHECK(order_of(wrong_stage, wrong_stage.b, 6) == 5);
    CHECK(order_of(wrong_stage, wrong_stage.b_embedded(), 6) == 2);
    CHECK_FALSE(wrong_stage.first_same_as_last());

    auto wrong_term = kDormandPrince853Extension;
    wrong_term.d[2][9] = -wrong_term.d[2][9];
    CHECK(dense_order_of(kDormandPrince853, wrong_term, 8) < 7);
}

TEST_CASE("a method's stages tell the frequency of an oscillator") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (info.needs != MethodNeeds::Derivative || info.stages < 3) {
            continue;
        }
        CAPTURE(info.name);
        auto oscillator = plain_system<2>([](double, const std::array<double, 2>& y) {
            return std::array{y[1], -2500.0 * y[0]};
        });
        MethodDriver driver(*method, oscillator, std::array{1.0, 3.0});
        driver.step(0.01);
        // The second difference of the stages is a21 c1 (h omega)^2 of their size, 8e-4 at the least: 13 digits are
        // left.
        CHECK(method->stage_frequency(driver.w, 0.01) == doctest::Approx(50.0).epsilon(1e-9));
    }
}

TEST_CASE("every row says what people need to know, and its name finds it") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        CAPTURE(info.name);
        CHECK(detail::integration_method(info.name) == method);
        for (const std::string_view text : {info.label, info.promise, info.caution, info.source}) {
            CHECK(text.size() > 5);
        }
        CHECK(info.adaptive == (info.error_order > 0));
        CHECK(info.imaginary_limit > 0.0);
        CHECK(info.real_limit > 0.0);
        if (info.symplectic) {
            CHECK(info.caution.find("constant substep") != std::string_view::npos);
        }
    }
    CHECK(detail::integration_method("rk5") == nullptr);
}
