// Two boxes in the registers of AVX2.
#include "box_kernels.h"

#include "box_axes.h"
#include "box_faces.h"
#include "box_lanes.h"
#include "box_manifold.h"

namespace substep::detail {

const BoxKernels& avx2_box_kernels() noexcept {
    static constexpr BoxKernels kKernels{&best_box_axis, &overlap_faces, kBoxLanes,
                                         true,           &meet_lanes,    &write_box_manifold};
    return kKernels;
}

} // namespace substep::detail
