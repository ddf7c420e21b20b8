// The references behind scenes without a closed form: two methods and tolerances agree, and what must be kept is kept.
#include <doctest/doctest.h>

#include <cmath>

#include "drag_flights.h"
#include "orbits.h"

using namespace substep;

TEST_CASE("the figure of eight is known to twelve digits, and returns after its period") {
    const ReferenceMotion motion = detail::figure_eight_motion();
    CHECK(motion.until() == 20.0);
    CHECK(motion.disagreement() < 1e-12); // over all 20 s; 2e-14 was measured
    // Period 6.32591398 (Simo, quoted by Chenciner & Montgomery, 2000); start values and period have eight digits.
    const std::vector<double> start = motion.at(0.0), end = motion.at(6.32591398);
    for (std::size_t i = 0; i < start.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(end[i] - start[i]) < 1e-7); // 4e-8 was measured
    }
    // A third of the period later each has taken the place of another.
    const std::vector<double> third = motion.at(6.32591398 / 3.0);
    CHECK(std::hypot(-(third[0] + third[2]) - start[0], -(third[1] + third[3]) - start[1]) +
              std::hypot(-(third[0] + third[2]) - start[2], -(third[1] + third[3]) - start[3]) ==
          doctest::Approx(2.0 * std::hypot(start[0], start[1])).epsilon(1e-6));
}

TEST_CASE("flight in air is known to twelve digits, keeps its hodograph and ends at the terminal speed") {
    constexpr double kGravity = 9.8, kTerminal = 15.0, kAlong = 16.0, kUp = 20.0;
    constexpr double k = kGravity / (kTerminal * kTerminal);
    const ReferenceMotion motion = detail::drag_flight_motion(kAlong, kUp, kTerminal);
    CHECK(motion.disagreement() < 1e-13); // of the 400 m fallen too; 2e-15 was measured
    const auto hodograph = [&](double t) {
        const std::vector<double> y = motion.at(t);
        const double slope = std::tan(y[1]);
        const double along = y[0] * std::cos(y[1]);
        return 1.0 / (along * along) + k / kGravity * (slope * std::hypot(1.0, slope) + std::asinh(slope));
    };
    for (const double t : {0.5, 1.0, 2.0, 3.0}) {
        CAPTURE(t);
        CHECK(std::abs(hodograph(t) - hodograph(0.0)) < 1e-12); // terms of the order of 0.1
    }
    CHECK(std::abs(motion.at(30.0)[0] - kTerminal) < 1e-12); // nears it as exp(-2 g t/w) = exp(-39)
}
