// The best of two quantities of which less is better.
#include <algorithm>
#include <cmath>
#include <limits>

#include "figure.h"

namespace substep {

std::vector<PlotPoint> pareto_front(std::vector<PlotPoint> points) {
    std::erase_if(points, [](const PlotPoint& point) { return !std::isfinite(point.x) || !std::isfinite(point.y); });
    std::ranges::sort(points,
                      [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
    double lowest = std::numeric_limits<double>::infinity();
    std::erase_if(points, [&](const PlotPoint& point) {
        if (point.y >= lowest) return true;
        lowest = point.y;
        return false;
    });
    return points;
}

} // namespace substep
