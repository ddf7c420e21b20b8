// Integrals over periods of what has a pole near the real axis.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "substep/scenes/periodic_integral.h"

using substep::detail::PeriodicIntegral;

TEST_CASE("the integral of a function whose round-off is above its last digits is as good as that, and ends soon") {
    // 1/(a - cos u) has poles at u = +-i acosh(a), and a - cos u loses digits near them. Over a period it integrates to
    // 2 pi/sqrt(a^2 - 1).
    for (const long double above : {1e-2L, 1e-5L, 1e-8L, 1e-10L}) {
        const long double period = 2.0L * std::numbers::pi_v<long double>;
        int calls = 0;
        const auto f = [&](long double u) {
            ++calls;
            return 1.0L / ((1.0L + above) - std::cos(u));
        };
        const PeriodicIntegral integral(f, period);
        CAPTURE(static_cast<double>(above));
        CHECK(calls < 20'000); // at 1e-8 there were 10 million before round-off was told from what halving mends
        const long double exact = period / std::sqrt(above * (2.0L + above));
        const long double round_off = 1e-18L / above; // of a - cos u
        CHECK(std::abs(integral.at(f, period) / exact - 1.0L) < 1e-15L + round_off);
    }
}
