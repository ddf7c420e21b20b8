// Piles in the registers of AVX-512: two blocks of manifolds or bodies at a time.
#include "substep/numerics/two_fours.h"

#include "soft_steps/pile_kernels.h"

namespace substep::detail {

const PileKernels& avx512_pile_kernels() noexcept {
    static constexpr PileKernels kKernels =
        pile_kernels_of<WideFour, TwoFours<sizeof(LaneManifolds<4>)>, TwoFours<sizeof(LaneManifolds<1>)>,
                        TwoFours<sizeof(LaneBodies)>>("avx512");
    return kKernels;
}

} // namespace substep::detail
