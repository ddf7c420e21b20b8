// Lists islands, and cuts the list into jobs.
#include "islands/island_schedule.h"

#include <algorithm>

namespace substep::detail {
namespace {

// A body's step takes about a microsecond, taking a job a tenth of it.
constexpr std::size_t kFewestBodiesOfJob = 16;
constexpr std::size_t kMostJobs = 128;

} // namespace

void IslandSchedule::reserve(std::size_t islands) {
    islands_.reserve(islands);
    job_ends_.reserve(islands);
}

void IslandSchedule::clear() noexcept {
    islands_.clear();
    job_ends_.clear();
}

void IslandSchedule::choose(std::span<const std::unique_ptr<Island>> islands, bool (*is_chosen)(const Island&)) {
    ++changes_;
    clear();
    std::size_t bodies = 0;
    for (const auto& island : islands) {
        if (island != nullptr && is_chosen(*island)) {
            islands_.push_back(island.get());
            bodies += island->bodies().size();
        }
    }
    const std::size_t enough = std::max(kFewestBodiesOfJob, bodies / kMostJobs + 1);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
        taken += islands_[i]->bodies().size();
        if (taken >= enough || i + 1 == islands_.size()) {
            job_ends_.push_back(i + 1);
            taken = 0;
        }
    }
}

void IslandSchedule::choose_awake(std::span<const std::unique_ptr<Island>> islands) {
    if (is_outdated_) {
        choose(islands, [](const Island& island) { return !island.asleep(); });
        is_outdated_ = false;
    }
}

void IslandSchedule::add(Island& island) {
    islands_.push_back(&island);
    ++changes_;
    job_ends_.push_back(islands_.size());
}

std::span<Island* const> IslandSchedule::of_job(std::size_t job) const noexcept {
    const std::size_t begin = job == 0 ? 0 : job_ends_[job - 1];
    return all().subspan(begin, job_ends_[job] - begin);
}

} // namespace substep::detail
