// What frames cost: the mean, and the slow ones.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "mechanism.h"

namespace substep_bench {

/// Microseconds per frame.
struct FrameTimes {
    double mean = 0.0;    ///< CPU time of a whole run over its frames, median over runs
    double p99 = 0.0;     ///< 99th percentile over frames of each frame's median over runs
    double slowest = 0.0; ///< the largest of those
};

using MakeSimulator = std::function<std::unique_ptr<Simulator>()>;

/// Times runs of `frames` frames of each simulator, `runs` times in turn. Runs repeat each other exactly, so a frame's
/// median over runs is what the frame costs, without what interrupted it once.
std::vector<FrameTimes> time_frames(const std::vector<MakeSimulator>& makers, int frames, int runs);

/// Returns the CPU time of this thread, in microseconds.
double cpu_time_us();

} // namespace substep_bench
