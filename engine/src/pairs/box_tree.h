// A tree of boxes: which of many overlap one another, or a given one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "substep/collision/bounds.h"

namespace substep::detail {

/// A ray as boxes are asked about it: by where it passes the two planes of each axis. Source: Kay & Kajiya, Computer
/// Graphics 20 (1986) 269.
class SlabRay {
public:
    /// From `origin` along a unit vector. Boxes count as larger by `slack` (m) on every side.
    SlabRay(const glm::dvec3& origin, const glm::dvec3& direction, double slack) noexcept
        : past_low_(origin + slack), past_high_(origin - slack) {
        // Across an axis a ray passes its planes nowhere near, but at a point: zero times infinity would be no number.
        constexpr double kSlowest = 1e-300;
        for (int axis = 0; axis < 3; ++axis) {
            const double rate = direction[axis];
            inverse_[axis] = 1.0 / (std::abs(rate) < kSlowest ? std::copysign(kSlowest, rate) : rate);
        }
    }

    /// Returns where the ray enters a box (m, 0 where it begins within), or infinity where it does not before `length`.
    double enters(const BoundingBox& box, double length) const noexcept {
        const glm::dvec3 a = (box.low - past_low_) * inverse_;
        const glm::dvec3 b = (box.high - past_high_) * inverse_;
        const double enter =
            std::max({0.0, std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}); // behind the last plane
        const double leave = std::min({length, std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)});
        return enter <= leave ? enter : std::numeric_limits<double>::infinity();
    }

private:
    glm::dvec3 past_low_; ///< m, the origin as seen from the lower planes
    glm::dvec3 past_high_;
    glm::dvec3 inverse_{0.0}; ///< of the direction
};

/// A binary tree over boxes, halved along the axis on which their centres are spread most. From step to step it keeps
/// its shape, with the boxes where they are now, as long as its nodes are hardly larger than those of a tree built
/// anew; a tree that was changed box by box answered up to seven times as slowly (docs/contacts.md). Nodes lie in the
/// order in which they are visited, each with the place behind its last descendant, so that a search goes forward only.
/// Which boxes it finds does not depend on its shape. Source: Ericson, Real-Time Collision Detection (2005), 6.2.1
/// (object median), 6.3.2 (two trees descended together) and 6.6.2 (preorder with escape index).
class BoxTree {
public:
    /// Makes room for so many boxes. Allocates to grow.
    void reserve(std::size_t boxes);

    /// Takes over boxes, which are named by their places in the list. One with a side that is no number overlaps none.
    void build(std::span<const BoundingBox> boxes);

    std::size_t size() const noexcept { return boxes_.size(); }

    /// Calls `found` with each box that overlaps the given one, in no order to rely on.
    template <class Found>
    void find(const BoundingBox& box, Found&& found) const {
        find_from(0, box, found);
    }

    /// Calls `found` with each box that a ray meets within `length` (m), the nearer half of a node first. `found`
    /// returns the length that is still of interest: below zero ends the search.
    template <class Found>
    void find_along(const SlabRay& ray, double length, Found&& found) const {
        struct Ahead {
            std::uint32_t node;
            double enters; ///< m
        };
        std::array<Ahead, kDeepest> ahead; // the farther halves of nodes on the way down
        std::size_t left = 0;
        if (!nodes_.empty()) {
            ahead[left++] = {0, ray.enters(nodes_[0].box, length)};
        }
        while (left > 0) {
            const Ahead next = ahead[--left];
            if (!(next.enters <= length) || next.enters == std::numeric_limits<double>::infinity()) {
                continue;
            }
            const Node& node = nodes_[next.node];
            if (node.is_leaf()) {
                for (std::uint32_t k = node.first; k < node.last; ++k) {
                    if (ray.enters(boxes_[k], length) < std::numeric_limits<double>::infinity()) {
                        length = found(names_[k]);
                    }
                }
                continue;
            }
            const std::uint32_t second = nodes_[next.node + 1].behind;
            Ahead near{next.node + 1, ray.enters(nodes_[next.node + 1].box, length)};
            Ahead far{second, ray.enters(nodes_[second].box, length)};
            if (far.enters < near.enters) {
                std::swap(near, far);
            }
            ahead[left++] = far;
            ahead[left++] = near;
        }
    }

    /// The box that holds all; they must be at least one.
    const BoundingBox& whole() const noexcept { return nodes_.front().box; }

    /// Calls `found` with both boxes of each pair that overlaps, once, in no order to rely on.
    template <class Found>
    void find_pairs(Found&& found) const {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const Node& node = nodes_[i];
            if (!node.is_leaf()) {
                find_between(i + 1, nodes_[i + 1].behind, found);
                continue;
            }
            for (std::uint32_t k = node.first; k < node.last; ++k) {
                const auto meet = [&](std::uint32_t other) { found(names_[k], other); };
                find_in(k + 1, node.last, boxes_[k], meet);
            }
        }
    }

private:
    /// Nodes on a way down, and one beside each: a tree of halves is no deeper than an index has bits.
    static constexpr std::size_t kDeepest = 64;

    struct Node {
        BoundingBox box;
        std::uint32_t first = 0; ///< boxes of a leaf; an inner node has none
        std::uint32_t last = 0;
        std::uint32_t behind = 0; ///< node behind the last descendant

        bool is_leaf() const noexcept { return last > first; }
    };

    void build_node(std::span<const BoundingBox> boxes, std::uint32_t first, std::uint32_t last);
    std::size_t widest_axis(std::span<const BoundingBox> boxes, std::uint32_t first, std::uint32_t last) const noexcept;
    void place_nodes() noexcept;
    double size_of_nodes() const noexcept;

    // Pairs of which one box lies below node a, the other one below node b.
    template <class Found>
    void find_between(std::size_t a, std::size_t b, Found& found) const {
        const Node& of_a = nodes_[a];
        const Node& of_b = nodes_[b];
        if (!overlap(of_a.box, of_b.box)) {
            return;
        }
        if (of_a.is_leaf() && of_b.is_leaf()) {
            for (std::uint32_t k = of_a.first; k < of_a.last; ++k) {
                const auto meet = [&](std::uint32_t other) { found(names_[k], other); };
                find_in(of_b.first, of_b.last, boxes_[k], meet);
            }
        } else if (of_b.is_leaf() || (!of_a.is_leaf() && of_a.behind - a >= of_b.behind - b)) {
            find_between(a + 1, b, found);
            find_between(nodes_[a + 1].behind, b, found);
        } else {
            find_between(a, b + 1, found);
            find_between(a, nodes_[b + 1].behind, found);
        }
    }

    template <class Found>
    void find_in(std::uint32_t first, std::uint32_t last, const BoundingBox& box, Found& found) const {
        for (std::uint32_t k = first; k < last; ++k) {
            if (overlap(boxes_[k], box)) {
                found(names_[k]);
            }
        }
    }

    template <class Found>
    void find_from(std::size_t i, const BoundingBox& box, Found& found) const {
        while (i < nodes_.size()) {
            const Node& node = nodes_[i];
            if (overlap(node.box, box)) {
                find_in(node.first, node.last, box, found);
                ++i;
            } else {
                i = node.behind;
            }
        }
    }

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> names_; ///< in the order of the leaves
    std::vector<BoundingBox> boxes_;   ///< in that order
    double size_as_built_ = 0.0;       ///< size_of_nodes, when it got its shape
};

} // namespace substep::detail
