// Makes steps within the time that a frame may take, or beside the frame thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

namespace substep {

/// Runs what takes an unknown time. A job heeds a flag: it returns soon after the flag was raised, and what it has done
/// until then is to be thrown away. So no clock decides a state: a job is done whole, or not at all.
class StepRunner {
public:
    using Job = std::function<void(const std::atomic<bool>& interrupt)>;

    StepRunner() = default;
    ~StepRunner();
    StepRunner(const StepRunner&) = delete;
    StepRunner& operator=(const StepRunner&) = delete;

    /// Longest time (s) that a frame may spend in `run`; infinite at first.
    void set_limit(double seconds) { limit_ = seconds; }
    double limit() const noexcept { return limit_; }
    /// Asked some fifty times a second, on another thread, while a job runs: true ends it.
    void set_end(std::function<bool()> asked_to_end) { asked_to_end_ = std::move(asked_to_end); }
    /// Whether `run` may end a job before it is done.
    bool may_interrupt() const noexcept {
        return limit_ < std::numeric_limits<double>::infinity() || static_cast<bool>(asked_to_end_);
    }

    /// A frame begins: its time counts from now.
    void begin_frame() { frame_begin_ = Clock::now(); }
    bool frame_is_over() const { return seconds_since(frame_begin_) > limit_; }

    /// Runs a job on this thread. Returns false where it was interrupted, because the frame's time is over or the
    /// program is asked to end.
    bool run(const Job& job);

    /// Runs a job beside, until `finish` or `stop`. There must be none.
    void start(Job job);
    bool is_running() const noexcept { return beside_.joinable(); } ///< started, and neither finished nor stopped
    bool has_ended() const noexcept { return ended_; }
    double seconds() const noexcept; ///< that the job beside has been running, or took
    /// Waits for the job beside. Throws what it threw.
    void finish();
    /// Ends the job beside, if there is one; what it threw is forgotten.
    void stop();

private:
    using Clock = std::chrono::steady_clock;
    static double seconds_since(Clock::time_point begin) {
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }
    void watch(const std::stop_token& stop);

    double limit_ = std::numeric_limits<double>::infinity();
    std::function<bool()> asked_to_end_;
    Clock::time_point frame_begin_ = Clock::now();
    std::atomic<bool> interrupt_{false}; // of the job on the frame thread

    // The job beside.
    std::atomic<bool> interrupt_beside_{false};
    std::atomic<bool> ended_{false};
    std::exception_ptr failure_;
    Clock::time_point begin_;
    double took_ = 0.0; // s, known once it has ended
    std::jthread beside_;

    // Who raises the flag of the job on the frame thread.
    std::mutex mutex_; // guards what follows
    std::condition_variable_any changed_;
    bool watching_ = false;
    std::jthread watcher_; // last: it ends before the rest goes
};

} // namespace substep
