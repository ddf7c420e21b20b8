// When two solids meet that move evenly.
#pragma once

#include <array>

#include "bodies/carried_solid.h"
#include "bodies/rigid_motion.h"

namespace substep::detail {

/// A solid that moves evenly: where its body is at time 0, and its velocities.
struct MovingSolid {
    const CarriedSolid* carried = nullptr;
    Placement body;
    Twist velocity;

    Placement body_at(double t) const noexcept;
};

/// Returns a time within `h` (s) at which two solids are `gap` (m) apart, and not sooner that near; negative where they
/// keep farther apart. A gap below zero is an overlap. Solids that begin nearer are so at time 0. `within` (m) is how
/// nearly. Where many looks do not tell, the time up to which they keep apart.
double meeting_time(const std::array<MovingSolid, 2>& solids, double h, double gap, double within, int& looks) noexcept;

} // namespace substep::detail
