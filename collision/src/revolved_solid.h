// Solids of revolution about y, in slices whose squared radius is a polynomial of second degree: cones, spheres.
#pragma once

#include <cmath>

#include "substep/collision/glm_types.h"

namespace substep::detail {

/// Sums of slices: volume, and moments of first and second order.
struct RevolvedSolid {
    double volume = 0.0; ///< m^3, over pi as all others
    double height = 0.0; ///< of y
    double across = 0.0; ///< of x^2, which is that of z^2
    double along = 0.0;  ///< of y^2

    /// Adds the slice from `low` to `high` along y, of radius sqrt(squared_radius(y)). Gauss and Legendre's rule of
    /// three points is exact for polynomials of fifth degree; those summed here have four at most.
    template <class SquaredRadius>
    void add(double low, double high, const SquaredRadius& squared_radius) noexcept {
        const double half = 0.5 * (high - low);
        const double middle = 0.5 * (high + low);
        const double reach = half * std::sqrt(0.6);
        const double places[] = {middle - reach, middle, middle + reach};
        const double weights[] = {half * 5.0 / 9.0, half * 8.0 / 9.0, half * 5.0 / 9.0};
        for (int i = 0; i < 3; ++i) {
            const double y = places[i];
            const double disc = weights[i] * squared_radius(y);
            volume += disc;
            height += disc * y;
            along += disc * y * y;
            across += 0.25 * disc * squared_radius(y);
        }
    }
};

} // namespace substep::detail
