// Pairs of solids in an island: those whose points change as they move, and are found by the narrow phase.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bodies/body_store.h"
#include "bodies/carried_solid.h"
#include "contact/unilateral.h"
#include "substep/collision/convex.h"
#include "substep/collision/manifold.h"

namespace substep::detail {

/// Two solids, and which of the island's constraints are theirs. Whether they meet is told by their distance, which is
/// a function of places; the constraints are the points of their manifold where they were looked for last. So the
/// points are there where something is answered: at an impact, and where a velocity step begins.
struct SolidPair {
    std::array<CarriedSolid, 2> solids;
    std::array<ContactEnd, 2> end;
    std::size_t first = 0; ///< number of their first constraint
    std::size_t count = 0; ///< of their constraints
    std::int64_t work = 0; ///< of a distance or a manifold, in units
};
/// The solid of a collider, on its body.
CarriedSolid carried_solid(const BodyRecord& body, const ColliderDesc& collider) noexcept;
SolidPair solid_pair(const BodyRecord& body_0, const ColliderDesc& collider_0, const BodyRecord& body_1,
                     const ColliderDesc& collider_1) noexcept;

/// Gives a constraint of a ball that holds by a mode the features of the part that its key names. Any other is absent.
void hold_as_remembered(const SolidPair& pair, UnilateralConstraint& constraint) noexcept;

/// Returns a speed (m/s) that the solids cannot come together faster than.
double closing_speed(const SolidPair& pair, const Twist& velocity_0, const Twist& velocity_1) noexcept;

/// Whether the solids come together within h (s) if their bodies keep their velocities. Where sixteen looks do not
/// tell, they do.
bool meet_within(const SolidPair& pair, std::array<Placement, 2> bodies, const std::array<Twist, 2>& velocities,
                 double h) noexcept;

/// Returns how far the solids are apart where their bodies are.
Separation separation_of(const SolidPair& pair, const Placement& body_0, const Placement& body_1) noexcept;

/// Returns how far (m) a ball is from the border of the part that holds it.
double distance_from_border(const SolidPair& pair, const UnilateralConstraint& constraint, const Placement& body_0,
                            const Placement& body_1) noexcept;

/// Makes constraints of the points at which the solids are closer than `margin` (m), in the order of their keys; those
/// left over are absent. A point of a part that was there before has its memory. The first body has the point, the
/// second one the face. The floor of the pair's distance stays with the first constraint. Returns whether one that held
/// by a mode is gone.
bool find_points(const SolidPair& pair, const Placement& body_0, const Placement& body_1, double margin,
                 std::span<UnilateralConstraint> constraints) noexcept;

} // namespace substep::detail
