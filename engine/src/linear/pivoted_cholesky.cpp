// Elimination with the largest pivot first, which stops at the rank.
#include "linear/pivoted_cholesky.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "linear/dense.h"

namespace substep::detail {

// Exchanges rows and columns p < q.
void PivotedCholesky::swap(std::size_t p, std::size_t q) noexcept {
    const auto at = [this](std::size_t i, std::size_t j) -> double& { return l_[i * n_ + j]; };
    std::swap(order_[p], order_[q]);
    std::swap_ranges(&at(p, 0), &at(p, p), &at(q, 0));
    std::swap(at(p, p), at(q, q));
    for (std::size_t i = p + 1; i < q; ++i) {
        std::swap(at(i, p), at(q, i));
    }
    for (std::size_t i = q + 1; i < n_; ++i) {
        std::swap(at(i, p), at(i, q));
    }
}

bool PivotedCholesky::factor(std::span<const double> matrix, std::size_t n, double floor) {
    n_ = n;
    rank_ = 0;
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    l_.assign(matrix.begin(), matrix.begin() + static_cast<std::ptrdiff_t>(n * n));
    std::vector<double> column(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            best = l_[i * (n + 1)] > l_[best * (n + 1)] ? i : best;
        }
        if (!(l_[best * (n + 1)] > floor)) {
            break;
        }
        if (best != k) {
            swap(k, best);
        }
        const double root = std::sqrt(l_[k * (n + 1)]);
        for (std::size_t i = k; i < n; ++i) {
            column[i] = l_[i * n + k] /= root;
        }
        for (std::size_t i = k + 1; i < n; ++i) {
            double* const row = l_.data() + i * n;
            for (std::size_t j = k + 1; j <= i; ++j) {
                row[j] -= column[i] * column[j];
            }
        }
        rank_ = k + 1;
    }

    bool semidefinite = true;
    for (std::size_t i = rank_; i < n; ++i) {
        for (std::size_t j = rank_; j <= i; ++j) {
            semidefinite = semidefinite && std::abs(l_[i * n + j]) <= 10.0 * floor;
        }
    }
    return semidefinite;
}

void PivotedCholesky::solve(std::span<double> b) const noexcept {
    for (std::size_t k = 0; k < rank_; ++k) {
        for (std::size_t j = 0; j < k; ++j) {
            b[k] -= l_[k * n_ + j] * b[j];
        }
        b[k] /= l_[k * (n_ + 1)];
    }
    for (std::size_t k = rank_; k-- > 0;) {
        for (std::size_t j = k + 1; j < rank_; ++j) {
            b[k] -= l_[j * n_ + k] * b[j];
        }
        b[k] /= l_[k * (n_ + 1)];
    }
}

// L11^T x = -l, with l the row of L that belongs to the entry that is 1.
void PivotedCholesky::null_vector(std::size_t which, std::span<double> x) const noexcept {
    write_dependency_of_rows(l_, n_, rank_, rank_ + which, order_, x);
}

} // namespace substep::detail
