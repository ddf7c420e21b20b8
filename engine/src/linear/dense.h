// Small dense matrices, by rows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace substep::detail {

/// Four sums side by side, so that no term waits for the one before.
inline double product(std::span<const double> a, std::span<const double> b) noexcept {
    std::array<double, 4> sums{};
    std::size_t i = 0;
    for (; i + 4 <= a.size(); i += 4) {
        for (std::size_t k = 0; k < 4; ++k) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

inline double largest_of(std::span<const double> values) noexcept {
    double largest = 0.0;
    for (const double value : values) {
        largest = std::max(largest, std::abs(value));
    }
    return largest;
}

/// Sum of the diagonal of n rows.
inline double trace_of(std::span<const double> matrix, std::size_t n) noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += matrix[i * (n + 1)];
    }
    return sum;
}

/// Writes the factors c with sum c_i l_i = 0 of the rows l_i of n numbers of a lower triangle, which may have more rows
/// below its first `rank`: that of row `dependent` of these is 1, those of the others below are 0. `order` says where
/// in c each row's factor goes.
inline void write_dependency_of_rows(std::span<const double> rows, std::size_t n, std::size_t rank,
                                     std::size_t dependent, std::span<const std::size_t> order,
                                     std::span<double> c) noexcept {
    std::ranges::fill(c, 0.0);
    c[order[dependent]] = 1.0;
    for (std::size_t k = rank; k-- > 0;) {
        double sum = -rows[dependent * n + k];
        for (std::size_t j = k + 1; j < rank; ++j) {
            sum -= rows[j * n + k] * c[order[j]];
        }
        c[order[k]] = sum / rows[k * n + k];
    }
}

/// A X, for A of n columns and X of m.
inline std::vector<double> times(std::span<const double> a, std::size_t n, std::span<const double> x, std::size_t m) {
    const std::size_t rows = a.size() / n;
    std::vector<double> out(rows * m, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            const double factor = a[i * n + k];
            for (std::size_t j = 0; j < m && factor != 0.0; ++j) {
                out[i * m + j] += factor * x[k * m + j];
            }
        }
    }
    return out;
}

/// X^T A, for X of m columns and A of n, with as many rows.
inline std::vector<double> transposed_times(std::span<const double> x, std::size_t m, std::span<const double> a,
                                            std::size_t n) {
    std::vector<double> out(m * n, 0.0);
    for (std::size_t k = 0; k < a.size() / n; ++k) {
        for (std::size_t i = 0; i < m; ++i) {
            const double factor = x[k * m + i];
            for (std::size_t j = 0; j < n && factor != 0.0; ++j) {
                out[i * n + j] += factor * a[k * n + j];
            }
        }
    }
    return out;
}

/// Replaces b by a solution of A x = b, of a positive semi-definite A by its lower triangle, which is destroyed. Rows
/// that follow from those before them, but for `floor` of the largest diagonal number, have x = 0.
inline void solve_semidefinite(std::span<double> a, double floor, std::span<double> b) noexcept {
    const std::size_t n = b.size();
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        largest = std::max(largest, a[i * (n + 1)]);
    }
    for (std::size_t i = 0; i < n; ++i) { // A = L L^T; L has zeros below a row left out
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            const double pivot = a[j * (n + 1)];
            a[i * n + j] = i == j ? (sum > floor * largest ? std::sqrt(sum) : 0.0) : pivot > 0.0 ? sum / pivot : 0.0;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            b[i] -= a[i * n + k] * b[k];
        }
        b[i] = a[i * (n + 1)] > 0.0 ? b[i] / a[i * (n + 1)] : 0.0;
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) {
            b[i] -= a[k * n + i] * b[k];
        }
        b[i] = a[i * (n + 1)] > 0.0 ? b[i] / a[i * (n + 1)] : 0.0;
    }
}

} // namespace substep::detail
