// CVODE's root finding, as an opponent of our events.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "solver.h"

namespace substep_bench {

/// Solves a problem from y at a tolerance, and writes the times at which its first component is zero.
using ZeroFinder = std::function<void(double tolerance, std::span<double> y, std::vector<double>& times)>;

/// Returns CVODE's; empty where it is not installed.
ZeroFinder cvode_zero_finder(const InitialValueProblem& problem);

} // namespace substep_bench
