// A point that goes round a rim until it is lowest over something.
#pragma once

#include <cmath>

#include <glm/geometric.hpp>

#include "substep/collision/glm_types.h"

namespace substep::detail {

/// A rim in the frame of the first solid, and an angle on it.
struct RimAngle {
    glm::dvec3 centre;
    double radius;
    glm::dvec3 x; ///< unit vectors in its plane
    glm::dvec3 z;
    double cosine = 1.0;
    double sine = 0.0;

    glm::dvec3 outwards() const noexcept { return cosine * x + sine * z; }
    glm::dvec3 tangent() const noexcept { return cosine * z - sine * x; }
    glm::dvec3 point() const noexcept { return centre + radius * outwards(); }
    /// Faces a direction; false where that is along the axis.
    bool face(const glm::dvec3& direction) noexcept {
        const double along_x = glm::dot(direction, x);
        const double along_z = glm::dot(direction, z);
        const double length = std::sqrt(along_x * along_x + along_z * along_z);
        if (!(length > 0.0)) {
            return false;
        }
        cosine = along_x / length;
        sine = along_z / length;
        return true;
    }
    void turn(double angle) noexcept { // by its arc tangent: less, if it is large
        const double length = std::sqrt(1.0 + angle * angle);
        const double turned = (cosine - angle * sine) / length;
        sine = (sine + angle * cosine) / length;
        cosine = turned;
    }
};

/// A first and a second derivative by an angle.
struct Slopes {
    double first;
    double second;
};

/// Turns a rim by Newton's method to where something is lowest on it. False where that does not converge.
template <class SlopesAt>
bool turn_to_lowest(RimAngle& rim, const SlopesAt& slopes_at) noexcept {
    constexpr int kTurns = 10;
    constexpr double kConverged = 1e-8;   // rad: the step after it is rounding
    constexpr double kFarthestStep = 0.5; // rad
    for (int turn = 0; turn < kTurns; ++turn) {
        const Slopes slopes = slopes_at(rim);
        const double newton = -slopes.first / std::fabs(slopes.second);
        const double step = std::fabs(newton) < kFarthestStep ? newton : std::copysign(kFarthestStep, newton);
        rim.turn(step);
        if (std::fabs(step) < kConverged) {
            return true;
        }
    }
    return false;
}

} // namespace substep::detail
