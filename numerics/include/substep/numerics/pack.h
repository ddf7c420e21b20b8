// Packs of doubles, one per SIMD lane, with the arithmetic of a double: a system that is a template over its scalar
// runs on several states at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__AVX512F__) || defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include "substep/numerics/elementary_functions.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

/// The widest pack that the compiler's target holds in one register.
#if defined(__AVX512F__)
inline constexpr std::size_t kNativePackWidth = 8;
#elif defined(__AVX__)
inline constexpr std::size_t kNativePackWidth = 4;
#else
inline constexpr std::size_t kNativePackWidth = 2;
#endif

namespace detail {

/// The compiler's vectors, written out: GCC 12 loses their size where it depends on a template argument.
template <std::size_t W>
struct VectorsOf;
template <>
struct VectorsOf<2> {
    typedef double Doubles __attribute__((vector_size(16)));
    typedef std::int64_t Bits __attribute__((vector_size(16)));
};
template <>
struct VectorsOf<4> {
    typedef double Doubles __attribute__((vector_size(32)));
    typedef std::int64_t Bits __attribute__((vector_size(32)));
};
template <>
struct VectorsOf<8> {
    typedef double Doubles __attribute__((vector_size(64)));
    typedef std::int64_t Bits __attribute__((vector_size(64)));
};

} // namespace detail

/// The answer of a comparison, lane by lane.
template <std::size_t W>
struct PackMask {
    using Vector = typename detail::VectorsOf<W>::Bits;
    Vector bits; ///< -1: true, 0: false

    friend constexpr PackMask operator&(PackMask a, PackMask b) { return {a.bits & b.bits}; }
    friend constexpr PackMask operator|(PackMask a, PackMask b) { return {a.bits | b.bits}; }
    friend constexpr PackMask operator!(PackMask a) { return {~a.bits}; }
};

/// W = 2, 4 or 8 doubles. A thin layer over the vector extensions of GCC and Clang: the operators of a double, lane
/// by lane, with the same rounding, so that a lane has the bits that double would have under the same compiler flags
/// (keep -ffp-contract=off: fused multiply-adds, where one side has them and the other has not, change bits).
///
/// A double is the pack of one: every function below takes it too.
template <std::size_t W>
class Pack {
    static_assert(W == 2 || W == 4 || W == 8, "a pack holds 2, 4 or 8 doubles; the pack of one is double");

public:
    using Vector = typename detail::VectorsOf<W>::Doubles;

    constexpr Pack() : lanes_{} {}
    constexpr Pack(double x) : lanes_(x - Vector{}) {} // NOLINT: a number is a pack of it; x - 0 is x, -0 too
    constexpr explicit Pack(Vector lanes) : lanes_(lanes) {}

    constexpr Vector lanes() const { return lanes_; }
    constexpr double operator[](std::size_t i) const { return lanes_[i]; }

    /// Reads and writes W doubles that follow each other in memory; no alignment is asked for.
    static Pack load(const double* from) {
        Pack pack;
        __builtin_memcpy(&pack.lanes_, from, sizeof(Vector));
        return pack;
    }
    void store(double* to) const { __builtin_memcpy(to, &lanes_, sizeof(Vector)); }

    friend constexpr Pack operator+(Pack a, Pack b) { return Pack(a.lanes_ + b.lanes_); }
    friend constexpr Pack operator-(Pack a, Pack b) { return Pack(a.lanes_ - b.lanes_); }
    friend constexpr Pack operator*(Pack a, Pack b) { return Pack(a.lanes_ * b.lanes_); }
    friend constexpr Pack operator/(Pack a, Pack b) { return Pack(a.lanes_ / b.lanes_); }
    friend constexpr Pack operator-(Pack a) { return Pack(-a.lanes_); }
    constexpr Pack& operator+=(Pack b) { return *this = *this + b; }
    constexpr Pack& operator-=(Pack b) { return *this = *this - b; }
    constexpr Pack& operator*=(Pack b) { return *this = *this * b; }
    constexpr Pack& operator/=(Pack b) { return *this = *this / b; }

    friend constexpr PackMask<W> operator<(Pack a, Pack b) { return {a.lanes_ < b.lanes_}; }
    friend constexpr PackMask<W> operator<=(Pack a, Pack b) { return {a.lanes_ <= b.lanes_}; }
    friend constexpr PackMask<W> operator>(Pack a, Pack b) { return {a.lanes_ > b.lanes_}; }
    friend constexpr PackMask<W> operator>=(Pack a, Pack b) { return {a.lanes_ >= b.lanes_}; }
    friend constexpr PackMask<W> operator==(Pack a, Pack b) { return {a.lanes_ == b.lanes_}; }

private:
    Vector lanes_;
};

/// Number of doubles in a Scalar.
template <class Scalar>
inline constexpr std::size_t kPackWidth = sizeof(Scalar) / sizeof(double);

/// Returns a where the mask is true, b elsewhere. Both are computed.
constexpr double select(bool mask, double a, double b) { return mask ? a : b; }
template <std::size_t W>
constexpr Pack<W> select(PackMask<W> mask, Pack<W> a, Pack<W> b) {
    return Pack<W>(mask.bits ? a.lanes() : b.lanes());
}

/// True if the mask is true in any lane, in all lanes.
constexpr bool any(bool mask) { return mask; }
constexpr bool all(bool mask) { return mask; }
template <std::size_t W>
bool any(PackMask<W> mask) {
#if defined(__AVX512DQ__)
    if constexpr (W == 8) {
        return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask.bits)) != 0;
    }
