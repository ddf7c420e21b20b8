// Which shapes collide, and which of a pair comes first.
#pragma once

#include <cstdint>

#include "substep/collision/shape.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// Returns whether there is any shape that this one collides with.
bool can_collide(const Shape& shape) noexcept;

/// Returns a shape's name in lower case, for sentences.
const char* name_of(const Shape& shape) noexcept;

/// Returns whether two shapes collide; the order of the two makes no difference.
bool can_collide(const Shape& a, const Shape& b) noexcept;

/// Returns at how many points two shapes that collide could touch: the features of one meet those of the other one by
/// one, in the order of their numbers.
std::uint32_t point_count(const Shape& a, const Shape& b) noexcept;

/// Returns whether the functions of contacts take this pair the other way round: the plane is the second of a pair.
bool is_reversed(const Shape& a, const Shape& b) noexcept;

} // namespace substep::detail

#pragma GCC visibility pop
