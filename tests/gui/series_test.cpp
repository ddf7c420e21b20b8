// Recorded series keep what matters in bounded memory.
#include <doctest/doctest.h>

#include <cmath>

#include "series.h"

using namespace substep;

TEST_CASE("a rolling series holds the last points, oldest first") {
    RollingSeries series(100);
    for (int i = 0; i < 1234; ++i) series.push(i, 2.0 * i);
    REQUIRE(series.points().size() == 100);
    CHECK(series.points().front().x == 1134.0);
    CHECK(series.points().back().y == 2466.0);
}

TEST_CASE("a rolling series that is not full holds all points") {
    RollingSeries series(100);
    for (int i = 0; i < 7; ++i) series.push(i, i);
    CHECK(series.points().size() == 7);
}

TEST_CASE("a peak series stays within its capacity, in order of x, and loses no peak") {
    PeakSeries series(64);
    double largest = 0.0;
    for (int i = 0; i < 100'000; ++i) {
        const double y = i == 31'415 ? 7.0 : std::sin(0.01 * i);
        largest = std::max(largest, std::abs(y));
        series.push(i, y);
    }
    REQUIRE(series.points().size() <= 64);
    double kept = 0.0;
    for (std::size_t i = 0; i < series.points().size(); ++i) {
        kept = std::max(kept, std::abs(series.points()[i].y));
        if (i > 0) CHECK(series.points()[i].x > series.points()[i - 1].x);
    }
    CHECK(kept == largest);
    CHECK(series.points().back().x > 90'000.0); // it reaches to the present, within one point's stride
}
