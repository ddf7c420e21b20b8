// Which things hang together, found pair by pair: union-find.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// Disjoint sets of numbers, each represented by its smallest.
class DisjointSets {
public:
    /// Begins with so many numbers, each by itself. Allocates to grow.
    void begin(std::size_t count) {
        parent_.resize(count);
        std::iota(parent_.begin(), parent_.end(), 0u);
    }
    std::uint32_t representative(std::uint32_t i) noexcept {
        while (parent_[i] != i) {
            i = parent_[i] = parent_[parent_[i]]; // path halving
        }
        return i;
    }
    void unite(std::uint32_t a, std::uint32_t b) noexcept {
        a = representative(a);
        b = representative(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::uint32_t> parent_;
};

} // namespace substep::detail

#pragma GCC visibility pop
