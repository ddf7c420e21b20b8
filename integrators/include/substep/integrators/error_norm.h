// How an error estimate becomes one number.
#pragma once

#include <span>
#include <string_view>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Norms for plain systems; a system with an ErrorMeasure uses its own instead.
///
/// With e the error estimate, y0 and y1 the states at the substep's ends and f0 the derivative at its start:
enum class ErrorNorm {
    Mixed,       ///< max_i |e_i| / (atol + rtol max(|y0_i|, |y1_i|))
    Rms,         ///< the same quotients, root of their mean square
    PerUnitStep, ///< sqrt(sum e_i^2) / (h atol): error per unit step, Euclidean; no relative part
    StepScaled   ///< max_i |e_i| / (rtol (|y0_i| + |h f0_i| + 1e-30)): Numerical Recipes, 16.2; no absolute part
};

/// Returns "mixed", "rms", "per_unit_step" or "step_scaled".
std::string_view to_string(ErrorNorm norm) noexcept;

/// Returns the norm of `error`; a step is good when it is <= 1. NaN if any component is not a number.
double error_norm(ErrorNorm norm, std::span<const double> error, std::span<const double> y0, std::span<const double> y1,
                  std::span<const double> f0, double h, double atol, double rtol) noexcept;

namespace detail {

/// Returns the largest absolute value; NaN if any one is not a number.
double largest_size(std::span<const double> x) noexcept;

/// Returns the largest error of a component in units of the component itself: of what it was at the substep's start, or
/// of a part of what it became if that is more, since an unstable substep makes a large state and a large error
/// together. No unit is smaller than atol. Above 1 nothing is known of a component any more. NaN if any one is not a
/// number.
double part_of_state(std::span<const double> y0, std::span<const double> y1, std::span<const double> error,
                     double atol) noexcept;

} // namespace detail

} // namespace substep

#pragma GCC visibility pop
