// Ticks of the plot are round, inside the range, and neither crowded nor lonely.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

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

TEST_CASE("labels of neighbouring ticks differ however small the range is beside the values") {
    for (const double value : {1e-12, 1e-7, 3.3e-5, 1.0, 99999.0, 1e6, 4.2e9}) {
        for (const double part : {1.0, 1e-2, 1e-4, 1e-7}) {
            for (const double sign : {1.0, -1.0}) {
                const double from = sign * value;
                const std::vector<double> ticks = linear_ticks(from, from + part * value, 6);
                REQUIRE(ticks.size() >= 2);
                CAPTURE(from);
                CAPTURE(part);
                for (std::size_t i = 1; i < ticks.size(); ++i) {
                    const double step = ticks[1] - ticks[0];
                    CHECK(tick_text(ticks[i], step) != tick_text(ticks[i - 1], step));
                }
            }
        }
    }
    CHECK(tick_text(1.00000012, 1.00000012 - 1.00000010) == "1.00000012"); // steps carry the values' rounding
    CHECK(tick_text(1.0005e-7, 5e-11) == "1.0005e-07");
}

TEST_CASE("labels beside a vertical axis fit into its margin, differ, and stand for their ticks") {
    // Constants and small ranges around them: an axis covers at least a thousandth of what it shows.
    for (const double size : {1e-200, 1e-12, 1e-7, 2.7e-5, 1e-4, 0.9, 1.3, 1000.0, 9.99e4, 1e5, 1.4e6, 3e11, 1e200}) {
        for (const double spread : {0.0, 0.02, 1.0, 3.0}) {
            for (const double sign : {1.0, -1.0}) {
                PlotExtent seen;
                seen.add(sign * size);
                seen.add(sign * size * (1.0 - spread));
                const PlotRange range = fit_range(PlotAxis{}, seen);
                const std::vector<double> ticks = linear_ticks(range.from, range.to, 15);
                const TickLabels labels = short_labels(ticks);
                REQUIRE(labels.texts.size() == ticks.size());
                for (std::size_t i = 0; i < ticks.size(); ++i) {
                    CAPTURE(labels.texts[i]);
                    CHECK(labels.texts[i].size() <= kMostTickLetters);
                    CHECK((i == 0 || labels.texts[i] != labels.texts[i - 1]));
                    // To half a digit of a step, which is at least the last digit shown.
                    const double shown = std::stod(labels.texts[i]) * std::pow(10.0, labels.power);
                    CHECK(std::abs(shown - ticks[i]) <= 0.01 * (ticks[1] - ticks[0]));
                }
            }
        }
    }
    CHECK(short_labels(std::vector{0.0, 1e-7, 2e-7}).power == 0); // short as they are
    CHECK(short_labels(std::vector{9.995e-8, 1e-7}).texts == std::vector<std::string>{"0.9995", "1.0000"});
}

TEST_CASE("a log axis within a decade has ticks wherever it lies and however short it is") {
    for (int i = 0; i < 60; ++i) {
        const double from = 1e-3 * std::pow(1.31, i);
        for (const double ratio : {1.21, 1.5, 2.0, 4.0, 9.0, 40.0}) {
            CAPTURE(from);
            CAPTURE(ratio);
            const std::vector<double> ticks = few_decades_ticks(from, ratio * from, 6);
            CHECK(ticks.size() >= 2);
            CHECK(ticks.size() <= 7);
            for (std::size_t k = 0; k < ticks.size(); ++k) {
                CHECK(ticks[k] >= from * (1.0 - 1e-9));
                CHECK(ticks[k] <= ratio * from * (1.0 + 1e-9));
                CHECK((k == 0 || value_text(ticks[k], "") != value_text(ticks[k - 1], "")));
            }
        }
    }
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