#endif
#if defined(__AVX__)
    if constexpr (W == 4) {
        return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask.bits)) != 0;
    }
#endif
#if defined(__SSE2__)
    if constexpr (W == 2) {
        return _mm_movemask_pd(reinterpret_cast<__m128d>(mask.bits)) != 0;
    }
#endif
    std::int64_t bits = 0;
    for (std::size_t i = 0; i < W; ++i) {
        bits |= mask.bits[i];
    }
    return bits != 0;
}
template <std::size_t W>
bool all(PackMask<W> mask) {
    return !any(!mask);
}

/// Reads and writes kPackWidth<Scalar> doubles that follow each other in memory; no alignment is asked for.
template <class Scalar>
Scalar load(const double* from) {
    if constexpr (std::is_same_v<Scalar, double>) {
        return *from;
    } else {
        return Scalar::load(from);
    }
}
inline void store(double x, double* to) { *to = x; }
template <class Pack>
void store(const Pack& pack, double* to) {
    pack.store(to);
}

/// |x| and the larger of two: `b` where a comparison with NaN is false, as in a > b ? a : b.
constexpr double absolute(double x) { return std::fabs(x); }
constexpr double larger(double a, double b) { return a > b ? a : b; }
template <std::size_t W>
constexpr Pack<W> absolute(Pack<W> x) {
    using Bits = typename PackMask<W>::Vector;
    return Pack<W>(std::bit_cast<typename Pack<W>::Vector>(std::bit_cast<Bits>(x.lanes()) & INT64_MAX));
}
template <std::size_t W>
constexpr Pack<W> larger(Pack<W> a, Pack<W> b) {
    return select(a > b, a, b);
}

/// Square root, correctly rounded.
inline double square_root(double x) { return std::sqrt(x); }
template <std::size_t W>
Pack<W> square_root(Pack<W> x) {
#if defined(__AVX512F__)
    if constexpr (W == 8) {
        return Pack<W>(_mm512_sqrt_pd(x.lanes()));
    }
#endif
#if defined(__AVX__)
    if constexpr (W == 4) {
        return Pack<W>(_mm256_sqrt_pd(x.lanes()));
    }
#endif
#if defined(__SSE2__)
    if constexpr (W == 2) {
        return Pack<W>(_mm_sqrt_pd(x.lanes()));
    }
#endif
    typename Pack<W>::Vector root{};
    for (std::size_t i = 0; i < W; ++i) {
        root[i] = std::sqrt(x[i]);
    }
    return Pack<W>(root);
}

/// Whether bit 0 of a pack's bits is set; x with its sign changed where bit 1 of (the bits of `number` + offset) is.
template <std::size_t W>
constexpr PackMask<W> is_odd(Pack<W> number) {
    using Bits = typename PackMask<W>::Vector;
    return {(std::bit_cast<Bits>(number.lanes()) & 1) != 0};
}
template <std::size_t W>
constexpr Pack<W> negate_where_second_bit(Pack<W> x, Pack<W> number, std::int64_t offset) {
    using Bits = typename PackMask<W>::Vector;
    const Bits sign = ((std::bit_cast<Bits>(number.lanes()) + offset) << 62) & INT64_MIN;
    return Pack<W>(std::bit_cast<typename Pack<W>::Vector>(std::bit_cast<Bits>(x.lanes()) ^ sign));
}

namespace detail {

template <class Pack>
Pack lanes_within_reduction_limit(const Pack& x) {
    std::array<double, kPackWidth<Pack>> lanes;
    x.store(lanes.data());
    for (double& lane : lanes) {
        lane = within_reduction_limit(lane);
    }
    return Pack::load(lanes.data());
}

} // namespace detail

/// Sine and cosine of packs: the operations of the scalar functions, lane by lane. Pack is Pack<W>, or another type
/// with the same functions.
template <class Pack>
requires(!std::is_arithmetic_v<Pack>) void sine_cosine(const Pack& x, Pack& sine_of_x, Pack& cosine_of_x) {
    const Pack magnitude = absolute(x);
    if (all(magnitude <= Pack(detail::kNoReduction))) {
        sine_of_x = detail::sine_kernel(x, 0.0);
        cosine_of_x = detail::cosine_kernel(x, 0.0);
        return;
    }
    auto angle = detail::reduce_angle(x);
    if (!all(magnitude <= Pack(detail::kReductionLimit))) [[unlikely]] {
        angle = detail::reduce_angle(detail::lanes_within_reduction_limit(x));
    }
    const Pack s = detail::sine_kernel(angle.high, angle.low);
    const Pack c = detail::cosine_kernel(angle.high, angle.low);
    const auto odd = is_odd(angle.rounded);
    sine_of_x = negate_where_second_bit(select(odd, c, s), angle.rounded, 0);
    cosine_of_x = negate_where_second_bit(select(odd, s, c), angle.rounded, 1);
}

template <class Pack>
requires(!std::is_arithmetic_v<Pack>) Pack sine(const Pack& x) {
    if (all(absolute(x) <= Pack(detail::kNoReduction))) {
        return detail::sine_kernel(x, 0.0);
    }
    Pack s;
    Pack c;
    sine_cosine(x, s, c);
    return s;
}

template <class Pack>
requires(!std::is_arithmetic_v<Pack>) Pack cosine(const Pack& x) {
    if (all(absolute(x) <= Pack(detail::kNoReduction))) {
        return detail::cosine_kernel(x, 0.0);
    }
    Pack s;
    Pack c;
    sine_cosine(x, s, c);
    return c;
}

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
