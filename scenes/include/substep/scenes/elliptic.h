// Elliptic integrals of the first kind and Jacobi's elliptic functions, for the exact solutions of scenes.
#pragma once

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

// All take the *complementary parameter* m1 = 1 - m = 1 - k^2 (not the modulus k, not the parameter m) and never
// need m itself, so that nothing is lost as m -> 1. Callers form m1 from physical quantities, not by subtraction from
// one. For small m the rounding of m1 is harmless: every function below changes no faster than m.
//
// Arithmetic is long double. Where that is wider than double, as on x86-64, results are good to a last digit of
// double at any argument that a run can reach; where it is not, the argument's own rounding remains, about 1e-13 at
// u = 500.

/// Returns K(m) = F(pi/2 | m) by the arithmetic-geometric mean; infinity for m1 = 0. Throws std::invalid_argument
/// unless 0 <= m1 <= 1. (DLMF 19.8.5)
long double elliptic_k(long double m1);

/// Returns F(phi | m) = integral of dx / sqrt(1 - m sin^2 x) from 0 to phi, for any real phi, by Carlson's R_F. Throws
/// std::invalid_argument unless 0 <= m1 <= 1. (DLMF 19.25.5)
long double elliptic_f(long double phi, long double m1);

/// Carlson's symmetric integral R_F(x, y, z) of non-negative arguments, at most one of them zero, by duplication.
/// (Carlson, Numer. Algorithms 10, 1995; DLMF 19.36)
long double carlson_rf(long double x, long double y, long double z) noexcept;

/// Jacobi's functions of one argument.
struct JacobiFunctions {
    long double am = 0.0L; ///< amplitude, unwrapped: grows by pi per 2 K(m)
    long double sn = 0.0L;
    long double cn = 1.0L;
    long double dn = 1.0L;
};

/// Returns am, sn, cn, dn (u | m). For m1 = 0 they are the gudermannian, tanh, sech and sech. Throws
/// std::invalid_argument unless 0 <= m1 <= 1. (DLMF 22.20 and 22.7, in tangents, which do not cancel as m -> 1)
JacobiFunctions jacobi(long double u, long double m1);

} // namespace substep

#pragma GCC visibility pop
