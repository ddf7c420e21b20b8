// How far a point is from the surface of a box or a cone.
#pragma once

#include "core.h"

namespace substep::detail {

/// In the solid's frame: how far a point is from its surface (m, negative inside), the unit normal there towards the
/// outside, and the place of the surface.
struct FromSurface {
    double distance;
    glm::dvec3 normal;
    glm::dvec3 place;
};

/// Of a box or a frustum, in closed form.
FromSurface from_surface(const Core& core, const glm::dvec3& point) noexcept;

} // namespace substep::detail
