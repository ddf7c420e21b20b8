// Parts of a stage, taken from a counter.
#include "soft_steps/thread_team.h"

#include <thread>

namespace substep::detail {
namespace {

constexpr int kSpins = 4000; // some tens of microseconds, then others may have the core
constexpr std::uint64_t kParts = 0xffffffffu;

void spin(int& spins) noexcept {
    if (++spins > kSpins) {
        std::this_thread::yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

} // namespace

void ThreadTeam::make_stage(const Stage& stage) noexcept {
    const std::uint64_t number = (parts_left_.load(std::memory_order_relaxed) >> 32) + 1;
    stage_ = stage;
    parts_unfinished_.store(stage.parts(), std::memory_order_relaxed);
    parts_left_.store(number << 32 | stage.parts(), std::memory_order_release);
    while (make_part()) {
    }
    int spins = 0;
    while (parts_unfinished_.load(std::memory_order_acquire) != 0) {
        spin(spins);
    }
}

// Takes a part and makes it. Returns false if none is left. The stage cannot end before a part that was taken is made.
bool ThreadTeam::make_part() noexcept {
    std::uint64_t left = parts_left_.load(std::memory_order_relaxed);
    do {
        if ((left & kParts) == 0) {
            return false;
        }
    } while (!parts_left_.compare_exchange_weak(left, left - 1, std::memory_order_acquire, std::memory_order_relaxed));
    const std::size_t first = (stage_.parts() - (left & kParts)) * stage_.grain;
    stage_.call(stage_.work, first, std::min(first + stage_.grain, stage_.count));
    parts_unfinished_.fetch_sub(1, std::memory_order_release);
    return true;
}

void ThreadTeam::help() noexcept {
    int spins = 0;
    while (!is_over_.load(std::memory_order_acquire)) {
        if (make_part()) {
            spins = 0;
        } else {
            spin(spins);
        }
    }
}

} // namespace substep::detail
