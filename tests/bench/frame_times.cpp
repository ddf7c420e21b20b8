// Frames are timed in two passes: whole runs, then frame by frame, which adds the cost of looking at the clock.
#include "frame_times.h"

#include <algorithm>

#include <time.h>

namespace substep_bench {
namespace {

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// What looking at the clock adds to a frame.
double cost_of_looking() {
    std::vector<double> costs;
    for (int i = 0; i < 1001; ++i) {
        const double before = cpu_time_us();
        costs.push_back(cpu_time_us() - before);
    }
    return median(costs);
}

double time_run(const MakeSimulator& make, int frames) {
    const std::unique_ptr<Simulator> simulator = make();
    const double start = cpu_time_us();
    for (int frame = 0; frame < frames; ++frame) {
        simulator->advance_frame();
    }
    return (cpu_time_us() - start) / frames;
}

void time_each_frame(const MakeSimulator& make, std::vector<std::vector<double>>& times) {
    const std::unique_ptr<Simulator> simulator = make();
    for (std::vector<double>& of_frame : times) {
        const double before = cpu_time_us();
        simulator->advance_frame();
        of_frame.push_back(cpu_time_us() - before);
    }
}

} // namespace

double cpu_time_us() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

std::vector<FrameTimes> time_frames(const std::vector<MakeSimulator>& makers, int frames, int runs) {
    std::vector<std::vector<double>> means(makers.size());
    std::vector<std::vector<std::vector<double>>> times(makers.size());
    for (auto& of_simulator : times) {
        of_simulator.resize(static_cast<std::size_t>(frames));
    }
    for (int run = 0; run < runs; ++run) {
        for (std::size_t i = 0; i < makers.size(); ++i) {
            means[i].push_back(time_run(makers[i], frames));
            time_each_frame(makers[i], times[i]);
        }
    }

    const double looking = cost_of_looking();
    std::vector<FrameTimes> results;
    for (std::size_t i = 0; i < makers.size(); ++i) {
        std::vector<double> of_frames;
        for (const std::vector<double>& of_frame : times[i]) {
            of_frames.push_back(std::max(0.0, median(of_frame) - looking));
        }
        std::ranges::sort(of_frames);
        const std::size_t p99 = (99 * of_frames.size() - 1) / 100;
        results.push_back({median(means[i]), of_frames[p99], of_frames.back()});
    }
    return results;
}

} // namespace substep_bench
