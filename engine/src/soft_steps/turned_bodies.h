// Bodies whose inertia is no longer what it was where the interval began.
#pragma once

#include <cstdint>
#include <vector>

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include "soft_steps/lane_blocks.h"
#include "soft_steps/pile_lanes.h"
#include "substep/collision/glm_types.h"

namespace substep::detail {

/// Contacts change rates by the inertia that bodies have in the world where the interval begins. A slender body that
/// turned since then answers a torque many times as strongly, or as weakly: impulses that are to stop it throw it back
/// faster than it came, from substep to substep. Who has turned too far for his shape gets the inertia that he has now,
/// and his manifolds with him; all others keep every bit.
class TurnedBodies {
public:
    /// Notes whose inertia depends on how it is turned, where an interval begins.
    void begin(const PileLanes& lanes);

    /// Where a substep has begun: who turns too far within it answers from now on as if he were as light to turn about
    /// all axes as about his lightest, and so less is asked of him than would stop him, never more.
    void look_ahead(const LaneStep& step, const PileKernels& kernels, PileLanes& lanes);

    /// Where bodies have moved. Who turned so far that one turn about his axes after the other is no free motion any
    /// more has turned in parts.
    void renew(const LaneStep& step, const PileKernels& kernels, PileLanes& lanes);

    /// Where a substep has ended: books what contacts gave to turning beside what their impulses do at the rates that
    /// they see, which are those of an inertia that is out of date. A slender body that is pushed out of an overlap
    /// turns while it has the push, and keeps its momentum without it: that may be twice the energy.
    void book(double h, const PileLanes& lanes, PileWorks& works) noexcept;

private:
    struct Body {
        std::uint32_t number = 0;
        bool is_held = false; ///< does not turn about one of its axes
        bool is_even = false; ///< answers alike about all axes
        /// By how much its inertia changes with a turn about each of its axes, over the turn's square: k + 1/k - 2,
        /// where k is the ratio of the moments about the other two.
        glm::dvec3 change{0.0};
        double most_change = 0.0;                                  ///< of the three
        glm::dvec3 turned{0.0};                                    ///< rad, as it was when its inertia was taken
        glm::dquat taken = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< likewise
        glm::dquat from = detail::quaternion(1.0, 0.0, 0.0, 0.0);  ///< where the substep began
        double energy = 0.0;                                       ///< J, of turning, where the last substep ended
        glm::dvec3 rate{0.0};                                      ///< rad/s, as contacts saw it there
        glm::dvec3 turned_by{0.0};                                 ///< rad/s, by which it turned in the substep
    };

    static bool turns_fast(const Body& body, double h, const PileLanes& lanes) noexcept;
    static bool has_turned(const Body& body, const PileLanes& lanes) noexcept;
    static void turn_in_parts(const Body& body, double h, PileLanes& lanes) noexcept;
    void take_inertia(Body& body, bool is_even, PileLanes& lanes);
    void renew_manifolds(const LaneStep& step, const PileKernels& kernels, PileLanes& lanes);

    std::vector<Body> bodies_;         ///< those whose inertia depends on how they are turned
    std::vector<std::uint8_t> is_new_; ///< of each body of the pile: its inertia is not that of its manifolds
    bool any_is_new_ = false;
};

} // namespace substep::detail
