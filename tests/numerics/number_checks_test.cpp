// What is refused, and the sentence that says so.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <doctest/doctest.h>

#include "substep/numerics/number_checks.h"

using namespace substep::detail;

TEST_CASE("checks of numbers let pass what is allowed") {
    CHECK_NOTHROW(require_finite("x", -1e308, "m"));
    CHECK_NOTHROW(require_not_negative("x", 0.0, "m"));
    CHECK_NOTHROW(require_positive("x", std::numeric_limits<double>::min(), "m"));
}

TEST_CASE("checks of numbers refuse the rest in one sentence with value, unit and rule") {
    CHECK_THROWS_WITH_AS(require_finite("The height", HUGE_VAL, "m"), "The height is inf m; it must be finite.",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(require_not_negative("The damping", -0.5, "N s/m"),
                         "The damping is -0.5 N s/m; it must be finite and not negative.", std::invalid_argument);
    CHECK_THROWS_WITH_AS(require_positive("The mass", 0.0, "kg"), "The mass is 0 kg; it must be positive and finite.",
                         std::invalid_argument);
    for (const double x : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        CHECK_THROWS_AS(require_finite("x", x, "m"), std::invalid_argument);
        CHECK_THROWS_AS(require_not_negative("x", x, "m"), std::invalid_argument);
        CHECK_THROWS_AS(require_positive("x", x, "m"), std::invalid_argument);
    }
}
