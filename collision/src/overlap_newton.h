// The least overlap of round solids near one that is known roughly.
#pragma once

#include <array>
#include <cstdint>

#include "core.h"

namespace substep::detail {

/// An element of either core: together, of their difference.
struct ElementPair {
    SupportElement a; ///< in the frame of a, whose y is axis_a of the pair
    SupportElement b; ///< its centre in the frame of a; turned to the other side, as a - b has it

    std::uint64_t id() const noexcept { return static_cast<std::uint64_t>(a.id) << 32 | b.id; }
};

ElementPair support_elements(const CorePair& pair, const glm::dvec3& direction) noexcept;

/// A face of the difference of two cores that is spanned by up to three elements.
struct ElementBasis {
    int count = 0;
    std::array<ElementPair, 3> elements;

    void add(const ElementPair& element) noexcept; ///< where it is not in it yet
};

/// Where both cores reach along a direction that Newton's method has found.
struct OverlapAlong {
    glm::dvec3 direction; ///< unit vector out of a - b
    glm::dvec3 on_a;
    glm::dvec3 on_b;
    int count = 0;                               ///< of the basis' elements
    std::array<std::array<glm::dvec3, 2>, 3> at; ///< where each is farthest along it, on a and on b
};

/// Seeks, from a direction that is nearly it, the one in which the highest element of a basis is lowest. False where
/// that does not converge.
bool descend(const CorePair& pair, const ElementBasis& basis, const glm::dvec3& start, OverlapAlong& found) noexcept;

} // namespace substep::detail
