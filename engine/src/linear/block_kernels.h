// Arithmetic on dense blocks of 1 to 6 rows, for BlockLdl.
//
// Loops over a block's rows are unrolled completely, so that its numbers stay in registers; not under a sanitizer,
// whose checks in each copy would cost the compiler a minute.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <type_traits>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SUBSTEP_UNROLL
#else
#define SUBSTEP_UNROLL _Pragma("GCC unroll 8")
#endif

namespace substep::detail {

/// Calls f with the block size as a compile-time constant, so that the small loops unroll.
template <class F>
inline void with_size(int size, F&& f) noexcept {
    switch (size) {
    case 1:
        return f(std::integral_constant<std::size_t, 1>{});
    case 2:
        return f(std::integral_constant<std::size_t, 2>{});
    case 3:
        return f(std::integral_constant<std::size_t, 3>{});
    case 4:
        return f(std::integral_constant<std::size_t, 4>{});
    case 5:
        return f(std::integral_constant<std::size_t, 5>{});
    default:
        return f(std::integral_constant<std::size_t, 6>{});
    }
}

/// Reads numbers one by one: they may have been written just now, one by one, and a wider read would have to wait.
template <std::size_t N>
inline std::array<double, N> load(const double* from) noexcept {
    std::array<double, N> z;
    SUBSTEP_UNROLL
    for (std::size_t k = 0; k < N; ++k) {
        z[k] = from[k];
    }
    return z;
}

/// Factorises a dense block L_d D L_d^T in place: M = L_d^-1 below the diagonal, D^-1 on it. Returns the pivots raised
/// to their floors, a bit for each.
template <std::size_t N>
unsigned factor_diagonal(double* block, const double* floors) noexcept {
    std::array<double, N * N> a; // a copy that stays in registers
    std::copy_n(block, N * N, a.begin());
    unsigned raised = 0;
    SUBSTEP_UNROLL
    for (std::size_t k = 0; k < N; ++k) {
        double pivot = a[k * N + k];
        if (pivot < floors[k]) {
            pivot = floors[k];
            raised |= 1u << k;
        }
        const double inverse = 1.0 / pivot;
        SUBSTEP_UNROLL
        for (std::size_t i = N - 1; i > k; --i) {
            const double l = a[i * N + k] * inverse;
            SUBSTEP_UNROLL
            for (std::size_t j = k + 1; j <= i; ++j) {
                a[i * N + j] -= l * a[j * N + k]; // rows above i are still to be divided
            }
            a[i * N + k] = l;
        }
        a[k * N + k] = inverse;
    }

    // Row i of M = -(row i of L_d) M, from the top; M has ones on the diagonal.
    SUBSTEP_UNROLL
    for (std::size_t i = 1; i < N; ++i) {
        SUBSTEP_UNROLL
        for (std::size_t j = 0; j < i; ++j) {
            double sum = a[i * N + j];
            SUBSTEP_UNROLL
            for (std::size_t l = j + 1; l < i; ++l) {
                sum += a[i * N + l] * a[l * N + j]; // L right of column j, M above row i
            }
            a[i * N + j] = -sum;
        }
    }
    std::copy_n(a.begin(), N * N, block);
    return raised;
}

/// Copies a block's diagonal and returns its sum.
template <std::size_t N>
inline double copy_trace(const double* block, double* diagonal) noexcept {
    double sum = 0.0;
    SUBSTEP_UNROLL
    for (std::size_t k = 0; k < N; ++k) {
        diagonal[k] = block[k * (N + 1)];
        sum += block[k * (N + 1)];
    }
    return sum;
}

/// Returns a row of a block times a column vector.
template <std::size_t N>
inline double product(const double* row, const double* column) noexcept {
    double sum = row[0] * column[0];
    SUBSTEP_UNROLL
    for (std::size_t k = 1; k < N; ++k) {
        sum += row[k] * column[k];
    }
    return sum;
}

/// Turns a block A below the diagonal into L = A M^T D^-1, and leaves X = A M^T = L D beside it.
template <std::size_t Rows, std::size_t N>
void scale_block(double* a, const double* diagonal, double* x) noexcept {
    SUBSTEP_UNROLL
    for (std::size_t r = 0; r < Rows; ++r) {
        SUBSTEP_UNROLL
        for (std::size_t k = 0; k < N; ++k) {
            double sum = a[r * N + k];
            SUBSTEP_UNROLL
            for (std::size_t l = 0; l < k; ++l) {
                sum += a[r * N + l] * diagonal[k * N + l];
            }
            x[r * N + k] = sum;
        }
        SUBSTEP_UNROLL
        for (std::size_t k = 0; k < N; ++k) {
            a[r * N + k] = x[r * N + k] * diagonal[k * N + k];
        }
    }
}

/// Turns a block A below the diagonal into K = A P for a symmetric P, and leaves A beside it.
template <std::size_t Rows, std::size_t N>
inline void multiply_symmetric(double* a, const double* p, double* kept) noexcept {
    SUBSTEP_UNROLL
    for (std::size_t r = 0; r < Rows; ++r) {
        SUBSTEP_UNROLL
        for (std::size_t k = 0; k < N; ++k) {
            kept[r * N + k] = a[r * N + k];
        }
        // By rows of P, so that neighbouring columns are computed together.
        std::array<double, N> sum;
        SUBSTEP_UNROLL
        for (std::size_t c = 0; c < N; ++c) {
            sum[c] = kept[r * N] * p[c];
        }
        SUBSTEP_UNROLL
        for (std::size_t k = 1; k < N; ++k) {
            SUBSTEP_UNROLL
            for (std::size_t c = 0; c < N; ++c) {
                sum[c] += kept[r * N + k] * p[k * N + c];
            }
        }
        SUBSTEP_UNROLL
        for (std::size_t c = 0; c < N; ++c) {
            a[r * N + c] = sum[c];
        }
    }
}

/// Turns L into K = L M.
template <std::size_t Rows, std::size_t N>
void undo_triangle(double* l, const double* diagonal) noexcept {
    SUBSTEP_UNROLL
    for (std::size_t r = 0; r < Rows; ++r) {
        SUBSTEP_UNROLL
        for (std::size_t k = 0; k + 1 < N; ++k) {
            double sum = l[r * N + k];
            SUBSTEP_UNROLL
            for (std::size_t m = k + 1; m < N; ++m) {
                sum += l[r * N + m] * diagonal[m * N + k]; // columns right of k are still L's
            }
            l[r * N + k] = sum;
        }
    }
}

/// Replaces z by (L_d D L_d^T)^-1 z = M^T D^-1 M z.
template <std::size_t N>
void solve_diagonal(const double* diagonal, std::array<double, N>& z) noexcept {
    SUBSTEP_UNROLL
    for (std::size_t k = N - 1; k > 0; --k) {
        SUBSTEP_UNROLL
        for (std::size_t l = 0; l < k; ++l) {
            z[k] += diagonal[k * N + l] * z[l];
        }
    }
    SUBSTEP_UNROLL
    for (std::size_t k = 0; k < N; ++k) {
        z[k] *= diagonal[k * N + k];
    }
    SUBSTEP_UNROLL
    for (std::size_t k = 0; k < N; ++k) {
        SUBSTEP_UNROLL
        for (std::size_t l = k + 1; l < N; ++l) {
            z[k] += diagonal[l * N + k] * z[l];
        }
    }
}

/// target -= L X^T.
template <std::size_t Rows, std::size_t Columns, std::size_t N>
inline void subtract_product(double* target, const double* l, const double* x) noexcept {
    SUBSTEP_UNROLL
    for (std::size_t r = 0; r < Rows; ++r) {
        SUBSTEP_UNROLL
        for (std::size_t c = 0; c < Columns; ++c) {
            target[r * Columns + c] -= product<N>(l + r * N, x + c * N);
        }
    }
}

/// The same for a block on the diagonal, of which the lower triangle is kept.
template <std::size_t Rows, std::size_t N>
inline void subtract_symmetric_product(double* target, const double* l, const double* x) noexcept {
    SUBSTEP_UNROLL
    for (std::size_t r = 0; r < Rows; ++r) {
        SUBSTEP_UNROLL
        for (std::size_t c = 0; c <= r; ++c) {
            target[r * Rows + c] -= product<N>(l + r * N, x + c * N);
        }
    }
}

/// Part of the diagonal that a pivot must keep for a block to be inverted: (residual of the inverse) = round-off /
/// this.
inline constexpr double kLeastPart = 1e-4;

template <std::size_t N>
bool invert_halves(const double* a, double floor, double* halves) noexcept;
template <std::size_t N>
void join_halves(const double* halves, double* inverse) noexcept;

/// Writes the inverse of a block, of which the lower triangle is read. Returns false, with nothing of use written,
/// where a pivot is below `floor` or has lost too much of the diagonal: then L D L^T is the more accurate.
///
/// Determinants instead of pivots: two divisions that do not wait for one another where L D L^T has three in a row, and
/// the next column waits for them.
template <std::size_t N>
[[gnu::always_inline]] inline bool invert(const double* a, double floor, double* inverse) noexcept {
    constexpr double kMax = std::numeric_limits<double>::max();
    if constexpr (N == 1) {
        inverse[0] = 1.0 / a[0];
        return a[0] > floor;
    } else if constexpr (N == 2) {
        const double determinant = a[0] * a[3] - a[2] * a[2];
        const double factor = 1.0 / determinant;
        inverse[0] = a[3] * factor;
        inverse[1] = inverse[2] = -(a[2] * factor);
        inverse[3] = a[0] * factor;
        return (a[0] > floor) && (determinant > floor * a[0]) && (determinant > kLeastPart * a[0] * a[3]) &&
               (determinant < kMax);
    } else if constexpr (N == 3) {
        // a00 times the complement of the first row and column, and its determinant: a00^2 times the complement's.
        const double m11 = a[0] * a[4] - a[3] * a[3];
        const double m22 = a[0] * a[8] - a[6] * a[6];
        const double m21 = a[0] * a[7] - a[3] * a[6];
        const double determinant = m11 * m22 - m21 * m21;
        const double first = 1.0 / a[0];
        const double factor = a[0] / determinant;
        const double p11 = m22 * factor;
        const double p22 = m11 * factor;
        const double p21 = -(m21 * factor);
        const double l1 = a[3] * first;
        const double l2 = a[6] * first;
        const double p10 = -(l1 * p11 + l2 * p21);
        const double p20 = -(l1 * p21 + l2 * p22);
        inverse[0] = first - (l1 * p10 + l2 * p20);
        inverse[1] = inverse[3] = p10;
        inverse[2] = inverse[6] = p20;
        inverse[4] = p11;
        inverse[5] = inverse[7] = p21;
        inverse[8] = p22;
        return (a[0] > floor) && (m11 > floor * a[0]) && (determinant > floor * (a[0] * m11)) &&
               (m11 > kLeastPart * a[0] * a[4]) && (m22 > kLeastPart * a[0] * a[8]) &&
               (determinant > kLeastPart * m11 * m22) && (determinant < kMax);
    } else {
        std::array<double, N * N> halves;
        if (!invert_halves<N>(a, floor, halves.data())) {
            return false;
        }
        join_halves<N>(halves.data(), inverse);
        return true;
    }
}

/// Whether blocks of N rows are inverted by halves.
template <std::size_t N>
inline constexpr bool kInHalves = N > 3;

/// Leaves the inverse of a block [A11 A21^T; A21 A22] in three parts, in a block's lower triangle: P = A11^-1 above,
/// L = A21 P, and S^-1 of the complement S = A22 - L A21^T. Reads the lower triangle; `halves` may be the block itself.
/// Returns false, with nothing written, where `invert` would.
template <std::size_t N>
[[gnu::always_inline]] inline bool invert_halves(const double* a, double floor, double* halves) noexcept {
    constexpr std::size_t kFirst = (N + 1) / 2;
    constexpr std::size_t kSecond = N - kFirst;
    std::array<double, kFirst * kFirst> first;
    std::array<double, kSecond * kFirst> below;
    std::array<double, kSecond * kSecond> complement;
    std::array<double, kSecond * kSecond> second;
    SUBSTEP_UNROLL
    for (std::size_t i = 0; i < kFirst; ++i) {
        SUBSTEP_UNROLL
        for (std::size_t j = 0; j <= i; ++j) {
            first[i * kFirst + j] = a[i * N + j];
        }
    }
    std::array<double, kFirst * kFirst> p;
    bool good = invert<kFirst>(first.data(), floor, p.data());

    std::array<double, kSecond * kFirst> l;
    SUBSTEP_UNROLL
    for (std::size_t i = 0; i < kSecond; ++i) {
        SUBSTEP_UNROLL
        for (std::size_t j = 0; j < kFirst; ++j) {
            below[i * kFirst + j] = a[(kFirst + i) * N + j];
        }
        SUBSTEP_UNROLL
        for (std::size_t j = 0; j < kFirst; ++j) {
            l[i * kFirst + j] = product<kFirst>(below.data() + i * kFirst, p.data() + j * kFirst);
        }
    }
    SUBSTEP_UNROLL
    for (std::size_t i = 0; i < kSecond; ++i) {
        SUBSTEP_UNROLL
        for (std::size_t j = 0; j <= i; ++j) {
            const double whole = a[(kFirst + i) * N + kFirst + j];
            const double left = whole - product<kFirst>(l.data() + i * kFirst, below.data() + j * kFirst);
            complement[i * kSecond + j] = left;
            good = good && (i != j || left > kLeastPart * whole);
        }
    }
    good = invert<kSecond>(complement.data(), floor, second.data()) && good;
    if (!good) {
        return false;
    }
    SUBSTEP_UNROLL
    for (std::size_t i = 0; i < N; ++i) {
        SUBSTEP_UNROLL
        for (std::size_t j = 0; j <= i; ++j) {
            halves[i * N + j] = i < kFirst   ? p[i * kFirst + j]
                                : j < kFirst ? l[(i - kFirst) * kFirst + j]
                                             : second[(i - kFirst) * kSecond + j - kFirst];
        }
    }
    return true;
}

/// Puts the inverse together from the parts of `invert_halves`: P22 = S^-1, P21 = -S^-1 L, P11 = P + L^T S^-1 L.
template <std::size_t N>
[[gnu::always_inline]] inline void join_halves(const double* halves, double* inverse) noexcept {
    constexpr std::size_t kFirst = (N + 1) / 2;
    const auto of = [&](std::size_t i, std::size_t j) { return i < j ? halves[j * N + i] : halves[i * N + j]; };
    SUBSTEP_UNROLL
    for (std::size_t i = kFirst; i < N; ++i) {
        SUBSTEP_UNROLL
        for (std::size_t j = 0; j < kFirst; ++j) {
            double sum = of(i, kFirst) * of(kFirst, j);
            SUBSTEP_UNROLL
            for (std::size_t k = kFirst + 1; k < N; ++k) {
                sum += of(i, k) * of(k, j);
            }
            inverse[i * N + j] = inverse[j * N + i] = -sum;
        }
        SUBSTEP_UNROLL
        for (std::size_t j = kFirst; j < N; ++j) {
            inverse[i * N + j] = of(i, j);
        }
    }
    SUBSTEP_UNROLL
    for (std::size_t i = 0; i < kFirst; ++i) {
        SUBSTEP_UNROLL
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = of(i, j);
            SUBSTEP_UNROLL
            for (std::size_t k = kFirst; k < N; ++k) {
                sum -= of(k, i) * inverse[k * N + j];
            }
            inverse[i * N + j] = inverse[j * N + i] = sum;
        }
    }
}

