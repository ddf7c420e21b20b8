// The part of a core's surface that faces another solid: what a manifold is made of.
#pragma once

#include <array>
#include <cstddef>

#include "core.h"

namespace substep::detail {

/// A number as the index of an array.
constexpr std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

/// A point, a segment, a flat polygon or a disc.
struct Patch {
    enum class Kind { Point, Segment, Polygon, Disc };
    /// Of a face with more, every second or third is taken: they are close to one another.
    static constexpr int kMaxCorners = 32;

    Kind kind = Kind::Point;
    int count = 0;     ///< of corners, counter-clockwise as seen from outside
    Part part;         ///< of point, polygon or disc as a whole
    glm::dvec3 normal; ///< unit vector out of polygon or disc
    glm::dvec3 centre; ///< m, of a disc
    double radius;     ///< m, of a disc
    double area;       ///< m^2, of a polygon
    /// Of a disc: unit vectors in its plane, the first towards its fixed point 0.
    std::array<glm::dvec3, 2> across;
    std::array<glm::dvec3, kMaxCorners> corners; ///< m
    std::array<Part, kMaxCorners> corner_parts;
    std::array<Part, kMaxCorners> edge_parts; ///< [i] from corner i to the next
};

/// Writes the patch that faces `out`, a unit vector, in the core's frame.
void find_patch(const Core& core, const glm::dvec3& out, Patch& patch) noexcept;

/// Brings a patch from its core's frame to that in which the core has this placement.
void place(Patch& patch, const Placement& placement) noexcept;

/// The index of a side, or of a capsule's edge, at the middle between two ends of it. Elsewhere it is 0.
inline constexpr std::uint32_t kMiddleOfSide = 1;

/// The three fixed points of a rim, as shares of its radius along Patch::across. Whatever the rest does, they hold what
/// lies flat on them, each under its own name.
inline constexpr double kRimPoints[3][2] = {{1.0, 0.0}, {-0.5, 0.8660254037844386}, {-0.5, -0.8660254037844386}};

} // namespace substep::detail
