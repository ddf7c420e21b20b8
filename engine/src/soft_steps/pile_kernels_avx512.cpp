// Piles in the registers of AVX-512.
#include "soft_steps/pile_kernels.h"

namespace substep::detail {

const PileKernels& avx512_pile_kernels() noexcept {
    static constexpr PileKernels kKernels = pile_kernels_of<WideFour>("avx512");
    return kKernels;
}

} // namespace substep::detail
