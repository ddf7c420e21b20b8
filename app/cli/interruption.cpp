// A flag that a signal sets.
#include "interruption.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace substep {
namespace {

volatile std::sig_atomic_t interrupted = 0;
const char* first_notice = nullptr;

void note(int signal) {
    interrupted = 1;
    std::signal(signal, SIG_DFL);
    if (first_notice != nullptr) {
        [[maybe_unused]] const auto written = write(STDERR_FILENO, first_notice, std::strlen(first_notice));
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
