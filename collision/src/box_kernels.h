// What most of the time of two boxes goes into, compiled once for each instruction set. All give the same bits.
#pragma once

#include <cstdint>

#include "core.h"
#include "patch_overlap.h"
#include "substep/numerics/four_lanes.h"
#include "substep/numerics/simd_level.h"

namespace substep::detail {

namespace {

[[gnu::always_inline]] inline WideFour three(double x, double y, double z) noexcept {
    return WideFour(WideFour::Doubles{x, y, z, 0.0});
}

} // namespace

/// Which of the fifteen axes part two boxes most: 0 to 2 of a, 3 to 5 of b, then 6 + 3 i + j across a's i-th and b's
/// j-th.
struct BoxAxis {
    static constexpr int kFirstOfB = 3;
    static constexpr int kFirstOfEdges = 6;

    double distance; ///< m, that it parts them by
    int index;
    glm::dvec3 normal; ///< unit vector towards a, in the frame of a
};

// Of the larger size: a vertex so little beyond a face's edge is over the face, as rounding has it.
inline constexpr double kOverFace = 1e-13;

// Square of the sine of the angle between two edges: of nearly parallel ones rounding decides where they are closest.
inline constexpr double kCrossedSquared = 1e-6;

/// Two faces over one another, as the normal sees them: the reference, whose sides are axes, and the one to be clipped.
struct FacesInPlace {
    static constexpr int kKept = 2; // of `borders`

    double across_next[4]; ///< m, of the clipped face's corners in turn, in the reference face
    double across_last[4];
    double height[4]; ///< m, of these above the reference, along the normal
    double origin[4]; ///< m, the reference face's middle in the frame of a, and the three directions there
    double along_next[4];
    double along_last[4];
    double normal[4];
    double borders[4];   ///< m, half sizes of the reference face; what part of them corners are kept beyond them
    std::uint32_t sides; ///< a bit for each that not all corners are within
    bool reference_is_a;
    std::uint32_t reference; ///< faces by number: 2 times the axis, and one if it is the high one
    std::uint32_t incident;
};

/// Pairs of solid boxes that are looked at side by side, and what is found of each. All places are filled.
struct BoxPairs {
    static constexpr int kMost = 8;

    const Placement* at_a[kMost];
    const Placement* at_b[kMost];
    double sizes_a[3][kMost]; ///< m, half sizes
    double sizes_b[3][kMost];

    unsigned is_far;   ///< a bit for each pair: an axis parts it by more than the margin, beyond doubt by rounding
    unsigned is_known; ///< distance and normal are those of the axis; else the pair has to be looked at alone
    double distance[kMost];
    double size[kMost];        ///< m, of the larger one
    FacesInPlace faces[kMost]; ///< along the normal of the axis
};

/// What is known of two boxes beside their faces.
struct FoundBoxes {
    const Placement* at_a;
    double distance; ///< m
    double same;     ///< m: distances that differ by less are the same
};

struct BoxKernels {
    /// Boxes that an axis of a face parts by more than `margin` (m) may end with any such axis.
    BoxAxis (*best_axis)(const CorePair& boxes, double margin) noexcept;
    /// What overlap_boxes does (patch_overlap.h).
    void (*overlap_faces)(const CorePair& boxes, const glm::dvec3& normal, double most, PatchPoints& points) noexcept;
    int lanes;       ///< how many pairs are looked at side by side
    bool lanes_gain; ///< whether that takes less time than one by one: with few registers it takes twice as much
    /// Looks at that many. What is known has the bits that it has alone.
    void (*meet_pairs)(BoxPairs& pairs, double margin) noexcept;
    /// Writes the manifold of boxes that are no more than `margin` (m) apart. Returns false, with anything written,
    /// where none of their faces' points has their distance.
    bool (*write_manifold)(const FacesInPlace& faces, const FoundBoxes& found, double margin,
                           Manifold& manifold) noexcept;
};

/// Returns the functions of the widest level that this build has and this processor, or those of one of simd_levels().
const BoxKernels& box_kernels() noexcept;
const BoxKernels& box_kernels(SimdLevel level) noexcept;

const BoxKernels& avx2_box_kernels() noexcept;
const BoxKernels& avx512_box_kernels() noexcept;

} // namespace substep::detail
