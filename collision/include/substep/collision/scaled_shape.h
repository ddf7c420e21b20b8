// Shapes at another scale, as scene files ask for them.
#pragma once

#include <optional>

#include "substep/collision/glm_types.h"
#include "substep/collision/shape.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Returns a shape whose coordinates are multiplied by `scale`, along its own axes. As glTF has it
/// (KHR_implicit_shapes), the absolute value counts where a factor is negative, and a scale of zero along all axes
/// means that there is no shape: nothing is returned. A hull is mirrored by a negative factor.
///
/// What is round stays round: a ball and the ends of a capsule take one factor for all axes, a cylinder, a cone and a
/// rod one for both axes across. Factors that differ by no more than a single-precision number is rounded by count as
/// one. Throws std::invalid_argument for any other scale, one that is not finite or one that makes a shape flat.
std::optional<Shape> scaled(const Shape& shape, const glm::dvec3& scale);

} // namespace substep

#pragma GCC visibility pop
