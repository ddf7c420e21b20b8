// A number with its first and second derivative along one variable: geometry differentiated by arithmetic.
#pragma once

#include <cmath>

#include "substep/numerics/elementary_functions.h"

namespace substep::detail {

/// f, f' and f'' of a function of one variable. Arithmetic follows the product and chain rules exactly (Griewank &
/// Walther, Evaluating Derivatives, 2nd ed., chapter 13).
struct Jet {
    double value = 0.0;
    double first = 0.0;
    double second = 0.0;

    constexpr Jet() = default;
    constexpr Jet(double constant) : value(constant) {} // NOLINT: numbers are constants
    constexpr Jet(double f, double f1, double f2) : value(f), first(f1), second(f2) {}

    /// The variable itself.
    static constexpr Jet variable(double x) { return {x, 1.0, 0.0}; }
};

constexpr Jet operator-(const Jet& a) { return {-a.value, -a.first, -a.second}; }
constexpr Jet operator+(const Jet& a, const Jet& b) {
    return {a.value + b.value, a.first + b.first, a.second + b.second};
}
constexpr Jet operator-(const Jet& a, const Jet& b) { return a + -b; }
constexpr Jet operator*(const Jet& a, const Jet& b) {
    return {a.value * b.value, a.first * b.value + a.value * b.first,
            a.second * b.value + 2.0 * a.first * b.first + a.value * b.second};
}

/// Returns g(a) from g, g' and g'' at a.value.
constexpr Jet chain(const Jet& a, double g, double g1, double g2) {
    return {g, g1 * a.first, g2 * a.first * a.first + g1 * a.second};
}
constexpr Jet operator/(const Jet& a, const Jet& b) {
    const double r = 1.0 / b.value;
    return a * chain(b, r, -r * r, 2.0 * r * r * r);
}
inline Jet sqrt(const Jet& a) {
    const double r = std::sqrt(a.value);
    return chain(a, r, 0.5 / r, -0.25 / (r * a.value));
}
// By our own sine and cosine: the C library's last bits differ from one processor to the next.
inline Jet sin(const Jet& a) {
    double s = 0.0;
    double c = 0.0;
    sine_cosine(a.value, s, c);
    return chain(a, s, c, -s);
}
inline Jet cos(const Jet& a) {
    double s = 0.0;
    double c = 0.0;
    sine_cosine(a.value, s, c);
    return chain(a, c, -s, -c);
}

} // namespace substep::detail
