// The narrow phase: where and how two solids meet.
#pragma once

#include <cstddef>
#include <span>

#include "substep/collision/convex.h"
#include "substep/collision/feature_contact.h"
#include "substep/collision/glm_types.h"
#include "substep/collision/manifold.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// An axis that two solids were last found apart along, for the next call with both; zero for none. It saves work while
/// it parts them by more than the margin, and changes no result.
struct SeparatingAxis {
    glm::dvec3 direction{0.0}; ///< unit vector in the frame of one of both, or zero
};

/// Returns whether the narrow phase knows this pair: any two but two half spaces.
bool can_meet(const Convex& a, const Convex& b) noexcept;

/// Writes the points at which two solids are closer than `margin` (m), none where their distance is larger. One of
/// them has the distance for its gap. Allocates nothing.
void collide(const Convex& a, const Placement& at_a, const Convex& b, const Placement& at_b, double margin,
             SeparatingAxis& axis, Manifold& manifold) noexcept;

/// The same, as a result.
inline Manifold collide(const Convex& a, const Placement& at_a, const Convex& b, const Placement& at_b, double margin,
                        SeparatingAxis& axis) noexcept {
    Manifold manifold;
    collide(a, at_a, b, at_b, margin, axis, manifold);
    return manifold;
}

/// Two solids in their places, and what is known of both.
struct PlacedSolids {
    const Convex* a;
    const Placement* at_a;
    const Convex* b;
    const Placement* at_b;
    SeparatingAxis* axis;
};

/// A pair of many, and where it touches.
struct TouchingSolids {
    std::size_t pair;
    Manifold manifold;
};

/// Does the same with many pairs, bit for bit as one by one: boxes are looked at side by side. Writes those that have
/// points one behind the other, in no order that counts, and returns how many they are; there must be room for all. No
/// two pairs may share an axis. Allocates nothing.
std::size_t collide(std::span<const PlacedSolids> pairs, double margin, std::span<TouchingSolids> touching) noexcept;

/// Returns how far two solids are apart, or how deep they overlap.
Separation distance(const Convex& a, const Placement& at_a, const Convex& b, const Placement& at_b) noexcept;

} // namespace substep::detail

#pragma GCC visibility pop
