// The parts of substep_bench. Each runs on one pinned core and prints a table with its goal.
#pragma once

namespace substep_bench {

/// Measures one RK4 step of the pendulum: Boost.odeint, the fixed-size path, and IntegratorService. Nanoseconds.
void run_integrators();

/// Finds, for each method, the cheapest setting that keeps scene `pendulum` within 1e-6 rad, and times it.
void run_pendulum();

} // namespace substep_bench
