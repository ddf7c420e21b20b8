// What most of the time of two boxes goes into, compiled once for each instruction set. All give the same bits.
#pragma once

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

struct BoxKernels {
    /// Boxes that an axis of a face parts by more than `margin` (m) may end with any such axis.
    BoxAxis (*best_axis)(const CorePair& boxes, double margin) noexcept;
    /// What overlap_boxes does (patch_overlap.h).
    void (*overlap_faces)(const CorePair& boxes, const glm::dvec3& normal, double most, PatchPoints& points) noexcept;
};

/// Returns the functions of the widest level that this build has and this processor, or those of one of simd_levels().
const BoxKernels& box_kernels() noexcept;
const BoxKernels& box_kernels(SimdLevel level) noexcept;

const BoxKernels& avx2_box_kernels() noexcept;
const BoxKernels& avx512_box_kernels() noexcept;

} // namespace substep::detail
