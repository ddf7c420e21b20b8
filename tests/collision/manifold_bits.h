// Whether two manifolds are the same, bit for bit.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "substep/collision/manifold.h"

namespace substep_test {

inline bool same_bits(const substep::detail::Manifold& p, const substep::detail::Manifold& q) {
    const auto bits_of = [](const glm::dvec3& v) {
        return std::bit_cast<std::array<std::uint64_t, 3>>(std::array<double, 3>{v.x, v.y, v.z});
    };
    bool are_same = p.count == q.count && bits_of(p.normal) == bits_of(q.normal);
    for (std::size_t i = 0; are_same && i < static_cast<std::size_t>(p.count); ++i) {
        const substep::detail::ManifoldPoint& a = p.points[i];
        const substep::detail::ManifoldPoint& b = q.points[i];
        are_same = bits_of(a.positions[0]) == bits_of(b.positions[0]) &&
                   bits_of(a.positions[1]) == bits_of(b.positions[1]) &&
                   std::bit_cast<std::uint64_t>(a.gap) == std::bit_cast<std::uint64_t>(b.gap) && a.parts == b.parts;
    }
    return are_same;
}

} // namespace substep_test
