// Packs: each lane has the bits that a double would have; and the instruction sets that a program may ask for.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include <doctest/doctest.h>

#include "substep/numerics/pack.h"
#include "substep/numerics/simd_level.h"

using namespace substep;

namespace {

// Checks f of packs against f of each lane's doubles, bit by bit. Scalar code and packs are the same template.
template <std::size_t W, class F>
void check_lanes(const F& f, double range) {
    std::mt19937_64 random(W);
    std::uniform_real_distribution<double> number(-range, range);
    for (int i = 0; i < 1000; ++i) {
        std::array<double, W> a;
        std::array<double, W> b;
        std::array<double, W> found;
        for (std::size_t lane = 0; lane < W; ++lane) {
            a[lane] = number(random);
            b[lane] = number(random);
        }
        store(f(load<Pack<W>>(a.data()), load<Pack<W>>(b.data())), found.data());
        for (std::size_t lane = 0; lane < W; ++lane) {
            REQUIRE(std::bit_cast<std::uint64_t>(found[lane]) == std::bit_cast<std::uint64_t>(f(a[lane], b[lane])));
        }
    }
}

template <std::size_t W>
void check_pack() {
    CAPTURE(W);
    check_lanes<W>([](auto a, auto b) { return a * b + (a - b) / b; }, 10.0);
    check_lanes<W>([](auto a, auto b) { return select(a < b, larger(-a, b), absolute(a)); }, 10.0);
    check_lanes<W>([](auto a, auto b) { return square_root(absolute(a)) * b; }, 10.0);
    // Angles that need no reduction, some reduction, and the remainder that lanes take one by one.
    for (const double range : {0.7, 100.0, 1e8}) {
        CAPTURE(range);
        check_lanes<W>([](auto a, auto b) { return sine(a) - cosine(b); }, range);
    }
}

} // namespace

TEST_CASE("every lane of a pack has the bits of a double") {
    check_pack<2>();
    check_pack<kNativePackWidth>();
}

TEST_CASE("any and all look at every lane") {
    using P = Pack<kNativePackWidth>;
    for (std::size_t set = 0; set < kNativePackWidth; ++set) {
        std::array<double, kNativePackWidth> numbers{};
        numbers[set] = 1.0;
        const auto mask = load<P>(numbers.data()) > P(0.5);
        CHECK(any(mask));
        CHECK_FALSE(all(mask));
        CHECK_FALSE(all(!mask));
    }
    CHECK(all(P(1.0) > P(0.5)));
    CHECK_FALSE(any(P(0.0) > P(0.5)));
}

TEST_CASE("instruction sets begin with the baseline and grow wider one by one") {
    const auto levels = simd_levels();
    REQUIRE(!levels.empty());
    for (std::size_t i = 0; i < levels.size(); ++i) {
        CHECK(static_cast<std::size_t>(levels[i]) == i);
    }
    CHECK(to_string(SimdLevel::Baseline) == "baseline");
    CHECK(to_string(SimdLevel::Avx2) == "avx2");
    CHECK(to_string(SimdLevel::Avx512) == "avx512");
}
