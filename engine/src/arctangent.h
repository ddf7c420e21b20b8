// The angle of a point, with the same bits whatever the C library.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "substep/integrators/elementary_functions.h"

namespace substep::detail {

/// Returns the angle of the point (x, y) within [-pi, pi], 0 for the origin; to a few units of round-off of pi.
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

} // namespace substep::detail
