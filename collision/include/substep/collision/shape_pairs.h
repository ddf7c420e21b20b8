// Which shapes collide, and which of a pair comes first.
#pragma once

#include <cstdint>

#include "substep/collision/shape.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// Returns whether two shapes collide; the order of the two makes no difference. Any two do but two planes.
bool can_collide(const Shape& a, const Shape& b) noexcept;

/// Returns whether two shapes that collide meet by features that are always the same (feature.h): two spheres; and a
/// sphere, the ends of a capsule of one radius or two, or the corners of a box with a plane. The points of all others
/// are those of the manifold that the narrow phase finds where they are.
bool have_fixed_features(const Shape& a, const Shape& b) noexcept;

/// Returns at how many points two shapes that collide could touch. Fixed features of one meet those of the other one by
/// one, in the order of their numbers; others are as many as a manifold has at most.
std::uint32_t point_count(const Shape& a, const Shape& b) noexcept;

/// Returns whether the functions of contacts take this pair the other way round: first spheres, then other round
/// shapes, boxes, hulls and rectangles, planes. So what is round is a rounded point, and what is flat a face.
bool is_reversed(const Shape& a, const Shape& b) noexcept;

/// Returns whether a part of one shape names the same part of the other, whatever their sizes: two of one kind, of
/// hulls the same hull. Sizes decide which parts of tapered shapes can hold a ball: of two of those it is false.
bool have_same_parts(const Shape& a, const Shape& b) noexcept;

} // namespace substep::detail

#pragma GCC visibility pop