/// Writes the inverse that `invert_halves` left, times z.
template <std::size_t N>
[[gnu::always_inline]] inline void solve_halves(const double* halves, const std::array<double, N>& z,
                                                double* x) noexcept {
    constexpr std::size_t kFirst = (N + 1) / 2;
    const auto of = [&](std::size_t i, std::size_t j) { return i < j ? halves[j * N + i] : halves[i * N + j]; };
    std::array<double, N> left = z; // of the second half, what the first leaves
    SUBSTEP_UNROLL
    for (std::size_t i = kFirst; i < N; ++i) {
        SUBSTEP_UNROLL
        for (std::size_t j = 0; j < kFirst; ++j) {
            left[i] -= of(i, j) * z[j];
        }
    }
    SUBSTEP_UNROLL
    for (std::size_t i = kFirst; i < N; ++i) {
        double sum = of(i, kFirst) * left[kFirst];
        SUBSTEP_UNROLL
        for (std::size_t j = kFirst + 1; j < N; ++j) {
            sum += of(i, j) * left[j];
        }
        x[i] = sum;
    }
    SUBSTEP_UNROLL
    for (std::size_t i = 0; i < kFirst; ++i) {
        double sum = of(i, 0) * z[0];
        SUBSTEP_UNROLL
        for (std::size_t j = 1; j < kFirst; ++j) {
            sum += of(i, j) * z[j];
        }
        SUBSTEP_UNROLL
        for (std::size_t j = kFirst; j < N; ++j) {
            sum -= of(j, i) * x[j];
        }
        x[i] = sum;
    }
}

} // namespace substep::detail
