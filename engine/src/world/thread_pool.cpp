// Threads that take jobs from a counter, wait on it where it is zero, and end where it says so.
#include "world/thread_pool.h"

#include <limits>

namespace substep::detail {
namespace {

constexpr std::uint32_t kStop = std::numeric_limits<std::uint32_t>::max();

} // namespace

ThreadPool::ThreadPool(int threads) {
    try {
        for (int i = 1; i < threads; ++i) {
            threads_.emplace_back([this] { serve(); });
        }
    } catch (...) {
        stop();
        throw;
    }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() noexcept {
    jobs_left_.store(kStop);
    jobs_left_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::run(std::size_t count, Job job, void* context) noexcept {
    if (count == 0) {
        return;
    }
    job_ = job;
    job_context_ = context;
    job_count_ = static_cast<std::uint32_t>(count);
    jobs_unfinished_.store(job_count_, std::memory_order_relaxed);
    jobs_left_.store(job_count_, std::memory_order_release); // publishes the batch
    jobs_left_.notify_all();

    // The caller works too, then waits for the jobs that others have taken.
    while (run_one()) {
    }
    for (std::uint32_t n = jobs_unfinished_.load(std::memory_order_acquire); n != 0;
         n = jobs_unfinished_.load(std::memory_order_acquire)) {
        jobs_unfinished_.wait(n, std::memory_order_acquire);
    }
}

// Takes a job and runs it. Returns false if none is left. A thread that waited since the last batch may take a job of
// this one: the batch cannot end before that job has returned.
bool ThreadPool::run_one() noexcept {
    std::uint32_t left = jobs_left_.load(std::memory_order_relaxed);
    do {
        if (left == 0 || left == kStop) {
            return false;
        }
    } while (!jobs_left_.compare_exchange_weak(left, left - 1, std::memory_order_acquire, std::memory_order_relaxed));
    job_(job_context_, job_count_ - left);
    if (jobs_unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        jobs_unfinished_.notify_all();
    }
    return true;
}

void ThreadPool::serve() noexcept {
    while (jobs_left_.load(std::memory_order_relaxed) != kStop) {
        if (!run_one()) {
            jobs_left_.wait(0, std::memory_order_relaxed);
        }
    }
}

} // namespace substep::detail
