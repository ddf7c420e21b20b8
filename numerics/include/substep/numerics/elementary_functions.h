// Sine, cosine, arctangent, roots, logarithm and power of our own: the stepping path must give the same bits with any C
// library.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

namespace detail {

/// pi/2 in three parts; the first two have 33 bits, so that n times either is exact for |n| < 2^20.
inline constexpr double kHalfPi1 = 0x1.921fb544p+0;
inline constexpr double kHalfPi2 = 0x1.0b4611a6p-34;
inline constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
inline constexpr double kTwoPi = 0x1.921fb54442d18p+2;
inline constexpr double kReductionLimit = 1.6e6;

/// Angles up to here (rad) are their own remainder: a little below pi/4, where the nearest multiple of pi/2 changes.
inline constexpr double kNoReduction = 0.785;

/// x minus the nearest multiple of pi/2, as an unevaluated sum high + low. The multiple's number is in the low bits of
/// `rounded`.
template <class Scalar>
struct ReducedAngle {
    Scalar high;
    Scalar low;
    Scalar rounded;
};

/// For |x| <= kReductionLimit. Scalar is double or a SIMD pack; the operations are the same, and so are the bits.
template <class Scalar>
constexpr ReducedAngle<Scalar> reduce_angle(Scalar x) noexcept {
    // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
    constexpr double kRound = 0x1.8p52;
    const Scalar rounded = x * kTwoOverPi + kRound;
    const Scalar n = rounded - kRound;
    const Scalar a = x - n * kHalfPi1;
    const Scalar b = n * kHalfPi2;
    const Scalar r = a - b;
    const Scalar b_used = a - r;
    const Scalar lost = (a - (r + b_used)) + (b_used - b); // a - b - r exactly (Knuth's two-sum)
    const Scalar tail = n * kHalfPi3 - lost;
    const Scalar high = r - tail;
    return {high, (r - high) - tail, rounded};
}

/// fmod(x, kTwoPi) for |x| >= 2^60, to the bit. fmod may go from digit to digit: a C library was seen to take 5 us for
/// 1e300. Both numbers are whole multiples of 2^-50 here: eleven digits at a time are brought below the divisor's.
inline double huge_within_turn(double x) noexcept {
    constexpr auto kTurn = static_cast<std::uint64_t>(kTwoPi * 0x1p50); // below 2^53
    constexpr int kDigits = 11;                                         // that 64 bits leave beside it
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(x), &exponent);
    std::uint64_t rest = static_cast<std::uint64_t>(std::ldexp(fraction, 53)) % kTurn;
    for (int left = exponent - 3; left > 0; left -= kDigits) {
        rest = (rest << (left < kDigits ? left : kDigits)) % kTurn;
    }
    return std::copysign(std::ldexp(static_cast<double>(rest), -50), x);
}

/// Brings a large angle into the range of reduce_angle: exact, but 2 pi is rounded: the error grows as 4e-17 |x|.
inline double within_reduction_limit(double x) noexcept {
    constexpr double kHuge = 0x1p60;
    const double size = std::fabs(x);
    return size <= kReductionLimit                                         ? x
           : size < kHuge || !(size <= std::numeric_limits<double>::max()) ? std::fmod(x, kTwoPi)
                                                                           : huge_within_turn(x);
}

inline unsigned quadrant(double rounded) noexcept {
    return static_cast<unsigned>(std::bit_cast<std::uint64_t>(rounded)) & 3u;
}

