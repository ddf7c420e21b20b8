// Threads that make one pile together, one stage after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "substep/engine/jobs.h"

namespace substep::detail {

/// A team within one batch of a job runner. Whoever comes first leads; the others take parts of the stages that he
/// comes to, until he is at the end. He waits for nobody who has not taken a part: a runner may be serial, or begin its
/// jobs late. What is done in parts must not depend on how they are cut, or on who makes them.
class ThreadTeam {
public:
    ThreadTeam() = default;
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    /// Calls lead(), which throws nothing, once; as many as `members` take part in its stages.
    template <class Lead>
    void run(JobRunner& runner, std::size_t members, const Lead& lead) noexcept {
        is_led_.store(false, std::memory_order_relaxed);
        is_over_.store(false, std::memory_order_relaxed);
        struct Task {
            ThreadTeam& team;
            const Lead& lead;
        } task{*this, lead};
        runner.run(
            members,
            [](void* context, std::size_t) noexcept {
                const Task& t = *static_cast<const Task*>(context);
                if (t.team.is_led_.exchange(true)) {
                    return t.team.help();
                }
                t.lead();
                t.team.is_over_.store(true, std::memory_order_release);
            },
            &task);
    }

    /// One stage, for the leader: calls work(first, last) for parts of [0, count) of `grain` each, on whoever is there,
    /// and returns when all are done.
    template <class Work>
    void make(std::size_t count, std::size_t grain, const Work& work) noexcept {
        const auto call = [](const void* context, std::size_t first, std::size_t last) noexcept {
            (*static_cast<const Work*>(context))(first, last);
        };
        make_stage({call, std::addressof(work), count, grain});
    }

private:
    struct Stage {
        void (*call)(const void* work, std::size_t first, std::size_t last) noexcept = nullptr;
        const void* work = nullptr;
        std::size_t count = 0;
        std::size_t grain = 1;
        std::uint32_t parts() const noexcept { return static_cast<std::uint32_t>((count + grain - 1) / grain); }
    };
    void make_stage(const Stage& stage) noexcept;
    void help() noexcept;
    bool make_part() noexcept;

    // Written while no part is left, and read by those who have taken one.
    Stage stage_;

    alignas(64) std::atomic<std::uint64_t> parts_left_{0}; ///< that nobody has taken; above 32 bits the stage's number
    alignas(64) std::atomic<std::uint32_t> parts_unfinished_{0};
    alignas(64) std::atomic<bool> is_led_{false};
    std::atomic<bool> is_over_{false};
};

/// Calls work(first, last) for parts of [0, count): all at once if there is no team, or only one part of `grain`.
template <class Work>
void for_parts(ThreadTeam* team, std::size_t count, std::size_t grain, const Work& work) noexcept {
    if (team == nullptr || count <= grain) {
        work(std::size_t{0}, count);
    } else {
        team->make(count, grain, work);
    }
}

} // namespace substep::detail
