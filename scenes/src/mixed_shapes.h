// Shapes of about one size that heaps are made of.
#pragma once

#include <cstddef>

#include "substep/collision/glm_types.h"
#include "substep/collision/shape.h"

namespace substep::detail {

/// Kinds of shapes: cube, sphere, capsule, cylinder, cone and a hull without parallel faces.
inline constexpr std::size_t kMixedKinds = 6;

/// A shape of a kind (from 0; behind the last they begin again) that a ball of `radius` (m) about its origin holds.
Shape mixed_shape(std::size_t kind, double radius);
/// Its name.
const char* mixed_name(std::size_t kind) noexcept;

/// A number in [-1, 1] of a sequence without regularity that an eye would see: the same on every machine.
double scattered(std::size_t number) noexcept;
/// An attitude likewise.
glm::dquat scattered_turn(std::size_t number) noexcept;

} // namespace substep::detail
