// Extents of a solid: how far a point is from it where that takes no search, and the box that holds it.
#pragma once

#include <optional>

#include "substep/collision/bounds.h"
#include "substep/collision/convex.h"
#include "substep/collision/feature_contact.h"
#include "substep/collision/glm_types.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// Returns how far (m) a point of a solid's frame is from the solid: 0 within it; of a ball or box, for others nothing.
/// A broad phase asks so before it asks for a distance: a thousand boxes in a pit with walls spent a fifth of a frame
/// on distances from the walls.
std::optional<double> distance_of_point(const Convex& solid, const glm::dvec3& point) noexcept;

/// Returns the smallest box along the world's axes that holds a solid, which must not be a half space, where it is.
BoundingBox box_about(const Convex& solid, const Placement& at) noexcept;

/// Returns how thick (m) a solid is where it is thinnest: of a hull across its faces, infinite of a half space.
double smallest_extent(const Convex& solid) noexcept;

} // namespace substep::detail

#pragma GCC visibility pop
