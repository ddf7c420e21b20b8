// integrate and integrate_fixed: small systems of fixed size, from std::array and from structs.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include "substep/integrators/dormand_prince853.h"
#include "substep/integrators/integrate.h"
#include "substep/integrators/verner87.h"
#include "test_systems.h"

using namespace substep;

namespace {

using State = std::array<double, 2>;
using Bits = std::array<std::uint64_t, 2>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The pendulum of origin 1 and where it is after 10000 frames (elliptic functions, 20 digits).
constexpr auto kPendulum = [](double, const State& y) { return State{y[1], -9.8 * sine(y[0])}; };
constexpr State kStart{0.0, -2.0};
constexpr double kEnd = 10000.0 / 60.0;
constexpr State kExact{0.530077798104947758, -1.14466050513173661};

double error_of(const State& y) { return std::fmax(std::fabs(y[0] - kExact[0]), std::fabs(y[1] - kExact[1])); }

constexpr auto kOscillator = [](double, const State& y) { return State{y[1], -y[0]}; };

// Calls `visit` with each tableau that has an error estimate, and the name of its row.
template <class Visitor>
void for_each_adaptive(const Visitor& visit) {
    visit.template operator()<kRk4Doubling>("rk4_doubling");
    visit.template operator()<kBogackiShampine32>("bogacki_shampine32");
    visit.template operator()<kFehlberg54>("fehlberg54");
    visit.template operator()<kCashKarp54>("cash_karp54");
    visit.template operator()<kDormandPrince54>("dormand_prince54");
    visit.template operator()<kTsitouras54>("tsitouras54");
    visit.template operator()<kDormandPrince853>("dormand_prince853");
    visit.template operator()<kVerner87>("verner87");
}

} // namespace

TEST_CASE("integrate takes the order of its error estimate from the tableau, as the catalogue has it") {
    for_each_adaptive([]<const auto & kTableau>(const char* name) {
        CAPTURE(name);
        const IntegrationMethod* method = detail::integration_method(name);
        REQUIRE(method != nullptr);
        constexpr int kOrder = detail::measured_error_order(kTableau);
        CHECK(kOrder == method->info().error_order);
    });
}

TEST_CASE("integrate keeps the error within the tolerance times the number of substeps, with every adaptive tableau") {
    for_each_adaptive([]<const auto & kTableau>(const char* name) {
        CAPTURE(name);
        // An undamped oscillator adds its local errors up; each is at most atol + rtol |y| <= 2 tol.
        for (const double tolerance : {1e-4, 1e-7}) {
            CAPTURE(tolerance);
            State y{1.0, 0.0};
            const IntegrateReport report =
                integrate<kTableau>(kOscillator, 0.0, 20.0, y, {.atol = tolerance, .rtol = tolerance});
            CHECK(report.status == StepStatus::ReachedTarget);
            CHECK(report.simulated == 20.0);
            const double allowed = 2.0 * tolerance * static_cast<double>(report.accepted);
            CHECK(std::fabs(y[0] - std::cos(20.0)) < allowed);
            CHECK(std::fabs(y[1] + std::sin(20.0)) < allowed);
        }
    });
}

TEST_CASE("integrate counts what it calls") {
    for_each_adaptive([]<const auto & kTableau>(const char* name) {
        CAPTURE(name);
        for (const double h_initial : {0.0, 3.0}) { // the second is far too long and rejected
            for (const std::int64_t most : {std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, std::int64_t{1000}}) {
                std::int64_t calls = 0;
                State y = kStart;
                const auto counted = [&calls](double t, const State& at) {
                    ++calls;
                    return kPendulum(t, at);
                };
                const IntegrateReport report =
                    integrate<kTableau>(counted, 0.0, 5.0, y, {.h_initial = h_initial, .max_attempts = most});
                CHECK(report.evaluations == calls);
                CHECK(report.accepted + report.rejected <= most);
                CHECK((report.status == StepStatus::ReachedTarget) == (report.simulated == 5.0));
                if (report.simulated != 5.0) {
                    CHECK(report.status == StepStatus::BudgetExhausted);
                }
            }
        }
    });
}

TEST_CASE("time is compensated: after 10^5 equal substeps it is still the product, to an ulp") {
    // Six calls a substep with Cash and Karp's tableau, the first of them at its start.
    constexpr double h = 1e-3;
    std::int64_t calls = 0;
    double worst = 0.0;
    double plain_sum = 0.0;
    double worst_plain = 0.0;
    const auto still = [&](double t, const std::array<double, 1>&) {
        if (calls % 6 == 0) {
            const std::int64_t substep = calls / 6;
            const long double exact = static_cast<long double>(substep) * h;
            worst = std::fmax(worst, static_cast<double>(std::fabs(t - exact)));
            worst_plain = std::fmax(worst_plain, static_cast<double>(std::fabs(plain_sum - exact)));
            plain_sum += h;
        }
        ++calls;
        return std::array{0.0};
    };
    std::array y{1.0};
    const IntegrateReport report = integrate<kCashKarp54>(still, 0.0, 100.0, y, {.h_initial = h, .h_max = h});
    CHECK(report.accepted >= 99999);
    CHECK(worst < 1.5e-14);     // an ulp of 100
    CHECK(worst_plain > 1e-12); // what is avoided
}

