// The equations of a joint, row by row: how far each is violated, its Jacobian, and its bias.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "island_joint.h"
#include "rigid_motion.h"

namespace substep::detail {

/// The kinds of rows that joints are made of, with d = p_b - p_a from frame to frame, a_i and b_j the frames' axes:
///   Point:   C = -d . e_i, e_i an axis of the world. Three of them: the points coincide.
///   Along:   C = -d . a_i
///   Across:  C = a_i . b_j
enum class RowKind : std::uint8_t { Point, Along, Across };

struct JointRow {
    RowKind kind = RowKind::Point;
    std::uint8_t i = 0;
    std::uint8_t j = 0;
};

inline constexpr int kMostRows = 6;

/// The rows of one joint.
struct JointRows {
    std::array<JointRow, kMostRows> row{};
    int count = 0;
};
JointRows rows_of(const IslandJoint& joint) noexcept;

/// A joint's frames in the world.
struct JointGeometry {
    std::array<glm::dvec3, 2> arm{};  ///< m, centre of mass to frame
    std::array<glm::dmat3, 2> axes{}; ///< by columns
    glm::dvec3 offset{0.0};           ///< d, m
};
JointGeometry geometry_of(const IslandJoint& joint, const BodyFrame& a, const BodyFrame& b) noexcept;

/// Returns C in m, or as the sine of an angle.
double row_value(const JointRow& row, const JointGeometry& geometry) noexcept;

/// Returns the row of J: its factors of velocity and angular velocity, for both ends.
std::array<Twist, 2> row_jacobian(const JointRow& row, const JointGeometry& geometry) noexcept;

/// Returns gamma for the velocities of both ends: C'' without accelerations.
double row_bias(const JointRow& row, const JointGeometry& geometry, const Twist& a, const Twist& b) noexcept;

/// Returns the largest |C| of a joint's rows.
double worst_violation(const IslandJoint& joint, const BodyFrame& a, const BodyFrame& b) noexcept;

} // namespace substep::detail
