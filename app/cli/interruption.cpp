// A flag that a signal sets.
#include "interruption.h"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>

namespace substep {
namespace {

constexpr double kSameWish = 0.25; // s: `timeout` sends its signal to a program and to its group

volatile std::sig_atomic_t interrupted = 0;
timespec first_time{};
const char* first_notice = nullptr;

void note(int signal) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (interrupted == 0) {
        interrupted = 1;
        first_time = now;
        if (first_notice != nullptr) {
            [[maybe_unused]] const auto written = write(STDERR_FILENO, first_notice, std::strlen(first_notice));
        }
    } else if (static_cast<double>(now.tv_sec - first_time.tv_sec) +
                   1e-9 * static_cast<double>(now.tv_nsec - first_time.tv_nsec) >
               kSameWish) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
}

} // namespace

void note_interruptions(const char* notice) {
    first_notice = notice;
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
}

bool is_interrupted() noexcept { return interrupted != 0; }

} // namespace substep
