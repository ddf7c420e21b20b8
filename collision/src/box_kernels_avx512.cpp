// Two boxes in the registers of AVX-512.
#include "substep/numerics/two_fours.h"

#include "box_kernels.h"

#include "box_axes.h"
#include "box_faces.h"
#include "box_lanes.h"
#include "box_manifold.h"

namespace substep::detail {

const BoxKernels& avx512_box_kernels() noexcept {
    static constexpr BoxKernels kKernels{&best_box_axis, &overlap_faces, kBoxLanes,
                                         true,           &meet_lanes,    &write_box_manifold};
    return kKernels;
}

} // namespace substep::detail
