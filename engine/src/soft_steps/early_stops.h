// Bodies that are stopped where they meet what they would have passed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "soft_steps/contact_set.h"
#include "soft_steps/moving_frames.h"

namespace substep::detail {

/// Contacts stop what comes within their reach. Whoever is faster than they see is put back to where it met the other
/// one, and goes on with what that rests on: ways are told in the frames of bodies, so that what rides on a train is
/// stopped where it would be on the ground.
class EarlyStops {
public:
    /// Looks at all pairs of which one moved by half of its smallest extent in its frame within the interval. States
    /// are those of the interval's end, `begin` where it began.
    void find(const PileStep& step, const Pile& pile, std::span<const PlacedBody> begin, PileResult& result);

private:
    /// Where a body is stopped first.
    struct Stop {
        double part = 1.0;      ///< of the interval; 1: nowhere
        Twist on;               ///< how it goes on, over the whole interval: m, rad
        glm::dvec3 centre{0.0}; ///< of that motion, where the body is stopped
    };

    void look_at(const PileStep& step, const Pile& pile, std::span<const PlacedBody> begin,
                 const std::array<std::uint32_t, 2>& pair, int& looks);

    MovingFrames frames_;
    std::vector<Stop> stops_; ///< by the bodies' numbers
};

} // namespace substep::detail
