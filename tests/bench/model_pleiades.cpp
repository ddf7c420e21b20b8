// All solvers with the model PleiadesModel inlined.
#include "model_solvers.h"

namespace substep_bench {

template std::vector<Solver> model_solvers<PleiadesModel>();

} // namespace substep_bench
