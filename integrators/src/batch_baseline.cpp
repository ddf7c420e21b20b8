// Batches in the lanes that the target of the build as a whole has.
#include "batch_kernels.h"

namespace substep::detail {

BatchKernels baseline_batch_kernels() { return make_batch_kernels<Pack<kNativePackWidth>>(); }

} // namespace substep::detail
