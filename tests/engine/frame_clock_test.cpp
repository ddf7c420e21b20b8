// Wall time to steps.
#include <doctest/doctest.h>

#include <limits>

#include "test_worlds.h"

using namespace engine_tests;

TEST_CASE("FrameClock loses no time: steps, remainder and what it dropped add up to what passed") {
    FrameClock clock(kFrame, 4);
    double passed = 0.0;
    double accounted = 0.0;
    double remainder = 0.0;
    for (int i = 0; i < 1000; ++i) {
        const double elapsed = 0.001 * ((i * 37) % 50) + (i % 100 == 99 ? 0.5 : 0.0); // now and then a long stall
        passed += elapsed;
        const FrameClock::Tick tick = clock.tick(elapsed);
        CHECK(tick.steps <= 4);
        CHECK(tick.remainder >= 0.0);
        CHECK(tick.remainder < kFrame);
        accounted += tick.steps * kFrame + tick.lost;
        remainder = tick.remainder;
    }
    CHECK(accounted + remainder == doctest::Approx(passed).epsilon(1e-12));
    CHECK(clock.total_lost() > 0.0);
}

TEST_CASE("FrameClock takes one step per tick at its own rate and none for time that is no time") {
    FrameClock clock;
    for (int i = 0; i < 100; ++i) {
        CHECK(clock.tick(kFrame).steps == 1);
    }
    CHECK(clock.tick(-1.0).steps == 0);
    CHECK(clock.tick(std::numeric_limits<double>::quiet_NaN()).steps == 0);
    CHECK(clock.tick(std::numeric_limits<double>::infinity()).steps == 0);
    CHECK(clock.tick(1e300).steps == 8);
    clock.reset();
    CHECK(clock.total_lost() == 0.0);
}

TEST_CASE("FrameClock refuses a step or a limit that makes no sense") {
    CHECK_THROWS_AS(FrameClock(0.0), std::invalid_argument);
    CHECK_THROWS_AS(FrameClock(-1.0), std::invalid_argument);
    CHECK_THROWS_AS(FrameClock(kFrame, 0), std::invalid_argument);
}
