// Jobs in processes of their own, some at a time: what one breaks, the others and the caller keep.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace hostile {

/// What became of a job.
struct Answer {
    std::string said;  ///< what it returned
    std::string ended; ///< how its process ended, where that was not in good order, in words; else empty
};

/// Runs job(0) to job(count - 1), each in a process of its own, `workers` of them at a time, and tells every answer to
/// `done`, in this process and in the order of their numbers. A process that takes more than `seconds` of
/// processor time is ended. Throws std::system_error if the system gives no more processes.
void run_in_processes(std::size_t count, unsigned workers, unsigned seconds,
                      const std::function<std::string(std::size_t)>& job,
                      const std::function<void(std::size_t, const Answer&)>& done);

} // namespace hostile