TEST_CASE("integrate goes backward in time to where it came from") {
    State y = kStart;
    integrate<kDormandPrince853>(kPendulum, 0.0, 10.0, y, {.atol = 1e-12, .rtol = 1e-12});
    const IntegrateReport report =
        integrate<kDormandPrince853>(kPendulum, 10.0, 0.0, y, {.atol = 1e-12, .rtol = 1e-12});
    CHECK(report.status == StepStatus::ReachedTarget);
    CHECK(report.simulated == -10.0);
    // Some hundred substeps each way, local errors below 3e-12, and a pendulum's phase error that grows with time.
    CHECK(std::fabs(y[0] - kStart[0]) < 1e-8);
    CHECK(std::fabs(y[1] - kStart[1]) < 1e-8);
}

TEST_CASE("a struct of doubles has the bits of an array") {
    struct Swing {
        double theta, omega;
    };
    const auto swing = [](double, const Swing& y) { return Swing{y.omega, -9.8 * sine(y.theta)}; };
    Swing a{0.0, -2.0};
    State b = kStart;
    integrate<kDormandPrince54>(swing, 0.0, 3.0, a);
    integrate<kDormandPrince54>(kPendulum, 0.0, 3.0, b);
    CHECK(std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b));
    CHECK(integrate_fixed<kRk4>(swing, 0.0, 3.0, 100, a) == StepStatus::ReachedTarget);
    CHECK(integrate_fixed<kRk4>(kPendulum, 0.0, 3.0, 100, b) == StepStatus::ReachedTarget);
    CHECK(std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b));

    struct Mixed {
        double x;
        std::int64_t n;
    };
    struct Nested {
        Swing left, right;
    };
    CHECK(FixedSizeState<Nested>);
    CHECK_FALSE(FixedSizeState<Mixed>);
    CHECK_FALSE(FixedSizeState<std::array<float, 2>>);
}

TEST_CASE("integrate_fixed has the order of its tableau") {
    // Halving the step divides the error by 2^p; at these steps higher terms change the slope by less than 0.15.
    const auto slope = []<const auto & kTableau>(std::int64_t n) {
        double error[2];
        for (int i = 0; i < 2; ++i) {
            State y{1.0, 0.0};
            REQUIRE(integrate_fixed<kTableau>(kOscillator, 0.0, 1.0, n << i, y) == StepStatus::ReachedTarget);
            error[i] = std::hypot(y[0] - std::cos(1.0), y[1] + std::sin(1.0));
        }
        return std::log2(error[0] / error[1]);
    };
    CHECK(slope.operator()<kExplicitEuler>(100) == doctest::Approx(1.0).epsilon(0.15));
    CHECK(slope.operator()<kHeun2>(100) == doctest::Approx(2.0).epsilon(0.075));
    CHECK(slope.operator()<kRk4>(50) == doctest::Approx(4.0).epsilon(0.0375));
    CHECK(slope.operator()<kDormandPrince853>(4) == doctest::Approx(8.0).epsilon(0.02));
}

TEST_CASE("a model that is not finite stops integrate at the last good state") {
    // The derivative ends at y = 1: there is nothing beyond.
    const auto wall = [](double, const std::array<double, 1>& y) { return std::array{y[0] < 1.0 ? 1.0 : kNaN}; };
    std::array y{0.0};
    const IntegrateReport report = integrate<kDormandPrince54>(wall, 0.0, 2.0, y);
    CHECK(report.status == StepStatus::NonFinite);
    CHECK(y[0] < 1.0);
    CHECK(y[0] == doctest::Approx(report.simulated).epsilon(1e-12));

    // One that swallows the NaN of its own stages is not believed either. Stage 1 has no weight in Dormand and Prince's
    // rows.
    std::int64_t calls = 0;
    const auto swallows = [&calls](double, const std::array<double, 1>& at) {
        ++calls;
        return std::array{calls == 3 ? kNaN : (at[0] > -kInfinity ? 1.0 : 0.0)};
    };
    std::array z{0.0};
    const IntegrateReport retried = integrate<kDormandPrince853>(swallows, 0.0, 1.0, z, {.h_initial = 0.5});
    CHECK(retried.rejected == 1);
    CHECK(retried.status == StepStatus::ReachedTarget);
    CHECK(z[0] == doctest::Approx(1.0).epsilon(1e-12));

    // Where the start itself is not finite nothing is done.
    std::array bad{kNaN};
    CHECK(integrate<kDormandPrince54>(wall, 0.0, 1.0, bad).status == StepStatus::InvalidInput);
    CHECK(integrate<kDormandPrince54>(wall, 0.0, kInfinity, y).status == StepStatus::InvalidInput);
    std::array grows{1.0};
    const auto explodes = [](double, const std::array<double, 1>& at) { return std::array{1e300 * at[0]}; };
    CHECK(integrate_fixed<kRk4>(explodes, 0.0, 1e9, 10, grows) == StepStatus::NonFinite);
    CHECK(grows[0] == 1.0);
    CHECK(integrate_fixed<kRk4>(explodes, 0.0, 1.0, 0, grows) == StepStatus::InvalidInput);
}

