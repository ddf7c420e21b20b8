// How a world's islands get onto threads: the interface that a host may serve with its own.
#pragma once

#include <cstddef>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Runs independent jobs on threads. A host that has a job system derives from this and calls World::set_job_runner;
/// otherwise WorldSettings::threads is all there is to set.
///
/// The results of jobs depend neither on their order nor on the threads that run them: a world gives the same bits on
/// any number of threads.
class JobRunner {
public:
    /// Job `index` of a batch. Throws nothing.
    using Job = void (*)(void* context, std::size_t index) noexcept;

    virtual ~JobRunner() = default;

    /// Calls job(context, i) once for every i < count, in any order, on any threads, the calling one included, and
    /// returns when all have returned: what they wrote is visible to the caller then. Must not allocate if
    /// World::advance is not to. A job takes some microseconds to milliseconds; there are at most a few hundred.
    ///
    /// A large pile is a batch of sixteen jobs: the first one that begins makes it, the others help, and watch for more
    /// to do until it is done. One that begins late or behind it, as all do on a single thread, returns at once.
    virtual void run(std::size_t count, Job job, void* context) noexcept = 0;
};

} // namespace substep

#pragma GCC visibility pop
