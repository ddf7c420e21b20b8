// Vectors that depend on others: how many, by which factors, and what is orthogonal to all.
#include <doctest/doctest.h>

#include <array>

#include "linear/dense.h"
#include "linear/pivoted_qr.h"

using substep::detail::PivotedQr;

TEST_CASE("dependent vectors are told with their factors, and with what is orthogonal to all") {
    // a + b = c, and d on its own.
    const std::array<double, 16> vectors{1.0, 2.0, 0.0, 1.0, 0.0,  -1.0, 3.0, 0.0, //
                                         1.0, 1.0, 3.0, 1.0, 1e-3, 0.0,  0.0, 0.0};
    PivotedQr qr;
    qr.factor(vectors, 4, 1e-9);
    REQUIRE(qr.count() == 4);
    REQUIRE(qr.rank() == 3);
    std::array<double, 4> c{};
    qr.write_dependency(0, c);
    for (std::size_t i = 0; i < 4; ++i) {
        double sum = 0.0;
        for (std::size_t k = 0; k < 4; ++k) {
            sum += c[k] * vectors[4 * k + i];
        }
        CHECK(std::abs(sum) < 1e-14);
    }
    CHECK(c[0] == doctest::Approx(c[1]));
    CHECK(c[2] == doctest::Approx(-c[0]));
    CHECK(std::abs(c[3]) < 1e-12);
    std::array<double, 4> x{};
    qr.write_orthogonal(0, x);
    CHECK(substep::detail::product(x, x) == doctest::Approx(1.0));
    for (std::size_t k = 0; k < 4; ++k) {
        CHECK(std::abs(substep::detail::product(x, std::span(vectors).subspan(4 * k, 4))) < 1e-14);
    }

    // With a floor above what is left of d, it depends too.
    qr.factor(vectors, 4, 1e-2);
    CHECK(qr.rank() == 2);
}
