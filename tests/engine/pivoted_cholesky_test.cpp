// Semi-definite matrices: told from indefinite ones, with their rank and what they take to zero.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "linear/pivoted_cholesky.h"

using substep::detail::PivotedCholesky;

TEST_CASE("a semi-definite matrix is told from an indefinite one, with its rank and null vectors") {
    PivotedCholesky factor;
    // (x + y - z)^2 + 4 z^2, of rank two: it takes (1, -1, 0) to zero.
    const std::array<double, 9> semidefinite{1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 5.0};
    CHECK(factor.factor(semidefinite, 3, 1e-12));
    REQUIRE(factor.rank() == 2);
    std::array<double, 3> x{};
    factor.null_vector(0, x);
    CHECK(x[0] == doctest::Approx(-x[1]));
    CHECK(std::abs(x[2]) < 1e-15);
    CHECK(std::abs(x[0]) == doctest::Approx(1.0));

    // 2 x y has both signs, and no pivot to begin with; x^2 - y^2 has one.
    CHECK_FALSE(factor.factor(std::array<double, 4>{0.0, 1.0, 1.0, 0.0}, 2, 1e-12));
    CHECK_FALSE(factor.factor(std::array<double, 4>{1.0, 0.0, 0.0, -1.0}, 2, 1e-12));

    // A regular one solves as it should.
    CHECK(factor.factor(std::array<double, 4>{2.0, 1.0, 1.0, 3.0}, 2, 1e-12));
    REQUIRE(factor.rank() == 2);
    std::array<double, 2> b{};
    for (std::size_t k = 0; k < 2; ++k) {
        b[k] = factor.row(k) == 0 ? 4.0 : 7.0; // of (1, 2)
    }
    factor.solve(b);
    for (std::size_t k = 0; k < 2; ++k) {
        CHECK(b[k] == doctest::Approx(factor.row(k) == 0 ? 1.0 : 2.0));
    }
}
