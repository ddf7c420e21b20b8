// Cylinders and cones: with what they meet boxes, capsules, hulls and one another most, in closed form. A point of one
// solid is no nearer to the other than the solids are, and no deeper in it than they overlap: the ball about it that
// the other solid holds is in their difference. So where a plane parts both by as much as a point is from the other's
// surface, inside or outside, nothing is left to search. What is tried are the points with which faces, caps, sides,
// edges and corners meet, and a rim with an edge.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <glm/geometric.hpp>

#include "pairs.h"
#include "rim_angle.h"

namespace substep::detail {

using Axis = glm::dvec3::length_type;

/// The plane that parts both most of those that were tried.
struct WidestPlane {
    enum class Of { Nothing, Cap, OtherFace, Crossing, RimOfFirst, RimOfSecond };

    void consider(double other_gap, const glm::dvec3& other_out, Of other_of, Axis other_axis) noexcept {
        if (other_gap > gap) {
            gap = other_gap;
            out = other_out;
            of = other_of;
            axis = other_axis;
        }
    }

    double gap = -std::numeric_limits<double>::infinity(); ///< m
    glm::dvec3 out{0.0};                                   ///< unit vector from the first to the second
    Of of = Of::Nothing;
    Axis axis = 0; ///< of a face or an edge of the second
};

/// How far a frustum reaches along a unit vector, m.
inline double extent_along(const Core& frustum, const glm::dvec3& direction) noexcept {
    const double across = std::sqrt(direction.x * direction.x + direction.z * direction.z);
    const double rise = frustum.half_length * direction.y;
    return std::max(frustum.top * across + rise, frustum.bottom * across - rise);
}

/// Cosine and sine of the angle by which a side's normals lean towards the top.
struct Lean {
    explicit Lean(const Core& frustum) noexcept {
        const double height = 2.0 * frustum.half_length;
        const double narrowing = frustum.bottom - frustum.top;
        const double slant = std::sqrt(height * height + narrowing * narrowing);
        cosine = height / slant;
        sine = narrowing / slant;
    }
    double cosine;
    double sine;
};

/// A frustum and another solid in the frustum's frame, or a box and a segment.
class ClosedForm {
public:
    ClosedForm(const CorePair& pair, double limit, Meeting& meeting) noexcept
        : pair_(pair), limit_(limit), near_(kPlaneAndPoint * pair.size()), meeting_(meeting) {}

    /// Whether a closed form proves where they meet.
    bool meet() noexcept;

private:
    static constexpr double kPlaneAndPoint = 1e-12; ///< of the larger size: how far a plane and a point may disagree
    static constexpr int kEdgeTurns = 3;
    /// Sine of the angle between an axis and an edge: of nearly parallel ones the ends are as close.
    static constexpr double kCrossedSide = 1e-3;

    bool is_segment() const noexcept { return pair_.b.kind == Core::Kind::Segment; }
    const glm::dvec3& axis_of_b(Axis i) const noexcept { return pair_.b_in_a.rotation[i]; }
    bool take_apart(double gap, const glm::dvec3& out) noexcept {
        meeting_ = {gap, -out, glm::dvec3(0.0), glm::dvec3(0.0), false};
        return true;
    }
    bool take(double distance, const glm::dvec3& out, const glm::dvec3& on_a, const glm::dvec3& on_b) noexcept {
        meeting_ = {distance, -out, on_a, on_b, true};
        return true;
    }

    bool meet_by_points_of_b(glm::dvec3& point) noexcept;
    bool meet_by_points_of_a(glm::dvec3 point) noexcept;
    bool meet_at(const glm::dvec3& point) noexcept;
    WidestPlane widest_of_box() const noexcept;
    glm::dvec3 middle_of_edge(Axis along, const glm::dvec3& out) const noexcept;
    bool meet_by_edge(Axis along, const glm::dvec3& out) noexcept;
    bool meet_box_or_segment() noexcept;
    bool meet_segment_over_box() noexcept;
    Axis edge_near(const glm::dvec3& in_b) const noexcept;

    RimAngle rim_of_a(const glm::dvec3& out) const noexcept;
    bool meet_by_rim_and_edge(glm::dvec3 out) noexcept;
    bool holds_ball(const RimAngle& rim, const glm::dvec3& middle, Axis along, const glm::dvec3& on_b,
                    const glm::dvec3& out, double depth) const noexcept;
    WidestPlane widest_of_frustum() const noexcept;
    void consider_side(const Lean& lean, const glm::dvec3& place, const glm::dvec3& axis, double turned,
                       WidestPlane::Of of, WidestPlane& widest) const noexcept;
    bool meet_frustum() noexcept;
    bool meet_by_rim_of_a(const glm::dvec3& out) noexcept;
    bool meet_by_crossing(const glm::dvec3& out) noexcept;
    bool meet_by_rim_of_b(const glm::dvec3& out) noexcept;

    const CorePair& pair_;
    double limit_; ///< m
    double near_;  ///< m
    Meeting& meeting_;
    glm::dvec3 half_sizes_{0.0}; ///< of a box or a segment, m
};

} // namespace substep::detail
