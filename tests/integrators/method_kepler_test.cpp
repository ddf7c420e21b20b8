// Symplectic methods over a million substeps of a Kepler orbit: the energy oscillates, and does not drift.
#include <cmath>
#include <numbers>

#include <doctest/doctest.h>

#include "../sanitized.h"
#include "method_driver.h"

using namespace substep;
using namespace substep_test;

namespace {

struct EnergyError {
    double amplitude = 0.0; ///< largest minus smallest error
    double trend = 0.0;     ///< change over the whole run of the straight line fitted to the errors
};

EnergyError follow_orbit(const IntegrationMethod& method, int substeps, int substeps_per_revolution) {
    auto orbit = kepler();
    const std::array<double, 4> start = kepler_start(0.3);
    const double energy = kepler_energy(start);
    MethodDriver driver(method, orbit, start);
    double lowest = 0.0;
    double highest = 0.0;
    double moment = 0.0; // sum of error times time, time running from -1/2 to 1/2
    for (int i = 0; i < substeps; ++i) {
        driver.step(2.0 * std::numbers::pi / substeps_per_revolution);
        const double error = kepler_energy(driver.w.y1) - energy;
        lowest = std::fmin(lowest, error);
        highest = std::fmax(highest, error);
        moment += error * ((i + 0.5) / substeps - 0.5);
    }
    return {highest - lowest, moment / (substeps / 12.0)};
}

} // namespace

TEST_CASE("symplectic methods keep the energy of a Kepler orbit bounded for a million substeps" *
          doctest::skip(kSanitized)) {
    constexpr int kSubsteps = 1000000;
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.symplectic) {
            continue;
        }
        CAPTURE(info.name);
        const EnergyError error = follow_orbit(*method, kSubsteps, 200);
        // Each of two additions a stage rounds by half an ulp of a number of order one: a random walk.
        const double round_off = 1.1e-16 * std::sqrt(2.0 * info.stages * kSubsteps);
        CHECK(std::fabs(error.trend) < std::fmax(0.01 * error.amplitude, round_off));
        // The amplitude is the method's, h^order times a constant of order one.
        CHECK(error.amplitude < 2.0 * std::pow(2.0 * std::numbers::pi / 200, info.order));
        if (0.01 * error.amplitude < round_off) {
            // At 200 substeps a revolution round-off is what there is to see: the method shows at 50.
            const EnergyError coarse = follow_orbit(*method, kSubsteps / 4, 50);
            CHECK(coarse.amplitude > 100.0 * round_off);
            CHECK(std::fabs(coarse.trend) < 0.01 * coarse.amplitude);
        }
    }
}

TEST_CASE("the energy of a method that is not symplectic drifts") {
    // The same meter on heun2 and rk4: the trend is the amplitude.
    for (const char* name : {"heun2", "rk4"}) {
        CAPTURE(name);
        const EnergyError error = follow_orbit(*detail::integration_method(name), 100000, 200);
        CHECK(std::fabs(error.trend) > 0.5 * error.amplitude);
    }
}
