// What is above what along a manifold's normal.
#pragma once

#include <array>
#include <cstddef>

#include <glm/geometric.hpp>

#include "patch_overlap.h"

namespace substep::detail {

/// Of a face's width: how far beyond its border a corner is kept.
inline constexpr double kKeptBeyond = 0.005;

/// Cosine of the angle between a face and the normal's plane. Only of faces that lie on one another do corners flicker
/// beyond the border; the plane of one that is aslant leaves its solid there.
inline constexpr double kLevelFace = 0.9998;

/// Of each other: areas of equal faces differ by rounding.
inline constexpr double kEqualArea = 0.999;

/// The patch that is clipped, the plane that it is projected on, and which of both is a's.
struct Projection {
    glm::dvec3 normal;       // of the manifold
    glm::dvec3 plane_normal; // of the reference patch
    glm::dvec3 plane_point;
    bool reference_is_a;

    double height(const glm::dvec3& p) const noexcept {
        return glm::dot(plane_normal, p - plane_point) / glm::dot(plane_normal, normal);
    }
    /// The pair of a point of the clipped patch and the one below it on the reference.
    PatchPoint pair(const glm::dvec3& p, Part clipped, Part reference) const noexcept {
        const double h = height(p);
        const glm::dvec3 foot = p - h * normal;
        return reference_is_a ? PatchPoint{foot, p, -h, {{reference, clipped}}}
                              : PatchPoint{p, foot, h, {{clipped, reference}}};
    }
};

/// A plane through an edge of a polygon along the normal. Distances from it are times the edge's length as the normal
/// sees it: only their signs and shares matter.
struct Side {
    glm::dvec3 out;
    double offset;
    double kept; ///< how far beyond it corners are kept

    double beyond(const glm::dvec3& p) const noexcept { return glm::dot(out, p) - offset; }
};

using Sides = std::array<Side, Patch::kMaxCorners>;

/// Writes the sides of a polygon; false for one that is a line as seen along the normal.
bool find_sides(const Patch& polygon, const glm::dvec3& normal, Sides& sides) noexcept;

/// The cases of overlap_patches (patch_overlap.h) that have a disc among them. `disc_is_a`: or the second patch is.
void overlap_disc_and_polygon(const Patch& disc, const Patch& polygon, const glm::dvec3& normal, bool disc_is_a,
                              PatchPoints& points) noexcept;
void overlap_disc_and_segment(const Patch& disc, const Patch& segment, const glm::dvec3& normal, bool disc_is_a,
                              PatchPoints& points) noexcept;
void overlap_discs(const Patch& a, const Patch& b, const glm::dvec3& normal, PatchPoints& points) noexcept;

} // namespace substep::detail
