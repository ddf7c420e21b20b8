// Piles in the registers of AVX2.
#include "soft_steps/pile_kernels.h"

namespace substep::detail {

const PileKernels& avx2_pile_kernels() noexcept {
    static constexpr PileKernels kKernels = pile_kernels_of<WideFour>("avx2");
    return kKernels;
}

} // namespace substep::detail
