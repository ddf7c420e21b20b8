// Which islands a step advances, and by which jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "islands/island.h"

namespace substep::detail {

/// The islands that are awake, in the order of their first bodies, cut into jobs.
class IslandSchedule {
public:
    /// Makes room for as many.
    void reserve(std::size_t islands);
    /// Says that some fell asleep, woke, or are others: the list is to be made anew.
    void outdate() noexcept { is_outdated_ = true; }
    bool is_outdated() const noexcept { return is_outdated_; }
    void clear() noexcept;

    /// Lists those that are chosen, and cuts the list into jobs of about equally many bodies: enough jobs to balance,
    /// each large enough to be worth handing over.
    void choose(std::span<const std::unique_ptr<Island>> islands, bool (*is_chosen)(const Island&));
    /// Lists all that are awake, if that is outdated.
    void choose_awake(std::span<const std::unique_ptr<Island>> islands);
    /// Adds one as a job of its own.
    void add(Island& island);

    std::span<Island* const> all() const noexcept { return islands_; }
    std::size_t jobs() const noexcept { return job_ends_.size(); }
    std::span<Island* const> of_job(std::size_t job) const noexcept;
    /// Counts how often it was made anew: as long as it stays, it lists the same.
    std::uint64_t changes() const noexcept { return changes_; }

private:
    std::vector<Island*> islands_;
    std::vector<std::size_t> job_ends_; ///< those of job i end here, and begin where those of the one before end
    std::uint64_t changes_ = 0;
    bool is_outdated_ = false;
};

} // namespace substep::detail
