// The exceptions of a thread.
#include "bodies/host_call.h"

#include <cstdio>

namespace substep::detail {

void HostExceptions::keep(const char* what) noexcept {
    ++count;
    std::snprintf(last.data(), last.size(), "The model threw: %s", what);
}

HostExceptions& host_exceptions() noexcept {
    thread_local HostExceptions exceptions;
    return exceptions;
}

} // namespace substep::detail
