// The races of `substep_bench integrators`. Each adds its section to the report.
#pragma once

#include <string>

#include "report.h"

namespace substep_bench {

/// RK4 steps, dense samples, frames inside a segment.
void race_steps(Report& report);

/// The pendulum to given end errors.
void race_to_errors(Report& report);

/// The pendulum's zeros.
void race_events(Report& report);

/// 1000 systems at once.
void race_batches(Report& report);

/// Four problems over all tolerances. Writes one CSV file per problem (series, evaluations, microseconds, error) and
/// its picture into `folder` and refers to them, unless `folder` is empty.
void race_work_precision(Report& report, const std::string& folder);

} // namespace substep_bench
