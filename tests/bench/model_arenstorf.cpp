// All solvers with the model ArenstorfModel inlined.
#include "model_solvers.h"

namespace substep_bench {

template std::vector<Solver> model_solvers<ArenstorfModel>();

} // namespace substep_bench
