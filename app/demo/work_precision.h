// Work against precision: the future of an experiment with every method and several settings, on another thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "experiment.h"

namespace substep {

/// One point of the plot: settings, and what a run with them did.
struct TrialPoint {
    std::size_t method = 0; ///< row of the table of methods
    IntegratorSettings settings;
    TrialResult result;
};

/// Runs trials in the background. All functions are for the thread that made it.
class WorkPrecision {
public:
    WorkPrecision() = default;
    ~WorkPrecision() { cancel(); }

    /// Begins anew, from the experiment's present moment.
    void start(const Experiment& experiment);
    /// Ends within one frame of the run that is being made; what was found stays.
    void cancel();
    /// Forgets everything.
    void clear();

    bool is_running() const;
    std::size_t done() const;                             ///< runs made, or found unsuitable
    std::size_t total() const noexcept { return total_; } ///< runs to be made
    const std::string& span() const noexcept { return span_; }
    const std::string& unit() const noexcept { return unit_; }
    std::vector<TrialPoint> points() const; ///< found so far, in order of the table and of falling tolerance

private:
    std::size_t total_ = 0;
    std::string span_;
    std::string unit_;
    mutable std::mutex mutex_; // guards what follows
    std::size_t done_ = 0;
    bool running_ = false;
    std::vector<TrialPoint> points_;
    std::jthread thread_; // last: it ends before the rest goes
};

/// The settings that are tried: every method, each with several tolerances or numbers of substeps; the rest as given.
std::vector<IntegratorSettings> trial_settings(const IntegratorSettings& base);

} // namespace substep
