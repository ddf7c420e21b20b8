// Springs and dampers between two bodies of an island, as linearly implicit steps and estimates of vibration see them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

#include <glm/geometric.hpp>

#include "bodies/body_frame.h"
#include "bodies/rigid_motion.h"

namespace substep::detail {

/// Up to three directions: along each a force f is the wrench f row[e] on body e, and the coordinate s that it belongs
/// to changes at row . twist, summed over both ends. A spring there pulls with -stiffness s, a damper with -damping s'.
struct StiffElement {
    static constexpr std::size_t kDirections = 3;
    std::array<int, 2> body{}; ///< the same twice for one body alone, with zero second rows
    std::array<std::array<Twist, 2>, kDirections> row{};
    std::array<double, kDirections> stiffness{};
    std::array<double, kDirections> damping{};
    std::array<double, kDirections> response{}; ///< rate by a unit impulse, of the bodies alone; 0: not known
    std::size_t ledger_term = 0;                ///< that of the field whose element it is

    /// The end at body i, if the element damps that body and no other dynamic one: numbers below `dynamic_count` are
    /// dynamic. Else none.
    std::optional<std::size_t> sole_damped_end(std::size_t i, std::size_t dynamic_count) const noexcept {
        const std::size_t end = body[0] == static_cast<int>(i) ? 0 : 1;
        const int other = body[1 - end];
        const bool alone = other == body[end] || other >= static_cast<int>(dynamic_count);
        const bool damps = damping[0] > 0.0 || damping[1] > 0.0 || damping[2] > 0.0;
        return body[end] == static_cast<int>(i) && alone && damps ? std::optional(end) : std::nullopt;
    }
};

/// A direction's row of a linear system, in which it yields by c: its unknown x stands for the impulse -factor x, and
/// the coordinate's row times `factor` meets `diagonal` x.
struct YieldingRow {
    double factor = 0.0;
    double diagonal = 1.0;
};
/// Where a unit impulse's response is known, the row's number of J M^-1 J^T with the diagonal is that response,
/// whatever c is: so it is of one kind with those of joints, in any unit.
inline YieldingRow yielding_row(double c, double response) noexcept {
    if (!(response > 0.0)) {
        return {std::sqrt(c), 1.0};
    }
    const double sum = 1.0 + c * response;
    return {std::sqrt(c * response / sum), response / sum};
}

/// How fast a body at velocity u changes a coordinate whose row is given.
inline double rate_along(const Twist& row, const Twist& u) noexcept {
    return glm::dot(row.linear, u.linear) + glm::dot(row.angular, u.angular);
}

/// Returns bounds on how fast bodies vibrate between the elements, and how fast dampers stop them. With s_a the
/// sum over the elements at body a of stiffness row . M^-1 row, omega^2 is at most the largest s_a + s_b of an element:
/// (p + q)^2 <= (s_a + s_b)(p^2/s_a + q^2/s_b). `sums` is scratch space, one per dynamic body.
struct BodySums {
    double stiffness = 0.0; ///< 1/s^2
    double damping = 0.0;   ///< 1/s
};
struct FastestBetween {
    double frequency = 0.0; ///< rad/s, undamped
    double decay = 0.0;     ///< 1/s
};
FastestBetween fastest_between(std::span<const StiffElement> elements, std::span<const BodyFrame> bodies,
                               std::span<BodySums> sums) noexcept;

} // namespace substep::detail
