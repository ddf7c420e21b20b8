// The block-sparse solver against dense algebra.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "linear/block_ldl.h"

namespace {

using substep::detail::BlockLdl;

// A symmetric system on a graph of blocks, dense and sparse at once.
struct System {
    BlockLdl sparse;
    std::vector<double> dense;
    std::size_t rows = 0;

    System(const std::vector<int>& sizes, const std::vector<std::pair<int, int>>& couplings) {
        sparse.analyse(sizes, couplings);
        rows = static_cast<std::size_t>(sparse.rows());
        dense.assign(rows * rows, 0.0);
        sparse.clear();
        std::mt19937 random(7);
        std::uniform_real_distribution<double> entry(-1.0, 1.0);
        for (int block = 0; block < static_cast<int>(sizes.size()); ++block) {
            const int n = sizes[block];
            double* const diagonal = sparse.values() + sparse.diagonal_offset(block);
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j <= i; ++j) {
                    const double value = i == j ? 20.0 + entry(random) : entry(random); // dominant: positive definite
                    diagonal[i * n + j] = value;
                    at(sparse.first_row(block) + i, sparse.first_row(block) + j) = value;
                    at(sparse.first_row(block) + j, sparse.first_row(block) + i) = value;
                }
            }
        }
        for (const auto& [a, b] : couplings) {
            const BlockLdl::Place place = sparse.place(a, b);
            const int columns = sizes[place.column_block];
            for (int i = 0; i < sizes[place.row_block]; ++i) {
                for (int j = 0; j < columns; ++j) {
                    const double value = entry(random);
                    sparse.values()[place.offset + i * columns + j] = value;
                    at(sparse.first_row(place.row_block) + i, sparse.first_row(place.column_block) + j) = value;
                    at(sparse.first_row(place.column_block) + j, sparse.first_row(place.row_block) + i) = value;
                }
            }
        }
    }

    double& at(int i, int j) { return dense[static_cast<std::size_t>(i) * rows + static_cast<std::size_t>(j)]; }

    // Largest error of the solution for a known x.
    double error() {
        std::vector<double> x(rows), b(rows, 0.0);
        for (std::size_t i = 0; i < rows; ++i) {
            x[i] = std::sin(1.0 + static_cast<double>(i));
        }
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < rows; ++j) {
                b[i] += dense[i * rows + j] * x[j];
            }
        }
        CHECK(sparse.factor() == 0);
        sparse.solve(b);
        double worst = 0.0;
        for (std::size_t i = 0; i < rows; ++i) {
            worst = std::max(worst, std::abs(b[i] - x[i]));
        }
        return worst;
    }
};

constexpr double kRoundOff = 1e-14; // condition number under 10, unknowns of order one

} // namespace

TEST_CASE("BlockLdl solves chains, trees, rings and cliques of mixed blocks like dense algebra") {
    CHECK(System({3}, {}).error() < kRoundOff);
    CHECK(System({5, 3}, {{0, 1}}).error() < kRoundOff);
    CHECK(System({3, 5, 3, 5}, {{0, 1}, {1, 2}, {2, 3}}).error() < kRoundOff);
    CHECK(System({3, 5, 3, 5, 3}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}).error() < kRoundOff); // fill
    CHECK(System({3, 3, 5, 3}, {{0, 1}, {0, 2}, {0, 3}}).error() < kRoundOff);
    CHECK(System({5, 3, 5, 3}, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}).error() < kRoundOff);
}

TEST_CASE("BlockLdl solves blocks of every size, alone and in chains of equal ones") {
    for (int size = 1; size <= 6; ++size) {
        CAPTURE(size);
        CHECK(System({size}, {}).error() < kRoundOff);
        CHECK(System({size, size, size}, {{0, 1}, {1, 2}}).error() < kRoundOff);
    }
}

TEST_CASE("BlockLdl reports the rank that is missing and still returns a solution of consistent equations") {
    // Twice the same three equations: [S S; S S] (x; y) = (b; b).
    BlockLdl ldl;
    const std::vector<int> sizes{3, 3};
    const std::vector<std::pair<int, int>> couplings{{0, 1}};
    ldl.analyse(sizes, couplings);
    ldl.clear();
    const double s[3][3] = {{4.0, 1.0, 0.5}, {1.0, 3.0, 0.2}, {0.5, 0.2, 2.0}};
    const int offsets[3] = {ldl.diagonal_offset(0), ldl.diagonal_offset(1), ldl.place(0, 1).offset};
    for (const int offset : offsets) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                ldl.values()[offset + 3 * i + j] = s[i][j];
            }
        }
    }
    CHECK(ldl.factor() == 3);
    std::vector<double> b{1.0, -2.0, 0.5, 1.0, -2.0, 0.5};
    const std::vector<double> given = b;
    ldl.solve(b);
    for (int i = 0; i < 3; ++i) {
        double sum = 0.0;
        for (int j = 0; j < 3; ++j) {
            sum += s[i][j] * (b[j] + b[3 + j]);
        }
        CHECK(sum == doctest::Approx(given[i]).epsilon(1e-12));
    }
}

