// All solvers with the model KeplerModel inlined.
#include "model_solvers.h"

namespace substep_bench {

template std::vector<Solver> model_solvers<KeplerModel>();

} // namespace substep_bench
