// Pairs of colliders, and the names by which their memory is found again.
#pragma once

#include <compare>
#include <cstdint>

#include "substep/engine/body.h"

namespace substep::detail {

/// Two colliders of two bodies, each with its number among those of its body.
struct ColliderPair {
    BodyId a;
    BodyId b;
    std::uint32_t collider_a = 0;
    std::uint32_t collider_b = 0;
    bool operator==(const ColliderPair&) const = default;
};

/// Each end is the rank of a body (its place in the order of creation) in the upper half and the number of one of its
/// colliders in the lower one; the body that was created first comes first. Pairs are in the order of their keys.
struct PairKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    auto operator<=>(const PairKey&) const = default;
};

constexpr std::uint64_t end_of_pair(std::uint32_t rank, std::uint32_t collider) noexcept {
    return std::uint64_t{rank} << 32 | collider;
}

} // namespace substep::detail
