// Sine, cosine and n-th root of our own: the stepping path must give the same bits with any C library.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace substep {

namespace detail {

/// pi/2 in three parts; the first two have 33 bits, so that n times either is exact for |n| < 2^20.
inline constexpr double kHalfPi1 = 0x1.921fb544p+0;
inline constexpr double kHalfPi2 = 0x1.0b4611a6p-34;
inline constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
inline constexpr double kTwoPi = 0x1.921fb54442d18p+2;
inline constexpr double kReductionLimit = 1.6e6;

/// x minus the nearest multiple of pi/2, as an unevaluated sum high + low, and that multiple's number modulo 4.
struct ReducedAngle {
    double high;
    double low;
    unsigned quadrant;
};

inline ReducedAngle reduce_angle(double x) noexcept {
    if (!(std::fabs(x) <= kReductionLimit)) {
        x = std::fmod(x, kTwoPi); // exact, but 2 pi is rounded: the error grows as 4e-17 |x|
    }
    // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
    constexpr double kRound = 0x1.8p52;
    const double rounded = x * kTwoOverPi + kRound;
    const double n = rounded - kRound;
    const double a = x - n * kHalfPi1;
    const double b = n * kHalfPi2;
    const double r = a - b;
    const double b_used = a - r;
    const double lost = (a - (r + b_used)) + (b_used - b); // a - b - r exactly (Knuth's two-sum)
    const double tail = lost - n * kHalfPi3;
    const double high = r + tail;
    return {high, (r - high) + tail, static_cast<unsigned>(std::bit_cast<std::uint64_t>(rounded)) & 3u};
}

/// Sine and cosine on [-pi/4, pi/4]: polynomials of fdlibm (Sun Microsystems, 1993: k_sin.c and k_cos.c), error under
/// 2^-57.
inline double sine_kernel(double x, double low) noexcept {
    const double z = x * x;
    const double r =
        8.33333333332248946124e-03 +
        z * (-1.98412698298579493134e-04 +
             z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
    const double v = z * x;
    return x - ((z * (0.5 * low - v * r) - low) + v * 1.66666666666666324348e-01);
}

inline double cosine_kernel(double x, double low) noexcept {
    const double z = x * x;
    const double r = z * (4.16666666666666019037e-02 +
                          z * (-1.38888888888741095749e-03 +
                               z * (2.48015872894767294178e-05 +
                                    z * (-2.75573143513906633035e-07 +
                                         z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    const double half = 0.5 * z;
    const double w = 1.0 - half;
    return w + (((1.0 - w) - half) + (z * r - x * low));
}

} // namespace detail

/// Writes sin x and cos x, x in rad, to within 1 ulp for |x| <= 1.6e6; beyond, the absolute error grows as 4e-17 |x|.
/// NaN for NaN and infinity.
inline void sine_cosine(double x, double& sine_of_x, double& cosine_of_x) noexcept {
    const detail::ReducedAngle angle = detail::reduce_angle(x);
    const double s = detail::sine_kernel(angle.high, angle.low);
    const double c = detail::cosine_kernel(angle.high, angle.low);
    const double swapped_s = (angle.quadrant & 1u) != 0 ? c : s;
    const double swapped_c = (angle.quadrant & 1u) != 0 ? s : c;
    sine_of_x = (angle.quadrant & 2u) != 0 ? -swapped_s : swapped_s;
    cosine_of_x = ((angle.quadrant + 1u) & 2u) != 0 ? -swapped_c : swapped_c;
}

/// Returns sin x; accuracy as sine_cosine.
inline double sine(double x) noexcept {
    const detail::ReducedAngle angle = detail::reduce_angle(x);
    const double value = (angle.quadrant & 1u) != 0 ? detail::cosine_kernel(angle.high, angle.low)
                                                    : detail::sine_kernel(angle.high, angle.low);
    return (angle.quadrant & 2u) != 0 ? -value : value;
}

/// Returns cos x; accuracy as sine_cosine.
inline double cosine(double x) noexcept {
    const detail::ReducedAngle angle = detail::reduce_angle(x);
    const double value = (angle.quadrant & 1u) != 0 ? detail::sine_kernel(angle.high, angle.low)
                                                    : detail::cosine_kernel(angle.high, angle.low);
    return ((angle.quadrant + 1u) & 2u) != 0 ? -value : value;
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

} // namespace substep
