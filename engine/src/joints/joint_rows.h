// The equations of a joint, row by row: how far each is violated, its Jacobian, and its bias.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bodies/rigid_motion.h"
#include "joints/island_joint.h"

namespace substep::detail {

/// The kinds of rows that joints are made of, with d = p_b - p_a from frame to frame, a_i and b_j the frames' axes:
///   Point:     C = -d . e_i, e_i an axis of the world. Three of them: the points coincide.
///   Along:     C = -d . a_i
///   Across:    C = l a_i . b_j, with l the world's length: so all rows are lengths, and can be compared
///   Distance:  C = |d| - length
///   Curve:     C = -(d - c(s)) . n_i, n_1 and n_2 across the curve at the point of it that is nearest to d, where
///              (d - c) . c' = 0. The point follows from d, so the rows' span turns with it.
enum class RowKind : std::uint8_t { Point, Along, Across, Distance, Curve };

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

/// The point of a curve nearest to where frame b is, in world axes.
struct CurvePlace {
    double parameter = 0.0; ///< s
    glm::dvec3 gap{0.0};    ///< m, from the curve to frame b
    glm::dvec3 tangent{0.0};
    glm::dvec3 curvature{0.0};
    std::array<glm::dvec3, 2> normals{};
    int helper = -1;    ///< axis of frame a that the normals are chosen by
    double slope = 1.0; ///< c' . c' - gap . c'': tangent . d' over this is s'
};

/// A joint's frames in the world.
struct JointGeometry {
    std::array<glm::dvec3, 2> arm{};  ///< m, centre of mass to frame
    std::array<glm::dmat3, 2> axes{}; ///< by columns
    glm::dvec3 offset{0.0};           ///< d, m
    double distance = 0.0;            ///< m, that the joint locks
    double length = 1.0;              ///< m, of the world
    CurvePlace curve;                 ///< of a joint that has one
};
/// `memory` is the part of the island's state that IslandJoint::memory points into. The normals of a curve jump where
/// another helper is chosen; values that belong to a Jacobian need its helper.
JointGeometry geometry_of(const IslandJoint& joint, const BodyFrame& a, const BodyFrame& b,
                          std::span<const double> memory, int helper = -1) noexcept;

/// The velocity d' for the velocities of both ends, and the part of d'' that they make.
glm::dvec3 offset_rate(const JointGeometry& geometry, const Twist& a, const Twist& b) noexcept;
glm::dvec3 offset_bias(const JointGeometry& geometry, const Twist& a, const Twist& b) noexcept;
/// The part of (d . u)'' that velocities make, for a direction u fixed in body a.
double offset_bias_along(const glm::dvec3& u, const JointGeometry& geometry, const Twist& a, const Twist& b) noexcept;
/// s' on the curve.
double curve_rate(const JointGeometry& geometry, const Twist& a, const Twist& b) noexcept;

/// Returns C in m: of an angle its sine times the world's length.
double row_value(const JointRow& row, const JointGeometry& geometry) noexcept;

/// Returns the row of J: its factors of velocity and angular velocity, for both ends.
std::array<Twist, 2> row_jacobian(const JointRow& row, const JointGeometry& geometry) noexcept;

/// Returns gamma for the velocities of both ends: C'' without accelerations.
double row_bias(const JointRow& row, const JointGeometry& geometry, const Twist& a, const Twist& b) noexcept;

/// Changes the values of rows that lock rotations where the frames are more than a right angle apart: sines, which fall
/// again there and vanish at half a turn, become sine - 2, all times the world's length, so that less of them is less
/// of the angle. Returns whether there was such a row.
bool straighten(const JointRows& rows, const JointGeometry& geometry, double* values) noexcept;

/// Returns the largest |C| of a joint's rows.
double worst_violation(const IslandJoint& joint, const JointGeometry& geometry) noexcept;

} // namespace substep::detail
