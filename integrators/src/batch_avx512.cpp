// Batches in the lanes of AVX-512.
#include "batch_kernels.h"
#include "highway_pack.h"

namespace substep::detail {

BatchKernels avx512_batch_kernels() { return make_batch_kernels<HighwayPack>(); }

} // namespace substep::detail
