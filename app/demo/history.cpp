// The last two minutes of a world as snapshots, for going back.
#include "history.h"

#include <algorithm>
#include <cmath>

namespace substep {

void History::clear() {
    entries_.clear();
    bytes_ = 0;
}

void History::add(const World& world) {
    const double now = world.time();
    while (!entries_.empty() && entries_.back().time >= now - 1e-9) {
        bytes_ -= entries_.back().snapshot.bytes.size();
        entries_.pop_back();
    }
    entries_.push_back({now, world.snapshot()});
    bytes_ += entries_.back().snapshot.bytes.size();
    while (entries_.size() > 1 && (entries_.front().time < now - kSeconds || bytes_ > kBytes)) {
        bytes_ -= entries_.front().snapshot.bytes.size();
        entries_.pop_front();
    }
}

const WorldSnapshot& History::at(double t) const {
    const auto behind = std::lower_bound(entries_.begin(), entries_.end(), t,
                                         [](const Entry& entry, double time) { return entry.time < time; });
    if (behind == entries_.end()) return entries_.back().snapshot;
    if (behind == entries_.begin()) return behind->snapshot;
    const auto before = std::prev(behind);
    return std::abs(before->time - t) <= std::abs(behind->time - t) ? before->snapshot : behind->snapshot;
}

} // namespace substep
