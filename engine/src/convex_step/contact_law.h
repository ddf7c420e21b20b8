// The impulses of one manifold in a convex step, by the rates of its coordinates at the step's end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "convex_step/coupling.h"
#include "substep/collision/manifold.h"

namespace substep::detail {

/// Coordinates of a manifold, in this order: velocity of the first body's surface past the second at the centre along
/// two tangents and the normal, and its rate of turning about these three. Tangents and normal are right-handed.
///
/// Normal impulses of points are those of springs with a damper, of which none pulls, and which may end at a stop.
/// Friction is that of a spring,
/// anchored where it began to hold, that slips from where it pulls with as much as what pressed allows; twist and
/// rolling alike. What pressed is a number here, not an unknown: so every impulse is the slope of a convex potential.
struct ContactLaw {
    /// Of one coordinate or two: -slope (rate + offset), not longer than `most`.
    struct Anchored {
        double slope = 0.0;                 ///< N s by m/s, or by rad/s
        double most = 0.0;                  ///< N s, N m s; zero: nothing is held
        std::array<double, 2> offset{0, 0}; ///< m/s or rad/s: of the anchor, within the step, and of belts
    };
    static constexpr std::size_t kMostPoints = Manifold::kMaxPoints;

    std::uint32_t count = 0;
    std::array<double, kMostPoints> x{}, y{}; ///< m, along both tangents, from the centre
    std::array<double, kMostPoints> slope{};  ///< N s by m/s
    std::array<double, kMostPoints> free{};   ///< m/s: normal velocity from which on a point does not press
    /// m/s: from where the rate is so far below that on a point presses harder by its stop, which has a slope of its
    /// own. A slope of zero is none.
    std::array<double, kMostPoints> stop{};
    std::array<double, kMostPoints> stop_slope{}; ///< N s by m/s
    Anchored sliding, twisting, rolling;

    double normal_rate(std::size_t point, const Coordinates& rates) const noexcept {
        return rates[2] + y[point] * rates[3] - x[point] * rates[4];
    }
    double normal_impulse(std::size_t point, const Coordinates& rates) const noexcept {
        const double under = free[point] - normal_rate(point, rates);
        return under > 0.0 ? slope[point] * under + stop_slope[point] * std::max(under - stop[point], 0.0) : 0.0;
    }
    /// Whether a point closes so far that it is at its stop, if it has one.
    bool is_at_stop(std::size_t point, const Coordinates& rates) const noexcept {
        return free[point] - normal_rate(point, rates) > stop[point];
    }
    /// N s by m/s, of a point that presses.
    double slope_at(std::size_t point, const Coordinates& rates) const noexcept {
        return slope[point] + (is_at_stop(point, rates) ? stop_slope[point] : 0.0);
    }

    Coordinates impulses(const Coordinates& rates) const noexcept;
    /// Minus their derivative by the rates; returns whether there is any. Points that would press if they closed faster
    /// by `slack` (m/s) count as pressing.
    bool write_curvature(const Coordinates& rates, double slack, CoordinateMatrix& curvature) const noexcept;
    /// The power of the impulses along a direction of the rates, and what it loses by a step along it.
    struct Slope {
        double first = 0.0;
        double second = 0.0;
    };
    Slope slope_along(const Coordinates& rates, const Coordinates& direction) const noexcept;
};

} // namespace substep::detail
