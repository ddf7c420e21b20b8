// Stability on the real and on the imaginary axis: what a method does to y' = lambda y, what its tableau says, and what
// its row says.
#include <cmath>
#include <complex>
#include <functional>

#include <doctest/doctest.h>

#include "method_driver.h"
#include "substep/integrators/dormand_prince853.h"
#include "substep/integrators/tableaux.h"
#include "substep/integrators/verner87.h"
#include "test_systems.h"

using namespace substep;
using namespace substep_test;

namespace {

using Growth = std::function<double(std::complex<double>)>;

/// |R(z)|, R(z) = 1 + z b^T (I - z A)^-1 1, the stages being solved one after the other.
template <std::size_t S>
Growth growth_of(const ButcherTableau<S>& tableau) {
    return [tableau](std::complex<double> z) {
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
}

/// |y1| / |y0| of one substep of length 1 of y' = z y.
double measured_growth(const IntegrationMethod& method, std::complex<double> z) {
    auto system = plain_system<2>([z](double, const std::array<double, 2>& y) {
        return std::array{z.real() * y[0] - z.imag() * y[1], z.imag() * y[0] + z.real() * y[1]};
    });
    MethodDriver driver(method, system, std::array{1.0, 0.0});
    driver.step(1.0);
    return std::hypot(driver.w.y1[0], driver.w.y1[1]);
}

/// The first z = x direction, x a multiple of 0.001, at which growth exceeds `allowed`.
double limit_of(const Growth& growth, std::complex<double> direction, double allowed) {
    double x = 0.0;
    while (growth((x + 0.001) * direction) <= allowed) {
        x += 0.001;
    }
    return x;
}

/// Rounding of R near 1.
constexpr double kOne = 1.0 + 1e-12;

/// Undamped oscillations are stable up to a limit, or grow at any length and the practical limit counts.
double imaginary_limit_of(const Growth& growth) {
    const std::complex<double> i(0.0, 1.0);
    // Growth by 1e-12 a substep, as of an eighth-order method near the origin, shows after ten thousand of them.
    const bool empty = std::pow(growth(0.4 * i), 10000) > 1.0 + 1e-9;
    return limit_of(growth, i, empty ? 1.001 : kOne);
}

/// True if `system`'s momentum stays below a thousand times its start over 2000 substeps of length 1.
bool stays_bounded(const IntegrationMethod& method, OdeSystem& system) {
    MethodDriver driver(method, system, std::array{1.0, 1.0});
    for (int i = 0; i < 2000; ++i) {
        driver.step(1.0);
        if (!(std::fabs(driver.w.y1[1]) < 1e3)) {
            return false;
        }
    }
    return true;
}

bool oscillation_stays_bounded(const IntegrationMethod& method, double omega) {
    auto oscillator = mechanical_system<1>([omega](const std::array<double, 1>& q, const std::array<double, 1>&) {
        return std::array{-omega * omega * q[0]};
    });
    return stays_bounded(method, oscillator);
}

bool damping_stays_bounded(const IntegrationMethod& method, double k) {
    auto damped = mechanical_system<1>(
        [k](const std::array<double, 1>&, const std::array<double, 1>& v) { return std::array{-k * v[0]}; });
    return stays_bounded(method, damped);
}

} // namespace

TEST_CASE("Runge-Kutta methods multiply y' = lambda y by R(h lambda), and their rows state where that exceeds one") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (info.needs != MethodNeeds::Derivative) {
            continue;
        }
        CAPTURE(info.name);
        const Growth growth = [&](std::complex<double> z) { return measured_growth(*method, z); };
        CHECK(info.real_limit == doctest::Approx(limit_of(growth, -1.0, kOne)).epsilon(0.02));
        CHECK(info.imaginary_limit == doctest::Approx(imaginary_limit_of(growth)).epsilon(0.02));
    }
}

TEST_CASE("the growth that is measured is that of the tableaux") {
    const std::pair<const char*, Growth> tableaux[] = {
        {"explicit_euler", growth_of(kExplicitEuler)},
        {"heun2", growth_of(kHeun2)},
        {"rk4", growth_of(kRk4)},
        {"rk4_doubling", growth_of(kRk4Doubling)},
        {"bogacki_shampine32", growth_of(kBogackiShampine32)},
        {"fehlberg54", growth_of(kFehlberg54)},
        {"cash_karp54", growth_of(kCashKarp54)},
        {"dormand_prince54", growth_of(kDormandPrince54)},
        {"tsitouras54", growth_of(kTsitouras54)},
        {"dormand_prince853", growth_of(kDormandPrince853)},
        {"verner87", growth_of(kVerner87)},
    };
    for (const auto& tableau : tableaux) {
        CAPTURE(tableau.first);
        const IntegrationMethod& method = *detail::integration_method(tableau.first);
        const Growth& growth = tableau.second;
        for (const std::complex<double> direction : {std::complex(-1.0, 0.0), std::complex(0.0, 1.0)}) {
            for (double x = 0.1; x < 6.5; x += 0.1) {
                // Stages as large as |z|^12 are added and cancel: relative to them 1e-12 is round-off.
                const double exact = growth(x * direction);
                CHECK(std::fabs(measured_growth(method, x * direction) - exact) < 1e-11 * (1.0 + exact));
            }
            const double limit = limit_of(growth, direction, kOne);
            CHECK(limit_of([&](std::complex<double> z) { return measured_growth(method, z); }, direction, kOne) ==
                  doctest::Approx(limit).epsilon(0.02).scale(0.1));
        }
    }
}

TEST_CASE("the limits that are published are found: Cash-Karp 1.25, Dormand-Prince 1.0, Tsitouras 0.48, RK4 2.83") {
    const auto limit = [](const char* name) { return find_method(name)->imaginary_limit; };
    CHECK(limit("cash_karp54") == doctest::Approx(1.25).epsilon(0.005));
    CHECK(limit("dormand_prince54") == doctest::Approx(1.0).epsilon(0.005));
    CHECK(limit("tsitouras54") == doctest::Approx(0.48).epsilon(0.005));
    CHECK(limit("rk4") == doctest::Approx(std::sqrt(8.0)).epsilon(0.005));
    CHECK(limit("velocity_verlet") == 2.0);
}

TEST_CASE("splittings, velocity and implicit steps are stable up to the limits of their rows, and no further") {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (info.needs == MethodNeeds::Derivative) {
            continue;
        }
        CAPTURE(info.name);
        if (std::isinf(info.imaginary_limit)) {
            CHECK(std::isinf(info.real_limit));
            for (double z = 0.01; z < 1e4; z *= 1.5) {
                CAPTURE(z);
                CHECK(oscillation_stays_bounded(*method, z));
                CHECK(damping_stays_bounded(*method, z));
            }
            continue;
        }
        for (double part = 0.02; part < 0.985; part += 0.02) {
            CAPTURE(part);
            CHECK(oscillation_stays_bounded(*method, part * info.imaginary_limit));
            CHECK(damping_stays_bounded(*method, part * info.real_limit));
        }
        CHECK_FALSE(oscillation_stays_bounded(*method, 1.02 * info.imaginary_limit));
        CHECK_FALSE(damping_stays_bounded(*method, 1.02 * info.real_limit));
    }
}
