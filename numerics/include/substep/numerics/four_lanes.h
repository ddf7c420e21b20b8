// Four doubles side by side, with the functions of a Pack (substep/numerics/pack.h) and a few more for bodies. Names
// are local to each source that includes this, because each is compiled for another instruction set: no function of one
// may be taken for that of another.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "substep/numerics/pack.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {
namespace {

/// The compiler's vectors: one register where it has four doubles, two where it has two.
class WideFour {
public:
    typedef double Doubles __attribute__((vector_size(32)));
    typedef std::int64_t Bits __attribute__((vector_size(32)));
    struct Mask {
        Bits bits;
        [[gnu::always_inline]] friend inline Mask operator&(Mask a, Mask b) { return {a.bits & b.bits}; }
        [[gnu::always_inline]] friend inline Mask operator|(Mask a, Mask b) { return {a.bits | b.bits}; }
        [[gnu::always_inline]] friend inline Mask operator!(Mask a) { return {~a.bits}; }
        [[gnu::always_inline]] friend inline bool any(Mask a) {
#if defined(__AVX__)
            return _mm256_movemask_pd(reinterpret_cast<__m256d>(a.bits)) != 0;
#else
            return ((a.bits[0] | a.bits[1]) | (a.bits[2] | a.bits[3])) != 0;
#endif
        }
        [[gnu::always_inline]] friend inline bool all(Mask a) { return !any(!a); }
    };

    WideFour() = default;
    [[gnu::always_inline]] inline WideFour(double x) : v_{x, x, x, x} {} // NOLINT: a number is a pack of it
    [[gnu::always_inline]] inline explicit WideFour(Doubles v) : v_(v) {}

    [[gnu::always_inline]] static inline WideFour load(const double* from) {
        WideFour x;
        std::memcpy(&x.v_, from, sizeof(Doubles));
        return x;
    }
    [[gnu::always_inline]] inline void store(double* to) const { std::memcpy(to, &v_, sizeof(Doubles)); }

    [[gnu::always_inline]] friend inline WideFour operator+(WideFour a, WideFour b) { return WideFour(a.v_ + b.v_); }
    [[gnu::always_inline]] friend inline WideFour operator-(WideFour a, WideFour b) { return WideFour(a.v_ - b.v_); }
    [[gnu::always_inline]] friend inline WideFour operator*(WideFour a, WideFour b) { return WideFour(a.v_ * b.v_); }
    [[gnu::always_inline]] friend inline WideFour operator/(WideFour a, WideFour b) { return WideFour(a.v_ / b.v_); }
    [[gnu::always_inline]] friend inline WideFour operator-(WideFour a) { return WideFour(-a.v_); }

    [[gnu::always_inline]] friend inline Mask operator<(WideFour a, WideFour b) { return {a.v_ < b.v_}; }
    [[gnu::always_inline]] friend inline Mask operator<=(WideFour a, WideFour b) { return {a.v_ <= b.v_}; }
    [[gnu::always_inline]] friend inline Mask operator>(WideFour a, WideFour b) { return {a.v_ > b.v_}; }
    [[gnu::always_inline]] friend inline Mask operator>=(WideFour a, WideFour b) { return {a.v_ >= b.v_}; }

    [[gnu::always_inline]] friend inline WideFour select(Mask mask, WideFour a, WideFour b) {
#if defined(__AVX__)
        return WideFour(_mm256_blendv_pd(b.v_, a.v_, reinterpret_cast<__m256d>(mask.bits)));
#else
        const Bits chosen =
            (__builtin_bit_cast(Bits, a.v_) & mask.bits) | (__builtin_bit_cast(Bits, b.v_) & ~mask.bits);
        return WideFour(__builtin_bit_cast(Doubles, chosen));
#endif
    }
    [[gnu::always_inline]] friend inline WideFour absolute(WideFour x) {
        return WideFour(__builtin_bit_cast(Doubles, __builtin_bit_cast(Bits, x.v_) & INT64_MAX));
    }
    /// As a > b ? a : b, and a < b ? a : b.
    [[gnu::always_inline]] friend inline WideFour larger(WideFour a, WideFour b) {
#if defined(__AVX__)
        return WideFour(_mm256_max_pd(a.v_, b.v_));
#else
        return select(a > b, a, b);
#endif
    }
    [[gnu::always_inline]] friend inline WideFour smaller(WideFour a, WideFour b) {
#if defined(__AVX__)
        return WideFour(_mm256_min_pd(a.v_, b.v_));
#else
        return select(a < b, a, b);
#endif
    }
    [[gnu::always_inline]] friend inline WideFour square_root(WideFour x) {
#if defined(__AVX__)
        return WideFour(_mm256_sqrt_pd(x.v_));
#else
        return WideFour(Doubles{std::sqrt(x.v_[0]), std::sqrt(x.v_[1]), std::sqrt(x.v_[2]), std::sqrt(x.v_[3])});
#endif
    }
    [[gnu::always_inline]] friend inline Mask is_odd(WideFour number) {
        return {(__builtin_bit_cast(Bits, number.v_) & 1) != 0};
    }
    [[gnu::always_inline]] friend inline WideFour negate_where_second_bit(WideFour x, WideFour number,
                                                                          std::int64_t offset) {
        const Bits sign = ((__builtin_bit_cast(Bits, number.v_) + offset) << 62) & INT64_MIN;
        return WideFour(__builtin_bit_cast(Doubles, __builtin_bit_cast(Bits, x.v_) ^ sign));
    }

    /// A bit for each lane, the lowest for the first one.
    [[gnu::always_inline]] friend inline unsigned bits_of(Mask a) {
#if defined(__AVX__)
        return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(a.bits)));
#else
        return static_cast<unsigned>((a.bits[0] & 1) | (a.bits[1] & 2) | (a.bits[2] & 4) | (a.bits[3] & 8));
#endif
    }

    /// The first three lanes in turn, beginning with the second, or with the third.
    [[gnu::always_inline]] friend inline WideFour next_of_three(WideFour x) {
        return WideFour(__builtin_shufflevector(x.v_, x.v_, 1, 2, 0, 3));
    }
    [[gnu::always_inline]] friend inline WideFour last_of_three(WideFour x) {
        return WideFour(__builtin_shufflevector(x.v_, x.v_, 2, 0, 1, 3));
    }

    /// Four rows of four become four columns.
    [[gnu::always_inline]] friend inline void transpose(WideFour& a, WideFour& b, WideFour& c, WideFour& d) {
        const Doubles low_ab = __builtin_shufflevector(a.v_, b.v_, 0, 4, 2, 6);
        const Doubles high_ab = __builtin_shufflevector(a.v_, b.v_, 1, 5, 3, 7);
        const Doubles low_cd = __builtin_shufflevector(c.v_, d.v_, 0, 4, 2, 6);
        const Doubles high_cd = __builtin_shufflevector(c.v_, d.v_, 1, 5, 3, 7);
        a.v_ = __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5);
        b.v_ = __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5);
        c.v_ = __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7);
        d.v_ = __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7);
    }

private:
    Doubles v_;
};

} // namespace
} // namespace substep

#pragma GCC visibility pop