TEST_CASE("h_min is accepted whatever the error, and said") {
    State y = kStart;
    const IntegrateReport report =
        integrate<kDormandPrince54>(kPendulum, 0.0, 1.0, y, {.atol = 1e-14, .rtol = 1e-14, .h_min = 0.05});
    CHECK(report.status == StepStatus::ReachedTarget);
    CHECK(report.degraded);
    CHECK(report.accepted == 20);
    State z = kStart;
    CHECK_FALSE(integrate<kDormandPrince54>(kPendulum, 0.0, 1.0, z).degraded);
}

TEST_CASE("a singularity ends as StepTooSmall, not in an endless loop") {
    // y' = y^2 from y(0) = 1 reaches infinity at t = 1.
    const auto blows_up = [](double, const std::array<double, 1>& y) { return std::array{y[0] * y[0]}; };
    std::array y{1.0};
    const IntegrateReport report = integrate<kDormandPrince54>(blows_up, 0.0, 2.0, y);
    CHECK((report.status == StepStatus::StepTooSmall || report.status == StepStatus::NonFinite));
    CHECK(report.simulated == doctest::Approx(1.0).epsilon(1e-3));
    CHECK(std::isfinite(y[0]));
}

TEST_CASE("an exception of the model passes through, and the state is as it was") {
    int calls = 0;
    const auto throws = [&calls](double, const State& y) {
        if (++calls > 40) {
            throw std::runtime_error("no more");
        }
        return kOscillator(0.0, y);
    };
    State y{1.0, 0.0};
    CHECK_THROWS_AS(integrate<kDormandPrince54>(throws, 0.0, 100.0, y), std::runtime_error);
    CHECK(y == State{1.0, 0.0});
}

TEST_CASE("settings that cannot be used are named") {
    State y = kStart;
    const auto message = [&](const IntegrateSettings& settings) -> std::string {
        try {
            integrate<kDormandPrince54>(kPendulum, 0.0, 1.0, y, settings);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    CHECK(message({.atol = 0.0}).rfind("atol is 0; ", 0) == 0);
    CHECK(message({.rtol = -1e-6}).rfind("rtol is -1e-06; ", 0) == 0);
    CHECK(message({.rtol = kNaN}).rfind("rtol is ", 0) == 0);
    CHECK(message({.h_initial = kInfinity}).rfind("h_initial is inf; ", 0) == 0);
    CHECK(message({.h_min = -1.0}).rfind("h_min is -1; ", 0) == 0);
    CHECK(message({.h_min = 1.0, .h_max = 0.5}).rfind("h_max is 0.5; ", 0) == 0);
    CHECK(message({.max_attempts = 0}).rfind("max_attempts is 0; ", 0) == 0);
    CHECK(message({.controller = {.safety = 2.0}}).rfind("controller.safety is ", 0) == 0);
    CHECK(message({.controller = {.retry_root = 42}}).rfind("controller.retry_root is 42", 0) == 0);
    CHECK(y == kStart);
}

TEST_CASE("integrate of no time at all changes nothing and evaluates nothing") {
    State y = kStart;
    const IntegrateReport report = integrate<kDormandPrince54>(kPendulum, 1.0, 1.0, y, {.h_initial = 0.25});
    CHECK(report.status == StepStatus::ReachedTarget);
    CHECK(report.evaluations == 0);
    CHECK(report.h_next == 0.25);
    CHECK(y == kStart);
}

TEST_CASE("h_next carries on: many calls cost what one does") {
    State y = kStart;
    const IntegrateReport whole = integrate<kDormandPrince853>(kPendulum, 0.0, kEnd, y);
    State z = kStart;
    std::int64_t evaluations = 0;
    IntegrateSettings settings;
    for (int i = 0; i < 20; ++i) {
        const IntegrateReport part =
            integrate<kDormandPrince853>(kPendulum, i * kEnd / 20, (i + 1) * kEnd / 20, z, settings);
        settings.h_initial = part.h_next;
        evaluations += part.evaluations;
    }
    // Each of the 20 ends costs at most one substep more and a shorter one, of some 70 each.
    CHECK(evaluations < whole.evaluations + whole.evaluations / 10);
    CHECK(error_of(z) < 1e-5);
}
