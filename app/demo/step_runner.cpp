// Makes steps within the time that a frame may take, or beside the frame thread.
#include "step_runner.h"

#include <algorithm>

namespace substep {

namespace {

constexpr std::chrono::milliseconds kAsking{20}; // between two questions whether the program is to end

} // namespace

StepRunner::~StepRunner() { stop(); }

bool StepRunner::run(const Job& job) {
    interrupt_ = false;
    if (!may_interrupt()) {
        job(interrupt_);
        return true;
    }
    if (!watcher_.joinable()) watcher_ = std::jthread([this](const std::stop_token& token) { watch(token); });
    const auto set_watching = [this](bool on) {
        {
            const std::lock_guard lock(mutex_);
            watching_ = on;
        }
        changed_.notify_all();
    };
    set_watching(true);
    try {
        job(interrupt_);
    } catch (...) {
        set_watching(false);
        throw;
    }
    set_watching(false);
    return !interrupt_;
}

// Raises the flag of the job on the frame thread when its time has come.
void StepRunner::watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return watching_; })) {
        Clock::time_point wake = Clock::now() + kAsking;
        if (limit_ < std::numeric_limits<double>::infinity()) {
            wake = std::min(wake, frame_begin_ + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(limit_)));
        }
        changed_.wait_until(lock, stop, wake, [&] { return !watching_; });
        if (watching_ && (frame_is_over() || (asked_to_end_ && asked_to_end_()))) {
            interrupt_ = true;
            watching_ = false;
        }
    }
}

void StepRunner::start(Job job) {
    stop();
    interrupt_beside_ = ended_ = false;
    failure_ = nullptr;
    begin_ = Clock::now();
    beside_ = std::jthread([this, work = std::move(job)] {
        try {
            work(interrupt_beside_);
        } catch (...) {
            failure_ = std::current_exception();
        }
        took_ = seconds_since(begin_);
        ended_ = true;
    });
}

double StepRunner::seconds() const noexcept { return ended_ ? took_ : is_running() ? seconds_since(begin_) : 0.0; }

void StepRunner::finish() {
    if (beside_.joinable()) beside_.join();
    if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void StepRunner::stop() {
    interrupt_beside_ = true;
    if (beside_.joinable()) beside_.join();
    failure_ = nullptr;
}

} // namespace substep
