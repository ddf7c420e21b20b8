// All solvers with the model LorenzModel inlined.
#include "model_solvers.h"

namespace substep_bench {

template std::vector<Solver> model_solvers<LorenzModel>();

} // namespace substep_bench
