// What bodies leave a convex step with, where that is not what they move by.
#pragma once

#include <span>
#include <vector>

#include "convex_step/convex_layout.h"
#include "soft_steps/contact_set.h"

namespace substep::detail {

/// What there is to solve for once more.
struct LeavingAims {
    bool rebounds = false;
    bool pushes = false;

    bool any() const noexcept { return rebounds || pushes; }
};

/// Sets normal velocities for a second solution, with which bodies leave: points that were hit rebound, and what pushed
/// overlapping bodies apart faster than `kept_push` leaves them nothing of its speed, so that heaps of bodies that were
/// born in one another do not burst. `is_pushed`: room, of the number of unknown bodies.
LeavingAims aim_to_leave(std::span<const FoundManifold> manifolds, const Pile& pile, const ConvexSoftness& softness,
                         std::span<const ContactFrame> frames, std::span<ContactTerm> contacts,
                         std::vector<char>& is_pushed);

} // namespace substep::detail
