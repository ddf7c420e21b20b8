// A run from its first frame to its last, measured: the loop behind `substep run` and `substep compare`.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "run_options.h"
#include "substep/engine/stage_times.h"
#include "substep/scenes/truth.h"

namespace substep {

/// What `auto` chose for an island, and why.
struct MethodUse {
    std::string_view method;
    std::string_view reason;
    int frames = 0; ///< in which some island was integrated so
};

/// What a run did, over all frames.
struct RunResult {
    StepStatus status = StepStatus::ReachedTarget; ///< of the frame that ended the run
    int frames = 0;                                ///< that reached their end
    bool interrupted = false;                      ///< by a signal, before the last frame
    std::int64_t evaluations = 0;
    std::int64_t accepted = 0;
    std::int64_t rejected = 0;
    int degraded_frames = 0;
    int unstable_frames = 0;
    double achieved_tolerance = 0.0; ///< largest of StepReport::achieved_tolerance
    std::vector<MethodUse> chosen;   ///< by `auto`, in the order of their first frames; else empty
    double mean_us = 0.0;            ///< microseconds that World::advance took per frame
    double p99_us = 0.0;
    double max_us = 0.0;
    StageTimes stages; ///< of a frame, mean, s
};

/// One frame, as its observer sees it.
struct FrameRecord {
    int frame = 0; ///< 0 is the start, before any step
    const World& world;
    const Meter& meter;
    const StepReport& report;
    double us = 0.0;
};

/// Advances the run's world for its frames, measuring each with `meter`, and stops at the first that does not reach its
/// end, or after that in which a signal came (interruption.h). `observe` may be empty; it sees the start and every
/// frame. Says on stderr how far it is once that takes longer than a second and stderr is a terminal.
RunResult measure_run(Run& run, Meter& meter, const std::function<void(const FrameRecord&)>& observe = {});

/// Says in one sentence what a status other than ReachedTarget means for a run.
std::string_view explain(StepStatus status) noexcept;

/// Returns the boundary in force: methods without error control always end substeps with the frame.
Boundary effective_boundary(const IntegratorSettings& settings);

} // namespace substep
