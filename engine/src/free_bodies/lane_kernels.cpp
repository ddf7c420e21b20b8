// Free bodies in the lanes that the target of the build as a whole has, and the choice of the widest.
#include "free_bodies/lane_kernels.h"

#include "substep/numerics/simd_level.h"

namespace substep::detail {

std::span<const LaneKernel> baseline_lane_kernels() noexcept { return kLaneKernels<Pack<kNativePackWidth>>; }

std::span<const LaneKernel> lane_kernels() noexcept {
#if defined(SUBSTEP_WIDE_SIMD)
    switch (simd_levels().back()) {
    case SimdLevel::Avx512:
        return avx512_lane_kernels();
    case SimdLevel::Avx2:
        return avx2_lane_kernels();
    case SimdLevel::Baseline:
        break;
    }
#endif
    return baseline_lane_kernels();
}

} // namespace substep::detail