/// Sine and cosine on [-pi/4, pi/4]: polynomials of fdlibm (Sun Microsystems, 1993: k_sin.c and k_cos.c), error under
/// 2^-57.
template <class Scalar, class Low>
constexpr Scalar sine_kernel(Scalar x, Low low) noexcept {
    const Scalar z = x * x;
    const Scalar r =
        8.33333333332248946124e-03 +
        z * (-1.98412698298579493134e-04 +
             z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
    const Scalar v = z * x;
    return x - ((z * (0.5 * low - v * r) - low) + v * 1.66666666666666324348e-01);
}

template <class Scalar, class Low>
constexpr Scalar cosine_kernel(Scalar x, Low low) noexcept {
    const Scalar z = x * x;
    const Scalar r = z * (4.16666666666666019037e-02 +
                          z * (-1.38888888888741095749e-03 +
                               z * (2.48015872894767294178e-05 +
                                    z * (-2.75573143513906633035e-07 +
                                         z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    const Scalar half = 0.5 * z;
    const Scalar w = 1.0 - half;
    return w + (((1.0 - w) - half) + (z * r - x * low));
}

} // namespace detail

/// Writes sin x and cos x, x in rad, to within 1 ulp for |x| <= 1.6e6; beyond, the absolute error grows as 4e-17 |x|.
/// NaN for NaN and infinity.
inline void sine_cosine(double x, double& sine_of_x, double& cosine_of_x) noexcept {
    if (std::fabs(x) <= detail::kNoReduction) {
        sine_of_x = detail::sine_kernel(x, 0.0);
        cosine_of_x = detail::cosine_kernel(x, 0.0);
        return;
    }
    const auto angle = detail::reduce_angle(detail::within_reduction_limit(x));
    const unsigned quadrant = detail::quadrant(angle.rounded);
    const double s = detail::sine_kernel(angle.high, angle.low);
    const double c = detail::cosine_kernel(angle.high, angle.low);
    const double swapped_s = (quadrant & 1u) != 0 ? c : s;
    const double swapped_c = (quadrant & 1u) != 0 ? s : c;
    sine_of_x = (quadrant & 2u) != 0 ? -swapped_s : swapped_s;
    cosine_of_x = ((quadrant + 1u) & 2u) != 0 ? -swapped_c : swapped_c;
}

/// Returns sin x; accuracy as sine_cosine.
inline double sine(double x) noexcept {
    if (std::fabs(x) <= detail::kNoReduction) {
        return detail::sine_kernel(x, 0.0);
    }
    const auto angle = detail::reduce_angle(detail::within_reduction_limit(x));
    const unsigned quadrant = detail::quadrant(angle.rounded);
    const double value = (quadrant & 1u) != 0 ? detail::cosine_kernel(angle.high, angle.low)
                                              : detail::sine_kernel(angle.high, angle.low);
    return (quadrant & 2u) != 0 ? -value : value;
}

/// Returns cos x; accuracy as sine_cosine.
inline double cosine(double x) noexcept {
    if (std::fabs(x) <= detail::kNoReduction) {
        return detail::cosine_kernel(x, 0.0);
    }
    const auto angle = detail::reduce_angle(detail::within_reduction_limit(x));
    const unsigned quadrant = detail::quadrant(angle.rounded);
    const double value = (quadrant & 1u) != 0 ? detail::sine_kernel(angle.high, angle.low)
                                              : detail::cosine_kernel(angle.high, angle.low);
    return ((quadrant + 1u) & 2u) != 0 ? -value : value;
}

/// Returns the angle of the point (x, y) within [-pi, pi] (rad), 0 for the origin, to a few units of round-off of pi.
/// NaN where the distance from the origin is not finite.
inline double arctangent(double y, double x) noexcept {
    const double length = std::sqrt(x * x + y * y);
    if (!(length > 0.0) || !(length <= std::numeric_limits<double>::max())) {
        return length == 0.0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
    }
    // A guess good to 0.005 rad in the first octant, mirrored into the others.
    const double across = std::abs(y);
    const double along = std::abs(x);
    const double ratio = across < along ? across / along : along / across;
    double angle = ratio * (0.7853981633974483 + 0.273 * (1.0 - ratio));
    angle = across < along ? angle : 0.5 * std::numbers::pi - angle;
    angle = x < 0.0 ? std::numbers::pi - angle : angle;
    angle = y < 0.0 ? -angle : angle;

    // Turn by minus the guess; what is left is small enough for three terms of the arcsine.
    for (int i = 0; i < 2; ++i) {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(angle, s, c);
        const double rest = (y * c - x * s) / length;
        angle += rest * (1.0 + rest * rest * (1.0 / 6.0 + rest * rest * (3.0 / 40.0)));
    }
    return angle;
}

/// Returns x^(1/n) for positive, finite, normal x and 1 <= n <= 16, to within a few ulp: Newton's iteration from a
/// first guess that divides the exponent by n.
inline double nth_root(double x, int n) noexcept {
    if (n == 1) {
        return x;
    }
    if (n == 2) {
        return std::sqrt(x);
    }
    // The bits of a double are nearly proportional to its logarithm, which makes the guess good to 6 %.
    constexpr std::int64_t kBitsOfOne = 0x3ff0000000000000;
    const std::int64_t bits = std::bit_cast<std::int64_t>(x);
    double root = std::bit_cast<double>(kBitsOfOne + (bits - kBitsOfOne) / n);
    for (int iteration = 0; iteration < 8; ++iteration) {
        double power = root; // root^(n-1)
        for (int i = 2; i < n; ++i) {
            power *= root;
        }
        const double change = (x / power - root) / n;
        root += change;
        if (std::fabs(change) <= 1e-9 * root) { // quadratic convergence: the next change would be below round-off
            break;
        }
    }
    return root;
}

/// Returns log2 x for positive, finite, normal x, to within 4e-16 (1 + |log2 x|): x = m 2^e with m in [sqrt(1/2), sqrt
/// 2), and ln m = 2 artanh z = 2 (z + z^3/3 + ...) with z = (m - 1)/(m + 1), |z| <= 0.172.
inline double binary_logarithm(double x) noexcept {
    constexpr std::uint64_t kFraction = 0x000fffffffffffff;
    constexpr double kSqrtTwo = 0x1.6a09e667f3bcdp+0;
    constexpr double kTwoOverLnTwo = 0x1.71547652b82fep+1;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    double m = std::bit_cast<double>((bits & kFraction) | 0x3ff0000000000000u);
    double e = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
    if (m > kSqrtTwo) {
        m *= 0.5;
        e += 1.0;
    }
    const double z = (m - 1.0) / (m + 1.0);
    const double s = z * z;
    double sum = 0.0;
    for (int i = 21; i >= 1; i -= 2) { // z^23/23 < 1e-19 z
        sum = sum * s + 1.0 / i;
    }
    return e + kTwoOverLnTwo * (z * sum);
}

/// Returns 2^x for |x| <= 1000, to within 1e-15 relative: 2^n times the Taylor series of exp on [-ln 2 / 2, ln 2 / 2].
inline double binary_power(double x) noexcept {
    constexpr double kLnTwo = 0x1.62e42fefa39efp-1;
    constexpr double kRound = 0x1.8p52;
    const double n = (x + kRound) - kRound;
    const double r = (x - n) * kLnTwo;
    double sum = 1.0;
    for (int i = 14; i >= 1; --i) { // 0.347^15 / 15! < 1e-19
        sum = 1.0 + sum * r / i;
    }
    return sum * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023) << 52);
}

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
