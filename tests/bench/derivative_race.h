// What one derivative costs in chains of any length.
#pragma once

#include "report.h"

namespace substep_bench {

/// Times the derivative of ball chains of 10 to 500 links, and of 1000 with its working set, then that of a sphere that
/// is free, slides or rolls. Returns a chain's largest time per body over the smallest, the thousand left out.
double race_derivatives(Report& report);

} // namespace substep_bench
