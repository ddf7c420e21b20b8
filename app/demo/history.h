// The last two minutes of a world as snapshots, with what was seen of it then, for going back.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "substep/engine/world.h"
#include "substep/scenes/truth.h"

namespace substep {

/// A point of a body and how it moves.
struct PointMotion {
    BodyId body;
    glm::dvec3 position{0.0};
    glm::dvec3 velocity{0.0};
};

/// A state, and what was measured when it was reached.
struct PastMoment {
    double time = 0.0; ///< s
    WorldSnapshot snapshot;
    Meter meter;
    StepReport report;                ///< of the step that led to it, without its message
    std::vector<PointMotion> motions; ///< of the bodies that leave trails
    bool touched = false;             ///< edits or the mouse had changed the motion by then
    std::size_t method = 0;           ///< row of the table of methods
    bool switched = false;            ///< other methods had a part in it
    ForceFieldId spring{};            ///< by which the mouse pulled, if it did
};

/// Moments in order of time, at most kSeconds and kBytes of them: beyond that the oldest are dropped. Going back
/// drops nothing; only a step that is taken from an earlier time makes another future, and drops the one that was.
class History {
public:
    static constexpr double kSeconds = 120.0;
    static constexpr std::size_t kBytes = std::size_t{256} << 20;

    void clear();
    /// Keeps a moment as the latest, and drops what lay behind it in time.
    void add(PastMoment moment);

    bool empty() const noexcept { return moments_.empty(); }
    double begin() const noexcept { return moments_.empty() ? 0.0 : moments_.front().time; } ///< s
    double end() const noexcept { return moments_.empty() ? 0.0 : moments_.back().time; }    ///< s
    /// The moment nearest to time t (s). There must be one.
    const PastMoment& at(double t) const;
    /// All of them, oldest first.
    const std::deque<PastMoment>& moments() const noexcept { return moments_; }

private:
    std::deque<PastMoment> moments_;
    std::size_t bytes_ = 0;
};

} // namespace substep
