// The impulse of one row of a joint in a convex step.
#pragma once

#include <algorithm>

namespace substep::detail {

/// -slope (rate - free), within limits: the slope of a convex potential too.
struct RowLaw {
    double slope = 0.0; ///< N s by m/s, or by rad/s
    double free = 0.0;  ///< m/s or rad/s
    double least = 0.0; ///< N s or N m s
    double most = 0.0;

    double impulse(double rate) const noexcept { return std::clamp(slope * (free - rate), least, most); }
    double curvature(double rate) const noexcept {
        const double asked = slope * (free - rate);
        return asked > least && asked < most ? slope : 0.0;
    }
};

} // namespace substep::detail
