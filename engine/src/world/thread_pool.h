// The built-in job runner: threads that sleep between batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "substep/engine/jobs.h"

namespace substep::detail {

/// Runs jobs on the calling thread and `threads - 1` others. Allocates nothing but when it is made.
class ThreadPool final : public JobRunner {
public:
    /// Throws std::system_error if the threads cannot be started.
    explicit ThreadPool(int threads);
    ~ThreadPool() override;
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    void run(std::size_t count, Job job, void* context) noexcept override;

private:
    void serve() noexcept;
    bool run_one() noexcept;
    void stop() noexcept;

    // The batch. It is written while no job is left, and read by threads that took a job, so no lock guards it.
    Job job_ = nullptr;
    void* job_context_ = nullptr;
    std::uint32_t job_count_ = 0;

    alignas(64) std::atomic<std::uint32_t> jobs_left_{0};       ///< jobs that nobody has taken; kStop ends the threads
    alignas(64) std::atomic<std::uint32_t> jobs_unfinished_{0}; ///< jobs that have not returned
    std::vector<std::thread> threads_;
};

} // namespace substep::detail
