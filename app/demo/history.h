// The last two minutes of a world as snapshots, for going back.
#pragma once

#include <cstddef>
#include <deque>

#include "substep/engine/world.h"

namespace substep {

/// Snapshots in order of time, at most kSeconds and kBytes of them: beyond that the oldest are dropped. Going back
/// drops nothing; only a step that is taken from an earlier time makes another future, and drops the one that was.
class History {
public:
    static constexpr double kSeconds = 120.0;
    static constexpr std::size_t kBytes = std::size_t{256} << 20;

    void clear();
    /// Keeps the world's present state as the latest, and drops what lay behind it in time.
    void add(const World& world);

    bool empty() const noexcept { return entries_.empty(); }
    double begin() const noexcept { return entries_.empty() ? 0.0 : entries_.front().time; } ///< s
    double end() const noexcept { return entries_.empty() ? 0.0 : entries_.back().time; }    ///< s
    /// The snapshot nearest to time t (s). There must be one.
    const WorldSnapshot& at(double t) const;

private:
    struct Entry {
        double time = 0.0; ///< s
        WorldSnapshot snapshot;
    };
    std::deque<Entry> entries_;
    std::size_t bytes_ = 0;
};

} // namespace substep
