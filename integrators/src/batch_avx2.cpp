// Batches in the lanes of AVX2.
#include "batch_kernels.h"
#include "highway_pack.h"

namespace substep::detail {

BatchKernels avx2_batch_kernels() { return make_batch_kernels<HighwayPack>(); }

} // namespace substep::detail
