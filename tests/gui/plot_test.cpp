// Ticks of the plot are round, inside the range, and neither crowded nor lonely.
#include <doctest/doctest.h>

#include <cmath>

#include "plot.h"
#include "quality_governor.h"

using namespace substep;

TEST_CASE("a constant has ticks that differ and are short") {
    for (const double value : {0.9, 12.0, -1000.0, 1e4}) {
        PlotExtent seen;
        seen.add(value);
        const PlotRange range = fit_range(PlotAxis{}, seen);
        const std::vector<double> ticks = linear_ticks(range.from, range.to, 3);
        REQUIRE(ticks.size() >= 2);
        CAPTURE(value);
        CHECK(tick_text(ticks[0], ticks[1] - ticks[0]) != tick_text(ticks[1], ticks[1] - ticks[0]));
        CHECK(tick_text(ticks[0], ticks[1] - ticks[0]).size() <= 7); // what the margin holds
    }
}

TEST_CASE("linear ticks are multiples of 1, 2 or 5 times a power of ten, for ranges of any size") {
    for (int i = 0; i < 32; ++i) {
        const double size = 1e-9 * std::pow(3.7, i);
        for (const double from : {0.0, -0.31 * size, 12.3 * size}) {
            const std::vector<double> ticks = linear_ticks(from, from + size, 5);
            REQUIRE(ticks.size() >= 2);
            REQUIRE(ticks.size() <= 6);
            const double step = ticks[1] - ticks[0];
            const double leading = step / std::pow(10.0, std::floor(std::log10(step) + 1e-6));
            const bool round =
                std::abs(leading - 1.0) < 1e-6 || std::abs(leading - 2.0) < 1e-6 || std::abs(leading - 5.0) < 1e-6;
            CHECK(round);
            CHECK(ticks.front() >= from - 1e-6 * size);
            CHECK(ticks.back() <= from + size * (1.0 + 1e-6));
        }
    }
}

TEST_CASE("no ticks for a range that is empty or upside down") {
    CHECK(linear_ticks(1.0, 1.0, 5).empty());
    CHECK(linear_ticks(2.0, 1.0, 5).empty());
    CHECK(log_ticks(0.0, 1.0, 5).empty());
    CHECK(log_ticks(-1.0, 1.0, 5).empty());
}

TEST_CASE("log ticks are whole decades, thinned to the count that fits") {
    CHECK(log_ticks(1e-3, 1e1, 10) == std::vector<int>{-3, -2, -1, 0, 1});
    const std::vector<int> thinned = log_ticks(1e-16, 1e1, 5);
    CHECK(thinned.size() <= 6);
    CHECK(thinned.size() >= 3);
    CHECK(log_ticks(2e-3, 9e-3, 5).empty()); // no power of ten lies between
}

TEST_CASE("tick labels show the digits that tell neighbours apart, and no negative zero") {
    CHECK(tick_text(0.25, 0.05) == "0.25");
    CHECK(tick_text(-1e-18, 0.5) == "0.0");
    CHECK(tick_text(40.0, 20.0) == "40");
    CHECK(tick_text(3e-7, 1e-7) == "3e-07");
    CHECK(tick_text(2e6, 1e6) == "2e+06");
}

TEST_CASE("slow frames lower the picture's scale to 0.59 and no further, fast ones raise it to 1 and no further") {
    QualityGovernor governor(1.0 / 33.0);
    float scale = 1.0f;
    for (int i = 0; i < 1000; ++i) scale = governor.judge(0.08, scale);
    CHECK(scale == doctest::Approx(0.59f));
    for (int i = 0; i < 1000; ++i) scale = governor.judge(0.025, scale);
    CHECK(scale == doctest::Approx(0.59f)); // good enough, but without room to spare
    for (int i = 0; i < 1000; ++i) scale = governor.judge(0.004, scale);
    CHECK(scale == 1.0f);
}

TEST_CASE("one slow frame in ten changes nothing") {
    QualityGovernor governor(1.0 / 33.0);
    float scale = 1.0f;
    for (int i = 0; i < 1000; ++i) scale = governor.judge(i % 10 == 0 ? 0.06 : 0.02, scale);
    CHECK(scale == 1.0f);
}

TEST_CASE("software renderers are known by name") {
    CHECK(is_software_renderer("llvmpipe (LLVM 15.0.6, 256 bits)"));
    CHECK(is_software_renderer("softpipe"));
    CHECK_FALSE(is_software_renderer("NVIDIA GeForce RTX 3060/PCIe/SSE2"));
    CHECK_FALSE(is_software_renderer(nullptr));
}
