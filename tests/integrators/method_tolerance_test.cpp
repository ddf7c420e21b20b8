// Tolerance proportionality: a tenth of the tolerance gives a tenth of the error, or what the theory of the method
// says.
#include <algorithm>
#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "../sanitized.h"
#include "method_driver.h"
#include "substep/integrators/integrator_service.h"

using namespace substep;
using namespace substep_test;

namespace {

/// Slope of log error against log tolerance, fitted to six tolerances from 1e-5 to 1e-10, each one advance over t.
double proportionality(const MethodInfo& info, OdeSystem& system, std::span<const double> start, double t) {
    const std::vector<double> exact = reference(system, start, t, 4000);
    double moment = 0.0; // the decades are centred, so that the mean error drops out
    for (int i = 0; i < 6; ++i) {
        IntegratorSettings settings;
        settings.method = info.name;
        settings.atol = settings.rtol = std::pow(10.0, -5 - i);
        settings.h_initial = 1e-3;
        IntegratorService service;
        service.configure(system, settings);
        std::vector<double> y(start.begin(), start.end());
        REQUIRE(service.advance(system, 0.0, t, y).status == StepStatus::ReachedTarget);
        const double decade = 2.5 - i;
        moment += decade * std::log10(distance(y, exact));
    }
    return moment / 17.5; // twice 2.5^2 + 1.5^2 + 0.5^2
}

} // namespace

TEST_CASE("the error of every adaptive method is proportional to the tolerance, as theory says" *
          doctest::skip(kSanitized)) {
    for (const IntegrationMethod* method : method_catalogue()) {
        const MethodInfo& info = method->info();
        if (!info.adaptive) {
            continue;
        }
        CAPTURE(info.name);
        auto swing = pendulum();
        auto orbit = kepler();
        auto coupled = henon_heiles();
        std::array slopes{
            proportionality(info, swing, kPendulumStart, 3.0),
            proportionality(info, orbit, kepler_start(0.3), 6.0),
            proportionality(info, coupled, kHenonHeilesStart, 6.0),
        };
        CAPTURE(slopes[0]);
        CAPTURE(slopes[1]);
        CAPTURE(slopes[2]);
        std::ranges::sort(slopes);
        // With h ~ tolerance^(1/(q+1)), q the order of the estimate, the error is h^order.
        const double theory = static_cast<double>(info.order) / (info.error_order + 1);
        CHECK(std::fabs(slopes[1] - theory) < 0.15);
    }
}
