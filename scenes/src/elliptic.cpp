// Elliptic integrals and functions from the arithmetic-geometric mean and Carlson's duplication theorem.
#include "substep/scenes/elliptic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

namespace substep {
namespace {

using std::numbers::pi_v;

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

// Refuses what is no complementary parameter, NaN included.
void check_complementary_parameter(long double m1) {
    if (!(m1 >= 0.0L && m1 <= 1.0L)) {
        throw std::invalid_argument("complementary parameter m1 = " + std::to_string(m1) + " must be within [0, 1]");
    }
}

// The means a_n, b_n of 1 and k' until they agree. b_n/a_n is the complementary modulus after n Landen steps, and
// a_N u the amplitude of u there.
struct ArithmeticGeometricMean {
    std::array<long double, 32> a{}; // quadratic convergence: 16 steps serve the smallest positive long double
    std::array<long double, 32> b{};
    int last = 0;

    explicit ArithmeticGeometricMean(long double m1) {
        a[0] = 1.0L;
        b[0] = std::sqrt(m1);
        while (a[last] - b[last] > 2.0L * std::numeric_limits<long double>::epsilon() * a[last] && last < 31) {
            a[last + 1] = 0.5L * (a[last] + b[last]);
            b[last + 1] = std::sqrt(a[last] * b[last]);
            ++last;
        }
    }

    long double complete_integral() const { return pi_v<long double> / (2.0L * a[last]); }
};

// sn, cn, dn for |u| <= K/2 by descending Landen transformations on the tangent T = sn/cn: at the last level the
// modulus vanishes and T = tan(a_N u); one level up T <- (1 + k_n) T / dn_n with 1 + k_n = a_(n-1)/a_n (DLMF 22.7.2,
// 22.7.3). Every term is positive, so nothing cancels.
JacobiFunctions jacobi_first_half(long double u, long double m1, const ArithmeticGeometricMean& mean) {
    long double tangent = std::tan(mean.a[mean.last] * u);
    for (int n = mean.last; n > 0; --n) {
        const long double complement = mean.b[n] / mean.a[n];
        const long double square = tangent * tangent;
        const long double dn = std::sqrt((1.0L + complement * complement * square) / (1.0L + square));
        tangent *= mean.a[n - 1] / (mean.a[n] * dn);
    }
    const long double square = tangent * tangent;
    JacobiFunctions result;
    result.am = std::atan(tangent);
    result.cn = 1.0L / std::sqrt(1.0L + square);
    result.sn = tangent * result.cn;
    result.dn = std::sqrt((1.0L + m1 * square) / (1.0L + square));
    return result;
}

// The limit m = 1: am is the gudermannian function.
JacobiFunctions jacobi_separatrix(long double u) {
    JacobiFunctions result;
    result.am = 2.0L * std::atan(std::tanh(0.5L * u));
    result.sn = std::tanh(u);
    result.cn = 1.0L / std::cosh(u);
    result.dn = result.cn;
    return result;
}

} // namespace

long double elliptic_k(long double m1) {
    check_complementary_parameter(m1);
    return m1 == 0.0L ? kInfinity : ArithmeticGeometricMean(m1).complete_integral();
}

long double carlson_rf(long double x, long double y, long double z) noexcept {
    // Duplication brings the arguments together by a factor of four each time ...
    long double mean = (x + y + z) / 3.0L;
    constexpr long double kCloseEnough = 1e-3L; // the series below is cut at the eighth power of the spread: 1e-24
    while (std::max({std::abs(mean - x), std::abs(mean - y), std::abs(mean - z)}) > kCloseEnough * mean) {
        const long double lambda = std::sqrt(x * y) + std::sqrt(y * z) + std::sqrt(z * x);
        x = 0.25L * (x + lambda);
        y = 0.25L * (y + lambda);
        z = 0.25L * (z + lambda);
        mean = (x + y + z) / 3.0L;
    }
    // ... and a series in their symmetric functions ends it (DLMF 19.36.1).
    const long double dx = 1.0L - x / mean;
    const long double dy = 1.0L - y / mean;
    const long double dz = -dx - dy;
    const long double e2 = dx * dy - dz * dz;
    const long double e3 = dx * dy * dz;
    return (1.0L - e2 / 10.0L + e3 / 14.0L + e2 * e2 / 24.0L - 3.0L * e2 * e3 / 44.0L - 5.0L * e2 * e2 * e2 / 208.0L +
            3.0L * e3 * e3 / 104.0L + e2 * e2 * e3 / 16.0L) /
           std::sqrt(mean);
}

long double elliptic_f(long double phi, long double m1) {
    check_complementary_parameter(m1);
    // Whole half turns each count 2 K; what remains lies within [-pi/2, pi/2].
    const long double half_turns = std::round(phi / pi_v<long double>);
    const long double rest = phi - half_turns * pi_v<long double>;
    const long double whole = half_turns == 0.0L ? 0.0L : half_turns * 2.0L * elliptic_k(m1);

    // F = sin phi R_F(cos^2 phi, 1 - m sin^2 phi, 1), the middle one without subtraction.
    const long double s = std::sin(rest);
    const long double c = std::cos(rest);
    if (c == 0.0L && m1 == 0.0L) {
        return std::copysign(kInfinity, s);
    }
    return whole + s * carlson_rf(c * c, c * c + m1 * s * s, 1.0L);
}

JacobiFunctions jacobi(long double u, long double m1) {
    check_complementary_parameter(m1);
    if (m1 == 0.0L) {
        return jacobi_separatrix(u);
    }

    // u = 2 K n + r with |r| <= K: sn and cn change sign with every n, dn does not.
    const ArithmeticGeometricMean mean(m1);
    const long double k = mean.complete_integral();
    const long double half_periods = std::round(u / (2.0L * k));
    const long double r = std::fma(-half_periods, 2.0L * k, u);

    // Beyond K/2 the functions of K - |r| serve: sn = cn/dn, cn = k' sn/dn, dn = k'/dn (DLMF 22.4.3). So cn and dn
    // stay accurate relative to themselves where they are small.
    JacobiFunctions result;
    if (std::abs(r) <= 0.5L * k) {
        result = jacobi_first_half(r, m1, mean);
    } else {
        const JacobiFunctions mirrored = jacobi_first_half(k - std::abs(r), m1, mean);
        const long double complement = std::sqrt(m1);
        result.sn = std::copysign(mirrored.cn / mirrored.dn, r);
        result.cn = complement * mirrored.sn / mirrored.dn;
        result.dn = complement / mirrored.dn;
        result.am = std::atan2(result.sn, result.cn);
    }

    // Put the whole half periods back.
    result.am += half_periods * pi_v<long double>;
    if (std::fmod(half_periods, 2.0L) != 0.0L) {
        result.sn = -result.sn;
        result.cn = -result.cn;
    }
    return result;
}

} // namespace substep
