// Norms of an error estimate for plain systems.
#include "substep/integrators/error_norm.h"

#include <cmath>

namespace substep {

namespace {

/// Larger of two numbers, NaN if either is: std::max would lose a NaN on one side.
double larger(double a, double b) noexcept { return a >= b ? a : (b > a ? b : a + b); }

} // namespace

double error_norm(ErrorNorm norm, std::span<const double> error, std::span<const double> y0, std::span<const double> y1,
                  std::span<const double> f0, double h, double atol, double rtol) noexcept {
    double largest = 0.0;
    double squares = 0.0;
    for (std::size_t i = 0; i < error.size(); ++i) {
        const double scale = norm == ErrorNorm::StepScaled
                                 ? rtol * (std::fabs(y0[i]) + std::fabs(h * f0[i]) + 1e-30)
                                 : atol + rtol * std::fmax(std::fabs(y0[i]), std::fabs(y1[i]));
        const double quotient = std::fabs(error[i]) / scale;
        largest = larger(largest, quotient);
        squares += quotient * quotient;
    }
    return norm == ErrorNorm::Rms ? std::sqrt(squares / static_cast<double>(error.size())) : largest;
}

} // namespace substep
