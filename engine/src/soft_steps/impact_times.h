// When two solids meet that move evenly.
#pragma once

#include <array>

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

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

/// The displacement of a body from one place to another, as an even motion in the time 1.
Twist way_between(const Placement& from, const glm::dvec3& position, const glm::dquat& rotation) noexcept;

/// Part of the thinner of two solids by which they may be in one another before the faster one is stopped.
inline constexpr double kPassedPart = 0.25;

/// Whether two solids that begin less deep get deeper into one another, on such ways, than one in a pile may get into
/// the other without being stopped.
bool get_too_deep(const std::array<MovingSolid, 2>& ways, double within, int& looks) noexcept;

/// Returns the part of such ways behind which solids that get too deep are stopped: where they meet. Those that touch
/// from the begin are stopped half as deep as they may get beyond that: a plate that turns about its edge on the floor
/// would never get on if it were put back to where it has touched it.
double stopping_time(const std::array<MovingSolid, 2>& ways, double within, int& looks) noexcept;

} // namespace substep::detail
