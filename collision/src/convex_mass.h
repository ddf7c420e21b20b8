// Mass properties of tapered solids and of scaled hulls.
#pragma once

#include "substep/collision/mass_properties.h"
#include "substep/collision/shape.h"

namespace substep::detail {

/// Each throws std::invalid_argument for sizes out of range.
void require_sizes(const TaperedCapsule& capsule);
void require_sizes(const TaperedCylinder& cylinder);
void require_sizes(const ScaledHull& hull);

/// Of the homogeneous solid of such sizes.
MassProperties properties_of(const TaperedCapsule& capsule, double mass) noexcept;
MassProperties properties_of(const TaperedCylinder& cylinder, double mass) noexcept;
MassProperties properties_of(const ScaledHull& hull, double mass) noexcept;

/// m^3; 0 for a shape that was given no hull.
double volume_of(const TaperedCapsule& capsule) noexcept;
double volume_of(const TaperedCylinder& cylinder) noexcept;
double volume_of(const ScaledHull& hull) noexcept;

} // namespace substep::detail
