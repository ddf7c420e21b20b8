// Free bodies in the lanes of AVX-512.
#include "free_bodies/lane_kernels.h"
#include "highway_pack.h"

namespace substep::detail {

std::span<const LaneKernel> avx512_lane_kernels() noexcept { return kLaneKernels<HighwayPack>; }

} // namespace substep::detail