TEST_CASE("BlockLdl holds a heavy hub as firmly with a light arm: rows that waited are compared with their own") {
    // A light arm, a heavy hub's impulse, and the hub's tie to the ground, which is zero until the hub is eliminated;
    // then 1e-5, less than 1e-10 of the arm's 1e6. Where the tie is there twice, the second one is redundant.
    for (const int ties : {1, 2}) {
        CAPTURE(ties);
        const std::size_t rows = 2 + static_cast<std::size_t>(ties);
        std::vector<std::pair<int, int>> couplings{{0, 1}};
        std::vector<BlockLdl::Kind> kinds{BlockLdl::Kind::Positive, BlockLdl::Kind::Negative};
        for (int tie = 2; tie < 2 + ties; ++tie) {
            couplings.emplace_back(1, tie);
            kinds.push_back(BlockLdl::Kind::Waiting);
        }
        BlockLdl ldl;
        ldl.analyse(std::vector<int>(rows, 1), couplings, kinds);
        ldl.clear();
        ldl.values()[ldl.diagonal_offset(0)] = 1e6;
        ldl.values()[ldl.diagonal_offset(1)] = -1e-5;
        for (const auto& [a, b] : couplings) {
            ldl.values()[ldl.place(a, b).offset] = 1e-5;
        }
        REQUIRE(ldl.factor() == ties - 1);
        std::vector<double> b(rows, 1e-5); // the impulse is 1, the ties carry it together, the arm nothing
        b[1] = 0.0;
        ldl.solve(b);
        CHECK(b[1] == doctest::Approx(1.0).epsilon(1e-12));
        CHECK(std::abs(b[0]) < 1e-20); // round-off of 1e-5 - 1e-5, over 1e6
        CHECK(b[2] + (ties == 2 ? b[3] : 0.0) == doctest::Approx(1.0).epsilon(1e-12));
    }
}

TEST_CASE("BlockLdl keeps small pivots of rows that are independent") {
    // Two rows, of which the second adds next to nothing to the first: x = (1, 1).
    for (const double left : {1e-11, 1e-14}) {
        CAPTURE(left);
        for (const bool independent : {false, true}) {
            CAPTURE(independent);
            BlockLdl ldl;
            ldl.analyse(std::vector<int>{2}, {});
            ldl.set_independent(independent);
            ldl.clear();
            double* const s = ldl.values() + ldl.diagonal_offset(0);
            s[0] = s[1] = s[2] = 1.0;
            s[3] = 1.0 + left;
            std::vector<double> b{2.0, 1.0 + s[3]};
            const bool is_kept = independent && left > 1e-12;
            CHECK(ldl.factor() == (is_kept ? 0 : 1));
            ldl.solve(b);
            CHECK((std::abs(b[1] - 1.0) < 1e-4) == is_kept);
        }
    }
}

TEST_CASE("BlockLdl leaves out redundant rows, and keeps those of their block that have the largest pivots") {
    // S = J J^T of three equations in two unknowns, the first two almost the same: the third must stay.
    const double j[3][2] = {{1.0, 0.0}, {1.0, 1e-2}, {0.0, 1.0}};
    const auto fill = [&](BlockLdl& ldl) {
        ldl.analyse(std::vector<int>{3}, {});
        ldl.clear();
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                ldl.values()[ldl.diagonal_offset(0) + 3 * r + c] = j[r][0] * j[c][0] + j[r][1] * j[c][1];
            }
        }
    };
    BlockLdl ldl;
    fill(ldl);
    CHECK(ldl.factor() == 1);
    CHECK(ldl.raised_rows()[0] == 2); // in the order in which they come
    fill(ldl);
    CHECK(ldl.factor_choosing() == 1);
    REQUIRE(ldl.raised_rows().size() == 1);
    CHECK(ldl.raised_rows()[0] == 0);

    // J x = b with x = (2, 3), as J^T lambda; what is left out is zero.
    std::vector<double> chosen{2.0, 2.03, 3.0};
    ldl.solve(chosen);
    CHECK(chosen[0] == 0.0);
    for (int c = 0; c < 2; ++c) {
        const double x = j[1][c] * chosen[1] + j[2][c] * chosen[2];
        CHECK(std::abs(x - (2.0 + c)) < 1e-14);
    }

    // A row whose diagonal is infinite is left out to the same bits.
    fill(ldl);
    ldl.values()[ldl.diagonal_offset(0)] = std::numeric_limits<double>::infinity();
    CHECK(ldl.factor(true) == 0);
    std::vector<double> told{2.0, 2.03, 3.0};
    ldl.solve(told);
    CHECK(told == chosen);
}
