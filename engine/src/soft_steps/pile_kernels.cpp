// Piles in the registers that the target of the build as a whole has, and the choice of the best.
#include "soft_steps/pile_kernels.h"

#include "substep/numerics/simd_level.h"

namespace substep::detail {

const PileKernels& baseline_pile_kernels() noexcept {
    static constexpr PileKernels kKernels = pile_kernels_of<WideFour>("baseline");
    return kKernels;
}

const PileKernels& pile_kernels() noexcept {
#if defined(SUBSTEP_WIDE_SIMD)
    switch (simd_levels().back()) {
    case SimdLevel::Avx512:
        return avx512_pile_kernels();
    case SimdLevel::Avx2:
        return avx2_pile_kernels();
    case SimdLevel::Baseline:
        break;
    }
#endif
    return baseline_pile_kernels();
}

} // namespace substep::detail
