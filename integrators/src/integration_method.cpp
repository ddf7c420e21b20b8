// Memory of one substep.
#include "substep/integrators/integration_method.h"

namespace substep {

void StepWorkspace::resize(std::size_t n, std::size_t s) {
    storage_.assign((5 + s) * n, 0.0);
    double* block = storage_.data();
    for (std::span<double>* part : {&y0, &y1, &error, &coarse_error, &scratch}) {
        *part = {block, n};
        block += n;
    }
    stages_ = block;
    stage_count_ = s;
    k0_ready = false; // memories of velocity steps stay: they say themselves what their numbers belong to
}

} // namespace substep
