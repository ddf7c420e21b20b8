// Where two patches lie over one another.
#pragma once

#include <array>

#include "patch.h"

namespace substep::detail {

/// A point of either core, one over the other along the normal.
struct PatchPoint {
    glm::dvec3 on_a; ///< m
    glm::dvec3 on_b; ///< m
    double gap;      ///< m
    PartPair parts;
};

struct PatchPoints {
    static constexpr int kMaxPoints = 2 * Patch::kMaxCorners;
    int count = 0;
    std::array<PatchPoint, kMaxPoints> points;

    void add(const PatchPoint& point) noexcept {
        if (count < kMaxPoints) {
            points[static_cast<std::size_t>(count++)] = point;
        }
    }
};

/// Writes the corners of what two patches have in common, as seen along `normal`, a unit vector towards a. Corners of
/// one that are beyond the border of a face that lies level by less than 0.5 % of its width are kept as if they were
/// over it: what is made for the same place does not flicker between corners and crossings of edges. Where a point is
/// concerned there is nothing to find, and nothing is written.
void overlap_patches(const Patch& a, const Patch& b, const glm::dvec3& normal, PatchPoints& points) noexcept;

/// The same of the sides of two round solids (capsules, cylinders, cones), whose patches are segments: the ends of the
/// lines on either that face the other most, each where the normal through it meets the other side. Where the lines
/// cross, the gaps are those of the curved sides beside the lines.
void overlap_sides(const CorePair& cores, const Patch& a, const Patch& b, const glm::dvec3& normal,
                   PatchPoints& points) noexcept;

/// The same of the faces of two boxes that face one another along `normal`, without those that are more than `most` (m)
/// apart: of two boxes in a heap that is every other one. None of their sizes may be zero.
void overlap_boxes(const CorePair& boxes, const glm::dvec3& normal, double most, PatchPoints& points) noexcept;

/// Writes the corners of a patch, each with its foot on the plane through `point` across `normal`, a unit vector
/// towards the patch. Of a disc: the fixed points of its rim and the lowest.
void overlap_with_plane(const Patch& a, const glm::dvec3& point, const glm::dvec3& normal, Part plane,
                        PatchPoints& points) noexcept;

} // namespace substep::detail
