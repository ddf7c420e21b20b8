// How sensitive a problem is: the yardstick for errors against a tolerance.
#pragma once

#include <span>
#include <vector>

#include "substep/integrators/integrator_service.h"
#include "substep/scenes/ode_problem.h"

namespace substep {

/// Distance of two states in the measure of the mixed norm: max over components of |a_i - b_i| / (1 + |b_i|). Infinite
/// if a component is not a number.
double distance(std::span<const double> a, std::span<const double> b);

/// Returns the row of the table of methods that is most accurate on smooth problems: adaptive, of the highest order.
const MethodInfo& most_accurate_method();

/// Returns the problem's state at time t, by the most accurate method at tolerance 1e-14.
std::vector<double> accurate_state(const OdeProblem& problem, double t);

/// Amplification of small changes of the state until t1.
struct Condition {
    double of_start = 0.0; ///< of changes of y0
    double of_run = 1.0;   ///< of changes all along the way; at least 1
};

/// Finds the condition by perturbing y0.
///
/// Every component of y0 is moved in turn by 1e-9 (1 + |y0_j|), and the problem solved anew by the most accurate method
/// at tolerance 1e-14. The changes of y1, in the measure of `distance` and divided by 1e-9, are the columns of the end
/// map's Jacobian; its largest row sum is the greatest amplification in the maximum norm. A run does not err at its
/// start alone: the same is done with the problem begun anew at 16 equidistant points of its solution, and `of_run` is
/// the sum.
Condition condition_of(const OdeProblem& problem);

/// Amplification of changes of y0 into the times of the problem's events: the largest sum over y0's components of
/// |change of a time| / 1e-9, at least 1.
double event_condition_of(const OdeProblem& problem);

} // namespace substep
