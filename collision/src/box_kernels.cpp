// Two boxes in the registers that the target of the build as a whole has, and the choice of the best.
#include "box_kernels.h"

#include "box_axes.h"
#include "box_faces.h"
#include "box_lanes.h"
#include "box_manifold.h"

namespace substep::detail {

const BoxKernels& box_kernels(SimdLevel level) noexcept {
#if defined(SUBSTEP_WIDE_SIMD)
    switch (level) {
    case SimdLevel::Avx512:
        return avx512_box_kernels();
    case SimdLevel::Avx2:
        return avx2_box_kernels();
    case SimdLevel::Baseline:
        break;
    }
#else
    (void)level;
#endif
    static constexpr BoxKernels kKernels{&best_box_axis, &overlap_faces, kBoxLanes,
                                         false,          &meet_lanes,    &write_box_manifold};
    return kKernels;
}

const BoxKernels& box_kernels() noexcept {
    static const BoxKernels& kernels = box_kernels(simd_levels().back());
    return kernels;
}

void overlap_boxes(const CorePair& pair, const glm::dvec3& normal, double most, PatchPoints& points) noexcept {
    box_kernels().overlap_faces(pair, normal, most, points);
}

} // namespace substep::detail
