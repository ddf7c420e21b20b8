// Batches: what is asked of their sizes.
#include "substep/integrators/batch.h"

#include <stdexcept>
#include <string>

namespace substep::detail {

void check_batch(const BatchView& batch, std::size_t n, std::size_t results, std::int64_t substeps) {
    if (substeps < 1) {
        throw std::invalid_argument("substeps is " + std::to_string(substeps) + "; it must be at least 1.");
    }
    if (batch.stride < batch.count) {
        throw std::invalid_argument("stride is " + std::to_string(batch.stride) +
                                    "; it must not be below count, which is " + std::to_string(batch.count) + ".");
    }
    if (batch.count > 0 && batch.data.size() < (n - 1) * batch.stride + batch.count) {
        throw std::invalid_argument("the batch has room for " + std::to_string(batch.data.size()) + " numbers; " +
                                    std::to_string(batch.count) + " systems of " + std::to_string(n) +
                                    " components with stride " + std::to_string(batch.stride) + " need " +
                                    std::to_string((n - 1) * batch.stride + batch.count) + ".");
    }
    if (results < batch.count) {
        throw std::invalid_argument("there is room for " + std::to_string(results) + " results of " +
                                    std::to_string(batch.count) + " systems.");
    }
}

} // namespace substep::detail
