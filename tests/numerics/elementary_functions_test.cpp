// Our own sine, cosine, arctangent and roots against the C library's long double.
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "../sanitized.h"
#include "substep/numerics/elementary_functions.h"

using namespace substep;

namespace {

/// Distance in units of the last place of the exact value.
double ulps(double value, long double exact) {
    int exponent = 0;
    std::frexp(static_cast<double>(exact), &exponent);
    return static_cast<double>(std::fabs(value - exact) / std::ldexp(1.0L, exponent - 53));
}

} // namespace

TEST_CASE("sine and cosine are within one ulp up to 1.6e6 rad") {
    std::mt19937_64 random(7);
    for (const double range : {0.8, 10.0, 1e3, 1.5e6}) {
        std::uniform_real_distribution<double> angle(-range, range);
        double worst = 0.0;
        for (int i = 0; i < 100000; ++i) {
            // Every tenth close to a multiple of pi/2, where the reduction cancels most.
            const double x =
                i % 10 == 0 ? std::nearbyint(angle(random) / 1.5707963267948966) * 1.5707963267948966 : angle(random);
            double s = 0.0;
            double c = 0.0;
            sine_cosine(x, s, c);
            REQUIRE(s == sine(x));
            REQUIRE(c == cosine(x));
            if (x != 0.0) {
                // The long double functions of the C library carry 64 bits, but reduce with more.
                worst = std::fmax(worst, ulps(s, std::sin(static_cast<long double>(x))));
                worst = std::fmax(worst, ulps(c, std::cos(static_cast<long double>(x))));
            }
        }
        CAPTURE(range);
        CHECK(worst < 1.0);
    }
}

TEST_CASE("sine and cosine have the right special values") {
    CHECK(sine(0.0) == 0.0);
    CHECK(cosine(0.0) == 1.0);
    CHECK(std::isnan(sine(std::nan(""))));
    CHECK(std::isnan(cosine(HUGE_VAL)));
    CHECK(std::fabs(sine(1e10) - std::sin(1e10)) < 4e-17 * 1e10); // the documented growth
}

TEST_CASE("angles of any size lose whole turns as fmod has it, to the bit") {
    std::mt19937_64 random(11);
    int huge = 0;
    for (int i = 0; i < 200000; ++i) {
        const double x = std::bit_cast<double>(random());
        if (std::fabs(x) >= 0x1p60 && std::isfinite(x)) {
            const double rest = detail::within_reduction_limit(x);
            REQUIRE(std::bit_cast<std::uint64_t>(rest) == std::bit_cast<std::uint64_t>(std::fmod(x, detail::kTwoPi)));
            ++huge;
        }
    }
    CHECK(huge > 50000);
    for (const double x : {0x1p60, -0x1p61, detail::kTwoPi * 0x1p300, std::numeric_limits<double>::max()}) {
        CHECK(detail::within_reduction_limit(x) == std::fmod(x, detail::kTwoPi));
    }
}

TEST_CASE("the sine of 1e300 takes no 300 times as long as that of 1e5: a body may spin like that" *
          doctest::skip(kSanitized)) {
    const auto fastest = [](double x) { // ns
        double least = HUGE_VAL;
        for (int turn = 0; turn < 40; ++turn) {
            double sum = 0.0;
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < 200; ++i) {
                sum += sine(x * (1.0 + 1e-9 * i));
            }
            const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
            least = std::isfinite(sum) ? std::fmin(least, taken.count()) : least;
        }
        return least;
    };
    CHECK(fastest(1e300) < 300.0 * fastest(1e5)); // digit by digit: 800 times; eleven at a time: 50 to 100
}

TEST_CASE("nth_root is within three ulp") {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> exponent(-280.0, 280.0);
    for (int n = 1; n <= 16; ++n) {
        CAPTURE(n);
        for (int i = 0; i < 2000; ++i) {
            const double x = std::pow(10.0, exponent(random));
            REQUIRE(ulps(nth_root(x, n), std::pow(static_cast<long double>(x), 1.0L / n)) < 3.0);
        }
    }
}

TEST_CASE("arctangent is within four round-offs of pi in every direction, at any distance") {
    std::mt19937_64 random(13);
    std::uniform_real_distribution<double> angle(-3.2, 3.2);
    constexpr double kRoundOff = 0x1p-52; // of pi: between 2 and 4 the last place is 2^-51, half of it is the error
    for (int i = 0; i < 100000; ++i) {
        const double a = angle(random);
        const double r = std::ldexp(1.0, static_cast<int>(random() % 400) - 200);
        const double x = r * std::cos(a);
        const double y = r * std::sin(a);
        const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
        REQUIRE(std::fabs(static_cast<double>(arctangent(y, x) - exact)) <= 4.0 * kRoundOff);
    }
}

TEST_CASE("arctangent has the right special values") {
    CHECK(arctangent(0.0, 0.0) == 0.0);
    CHECK(arctangent(0.0, 2.0) == 0.0);
    CHECK(arctangent(0.0, -2.0) == doctest::Approx(3.141592653589793).epsilon(1e-15));
    CHECK(arctangent(-3.0, 0.0) == doctest::Approx(-1.5707963267948966).epsilon(1e-15));
    CHECK(std::isnan(arctangent(std::nan(""), 1.0)));
    CHECK(std::isnan(arctangent(1.0, HUGE_VAL)));
}
