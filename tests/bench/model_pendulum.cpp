// All solvers with the model PendulumModel inlined.
#include "model_solvers.h"

namespace substep_bench {

template std::vector<Solver> model_solvers<PendulumModel>();

} // namespace substep_bench
