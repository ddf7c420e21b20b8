// Calls of what a host wrote: force fields, paths, curves. Whatever they throw ends no program.
#pragma once

#include <array>
#include <cstdint>
#include <exception>

namespace substep::detail {

/// What hosts threw on this thread: an island is advanced on one thread, from where its step began to where it ends.
struct HostExceptions {
    std::uint64_t count = 0;
    std::array<char, 200> last{}; ///< the sentence about the last one

    void keep(const char* what) noexcept;
};
HostExceptions& host_exceptions() noexcept;

/// Returns what a call returns, and what `failed` makes (numbers that are not finite) where it throws: the exception is
/// kept for whoever ends the step. A try block costs nothing where nothing is thrown.
template <class Call, class Failed>
auto call_host(const Call& call, const Failed& failed) noexcept {
    try {
        return call();
    } catch (const std::exception& exception) {
        host_exceptions().keep(exception.what());
    } catch (...) {
        host_exceptions().keep("an exception that is no std::exception");
    }
    return failed();
}

} // namespace substep::detail
