// Where around a solid a ball is: the part that is nearest to its centre, and how far it is from there to another one.
#pragma once

#include <optional>

#include "substep/collision/convex.h"
#include "substep/collision/feature.h"
#include "substep/collision/manifold.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// Returns the radius (m) of a ball within a solid that touches it from inside at a part, with its centre where the
/// solid turns about itself: what rolls has the same gap then. 0 at corners, edges and flat parts; a ball's is its own.
double rounding_at(const Convex& solid, Part part) noexcept;

/// Returns the part of a solid that is nearest to a point outside of it; nothing at the rim of a cylinder or cone,
/// beside a side that is not straight (of a cone, of a capsule with two radii), and within the solid.
std::optional<Part> nearest_part(const Convex& solid, const glm::dvec3& centre) noexcept;

/// Whether a part is one that the function above can return.
bool has_region(const Convex& solid, Part part) noexcept;

/// Returns such a part as a feature in the solid's frame: it holds a ball until that comes to the border of the part's
/// region.
Feature feature_of_region(const Convex& solid, Part part) noexcept;

/// Returns how far (m) a point is from the border of a part's region; negative beyond it. Regions meet where their
/// features have the same normal.
double distance_from_border(const Convex& solid, Part part, const glm::dvec3& centre) noexcept;

} // namespace substep::detail

#pragma GCC visibility pop
