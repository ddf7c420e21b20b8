// How the bodies of a pile move within an interval, for what takes turns with contacts.
#pragma once

#include <cstddef>
#include <span>

#include "bodies/rigid_motion.h"
#include "soft_steps/contact_set.h"
#include "soft_steps/lane_blocks.h"

namespace substep::detail {

/// A view of the lanes of an interval, body by body.
class PileMotions {
public:
    /// Of the bodies that are laid out there, and where they were when the interval began.
    PileMotions(std::span<LaneMotion> motions, std::span<LaneBodies> bodies, std::span<const PlacedBody> begin) noexcept
        : motions_(motions), bodies_(bodies), begin_(begin) {}

    /// Where a body is now.
    Placement place(std::size_t body) const noexcept;
    /// How it moves now.
    Twist velocity(std::size_t body) const noexcept;
    /// Gives an impulse (N s, N m s about its centre) to a body that forces move, which changes its velocity by so
    /// much. It counts as one of forces, not of contacts.
    void push(std::size_t body, const Wrench& impulse, const Twist& change) noexcept;

private:
    std::span<LaneMotion> motions_;
    std::span<LaneBodies> bodies_;
    std::span<const PlacedBody> begin_;
};

/// What ties bodies of a pile besides contacts. It takes turns with these: in each substep it acts once before bodies
/// move and once behind.
class PileTies {
public:
    /// A substep begins, of which `motions` have what forces and remembered contacts do. Acts with what it remembers,
    /// of the substep before, or in the first one of the interval before.
    virtual void begin_substep(PileMotions& motions, bool is_first) noexcept = 0;
    /// Lets velocities take back within the substep what has opened.
    virtual void solve(PileMotions& motions) noexcept = 0;
    /// Looks at where bodies have moved to, and lets velocities open nothing.
    virtual void relax(PileMotions& motions) noexcept = 0;
    /// The same behind rebounds, where nothing has moved.
    virtual void relax_rebounds(PileMotions& motions) noexcept = 0;

protected:
    ~PileTies() = default;
};

} // namespace substep::detail
