// Building a tree of boxes.
#include "pairs/box_tree.h"

#include <algorithm>
#include <numeric>

namespace substep::detail {
namespace {

// Boxes of a leaf. In heaps and clouds of 1000 to 10 000 spheres 2 and 8 take as long.
constexpr std::uint32_t kLeaf = 4;

} // namespace

void BoxTree::reserve(std::size_t boxes) {
    given_.reserve(boxes);
    names_.reserve(boxes);
    boxes_.reserve(boxes);
    nodes_.reserve(2 * boxes);
}

void BoxTree::build(std::span<const BoundingBox> boxes) {
    if (std::ranges::equal(boxes, given_)) {
        return;
    }
    given_.assign(boxes.begin(), boxes.end());
    if (names_.size() != given_.size()) { // else the last order is nearly right
        names_.resize(given_.size());
        std::iota(names_.begin(), names_.end(), 0u);
    }
    nodes_.clear();
    if (!given_.empty()) {
        build_node(0, static_cast<std::uint32_t>(given_.size()));
    }
    boxes_.resize(given_.size());
    std::ranges::transform(names_, boxes_.begin(), [&](std::uint32_t name) { return given_[name]; });
}

void BoxTree::build_node(std::uint32_t first, std::uint32_t last) {
    const std::size_t here = nodes_.size();
    nodes_.emplace_back();
    if (last - first <= kLeaf) {
        BoundingBox box = given_[names_[first]];
        for (std::uint32_t k = first + 1; k < last; ++k) {
            box = hull(box, given_[names_[k]]);
        }
        nodes_[here] = {box, first, last, static_cast<std::uint32_t>(here + 1)};
        return;
    }
    const auto axis = static_cast<int>(widest_axis(first, last));
    const std::uint32_t middle = first + (last - first) / 2;
    const auto at = [&](std::uint32_t k) { return names_.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(at(first), at(middle), at(last), [&](std::uint32_t a, std::uint32_t b) {
        return given_[a].low[axis] + given_[a].high[axis] < given_[b].low[axis] + given_[b].high[axis];
    });
    build_node(first, middle);
    const std::size_t second = nodes_.size();
    build_node(middle, last);
    nodes_[here] = {hull(nodes_[here + 1].box, nodes_[second].box), 0, 0, static_cast<std::uint32_t>(nodes_.size())};
}

std::size_t BoxTree::widest_axis(std::uint32_t first, std::uint32_t last) const noexcept {
    BoundingBox centres{given_[names_[first]].low + given_[names_[first]].high};
    centres.high = centres.low;
    for (std::uint32_t k = first + 1; k < last; ++k) {
        const BoundingBox& box = given_[names_[k]];
        const glm::dvec3 twice = box.low + box.high;
        centres = hull(centres, {twice, twice});
    }
    const glm::dvec3 spread = centres.high - centres.low;
    return spread.x >= spread.y ? (spread.x >= spread.z ? 0 : 2) : (spread.y >= spread.z ? 1 : 2);
}

} // namespace substep::detail
