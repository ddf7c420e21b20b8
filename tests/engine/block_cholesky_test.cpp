// The solver of blocks of six rows against dense algebra.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "linear/block_cholesky.h"

using substep::detail::BlockCholesky;

namespace {

constexpr std::size_t kN = BlockCholesky::kRows;

/// Fills a positive definite system on a graph, dense and sparse, and returns how far S x is from b for a solution x.
double residual(BlockCholesky& sparse, std::size_t count, const std::vector<BlockCholesky::Connection>& connections) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> entry(-1.0, 1.0);
    const std::size_t rows = kN * count;
    std::vector<double> dense(rows * rows, 0.0);
    sparse.analyse(count, connections);
    sparse.clear();
    for (std::uint32_t block = 0; block < count; ++block) {
        for (std::size_t j = 0; j < kN; ++j) {
            for (std::size_t i = j; i < kN; ++i) {
                const double value = i == j ? 40.0 : entry(random);
                sparse.values()[sparse.diagonal(block) + j * kN + i] = value;
                dense[(kN * block + i) * rows + kN * block + j] = dense[(kN * block + j) * rows + kN * block + i] =
                    value;
            }
        }
    }
    for (const auto& [a, b] : connections) {
        const BlockCholesky::Place place = sparse.place(a, b);
        const std::uint32_t row = place.rows_are_of_second ? b : a;
        const std::uint32_t column = place.rows_are_of_second ? a : b;
        for (std::size_t j = 0; j < kN; ++j) {
            for (std::size_t i = 0; i < kN; ++i) {
                const double value = entry(random);
                sparse.values()[place.offset + j * kN + i] = value;
                dense[(kN * row + i) * rows + kN * column + j] = dense[(kN * column + j) * rows + kN * row + i] = value;
            }
        }
    }
    std::vector<double> b(rows);
    for (double& each : b) {
        each = entry(random);
    }
    std::vector<double> x = b;
    REQUIRE(sparse.factor());
    sparse.solve(x);
    double worst = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
        double sum = -b[i];
        for (std::size_t k = 0; k < rows; ++k) {
            sum += dense[i * rows + k] * x[k];
        }
        worst = std::max(worst, std::abs(sum));
    }
    return worst;
}

} // namespace

TEST_CASE("block cholesky: chains, rings, grids and blocks that nothing connects are solved to rounding") {
    BlockCholesky sparse;
    CHECK(residual(sparse, 1, {}) < 1e-14);
    CHECK(residual(sparse, 4, {{0, 1}, {2, 1}, {3, 2}}) < 1e-13);
    CHECK(residual(sparse, 5, {{0, 1}, {1, 2}, {3, 2}, {3, 4}, {4, 0}}) < 1e-13);
    std::vector<BlockCholesky::Connection> grid;
    for (std::uint32_t i = 0; i < 70; ++i) {
        if (i % 10 < 9) {
            grid.emplace_back(i, i + 1);
        }
        if (i < 60) {
            grid.emplace_back(i + 10, i);
        }
    }
    CHECK(residual(sparse, 72, grid) < 1e-12);
    CHECK(residual(sparse, 4, {{0, 1}, {2, 1}, {3, 2}}) < 1e-13); // another one after it
}

TEST_CASE("block cholesky: what is not positive definite is told") {
    BlockCholesky sparse;
    sparse.analyse(1, {});
    sparse.clear();
    for (std::size_t k = 0; k < kN; ++k) {
        sparse.values()[sparse.diagonal(0) + 7 * k] = k == 3 ? -1.0 : 1.0;
    }
    CHECK_FALSE(sparse.factor());
}
