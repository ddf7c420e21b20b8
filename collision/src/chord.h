// Where a line is inside a convex solid.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>
#include <glm/vec2.hpp>

#include "substep/collision/glm_types.h"

namespace substep::detail {

inline constexpr double kNoEnd = std::numeric_limits<double>::infinity();

/// The part of a line that is inside a solid; empty where it begins behind its end.
struct Chord {
    double enter = -kNoEnd; ///< m
    double leave = kNoEnd;  ///< m
    glm::dvec3 normal{0.0}; ///< out of the solid, where the line enters

    bool is_empty() const noexcept { return !(enter <= leave); }

    /// Keeps what is behind a plane: the line's point by `room` (m), which each metre along the line takes `rate` of.
    void cut(const glm::dvec3& outward, double room, double rate) noexcept {
        if (rate < 0.0 && room / rate > enter) {
            enter = room / rate;
            normal = outward;
        }
        if (rate > 0.0) {
            leave = std::min(leave, room / rate);
        }
        if (rate == 0.0 && room < 0.0) {
            *this = nothing();
        }
    }

    /// Grows to hold a chord of the same line through another part of the same convex solid.
    void join(const Chord& other) noexcept {
        if (other.is_empty()) {
            return;
        }
        if (other.enter < enter) {
            enter = other.enter;
            normal = other.normal;
        }
        leave = std::max(leave, other.leave);
    }

    static Chord nothing() noexcept { return {kNoEnd, -kNoEnd, glm::dvec3(0.0)}; }
};

/// Where a line is inside a cone without ends: its distance from the axis at most `radius`, which changes by `growth` a
/// metre along the line. `from_axis` is the line's point seen from the axis, `across` its direction without the part
/// along the axis. That is |from_axis + s across|^2 <= (radius + s growth)^2, of whose two cones only the one of
/// positive radius counts.
inline Chord cone_chord(const glm::dvec2& from_axis, const glm::dvec2& across, double radius, double growth) noexcept {
    const double speed = glm::length(across);
    const double a = (speed - std::fabs(growth)) * (speed + std::fabs(growth));
    const double b = glm::dot(from_axis, across) - growth * radius;
    const double c = (glm::length(from_axis) - radius) * (glm::length(from_axis) + radius);

    if (speed == 0.0 && growth == 0.0) { // along a cylinder's axis
        return c <= 0.0 ? Chord{} : Chord::nothing();
    }

    // b^2 - a c by Lagrange's identity: b^2 and a c are nearly equal where a needle is hit.
    const double reach = glm::length(radius * across - growth * from_axis);
    const double passing = std::fabs(across.x * from_axis.y - across.y * from_axis.x);
    const double discriminant = (reach - passing) * (reach + passing);
    if (a > 0.0 && discriminant < 0.0) {
        return Chord::nothing();
    }
    const double root = std::sqrt(std::max(discriminant, 0.0));
    const double q = -(b + std::copysign(root, b));
    const double near = q != 0.0 ? c / q : 0.0;
    if (a > 0.0) {
        if (q == 0.0 && c > 0.0) {
            return Chord::nothing();
        }
        const double other = q / a;
        return {std::min(near, other), std::max(near, other), glm::dvec3(0.0)};
    }
    // As steep as the cone or steeper: inside from the root on that is on the cone of positive radius, or up to it.
    const double other = a < 0.0 ? q / a : std::copysign(kNoEnd, -q);
    return growth > 0.0 ? Chord{std::max(near, other), kNoEnd, glm::dvec3(0.0)}
                        : Chord{-kNoEnd, std::min(near, other), glm::dvec3(0.0)};
}

} // namespace substep::detail
