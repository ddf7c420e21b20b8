// Voronoi regions of convex hulls.
#pragma once

#include <optional>

#include "substep/collision/convex.h"
#include "substep/collision/feature.h"
#include "substep/collision/manifold.h"

namespace substep::detail {

/// As the functions of ball_region.h, of a hull.
std::optional<Part> nearest_part(const HullView& hull, const glm::dvec3& centre) noexcept;
bool has_region(const HullView& hull, Part part) noexcept;
Feature feature_of_region(const HullView& hull, Part part) noexcept;
double distance_from_border(const HullView& hull, Part part, const glm::dvec3& centre) noexcept;

} // namespace substep::detail
