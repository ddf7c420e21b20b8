// Norms of an error estimate for plain systems.
#include "substep/integrators/error_norm.h"

#include <cmath>

#include "tolerances.h"

namespace substep {

namespace {

/// Larger of two numbers, NaN if either is: std::max would lose a NaN on one side.
double larger_or_nan(double a, double b) noexcept { return a >= b ? a : (b > a ? b : a + b); }

/// The scale of component i under Mixed and Rms.
double scale_of(std::span<const double> y0, std::span<const double> y1, std::size_t i, double atol, double rtol) {
    return atol + rtol * larger_or_nan(std::fabs(y0[i]), std::fabs(y1[i]));
}

} // namespace

std::string_view to_string(ErrorNorm norm) noexcept {
    switch (norm) {
    case ErrorNorm::Mixed:
        return "mixed";
    case ErrorNorm::Rms:
        return "rms";
    case ErrorNorm::PerUnitStep:
        return "per_unit_step";
    case ErrorNorm::StepScaled:
        return "step_scaled";
    }
    return "unknown";
}

double error_norm(ErrorNorm norm, std::span<const double> error, std::span<const double> y0, std::span<const double> y1,
                  std::span<const double> f0, double h, double atol, double rtol) noexcept {
    double largest = 0.0;
    double squares = 0.0;
    switch (norm) {
    case ErrorNorm::Mixed:
        for (std::size_t i = 0; i < error.size(); ++i) {
            largest = larger_or_nan(largest, std::fabs(error[i]) / scale_of(y0, y1, i, atol, rtol));
        }
        return largest;
    case ErrorNorm::Rms:
        for (std::size_t i = 0; i < error.size(); ++i) {
            const double quotient = error[i] / scale_of(y0, y1, i, atol, rtol);
            squares += quotient * quotient;
        }
        return std::sqrt(squares / static_cast<double>(error.size()));
    case ErrorNorm::PerUnitStep:
        for (const double e : error) {
            squares += e * e;
        }
        return std::sqrt(squares) / (std::fabs(h) * atol);
    case ErrorNorm::StepScaled:
        for (std::size_t i = 0; i < error.size(); ++i) {
            const double scale = rtol * (std::fabs(y0[i]) + std::fabs(h * f0[i]) + 1e-30);
            largest = larger_or_nan(largest, std::fabs(error[i]) / scale);
        }
        return largest;
    }
    return largest;
}

double detail::largest_size(std::span<const double> x) noexcept {
    double largest = 0.0;
    for (const double each : x) {
        largest = larger_or_nan(largest, std::fabs(each));
    }
    return largest;
}

double detail::part_of_state(std::span<const double> y0, std::span<const double> y1, std::span<const double> error,
                             double atol) noexcept {
    double largest = 0.0;
    for (std::size_t i = 0; i < error.size(); ++i) {
        const double size = larger_or_nan(std::fabs(y0[i]), kTrustedPart * std::fabs(y1[i]));
        largest = larger_or_nan(largest, std::fabs(error[i]) / (atol + size));
    }
    return largest;
}

} // namespace substep
