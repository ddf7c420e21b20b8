// Building a tree of boxes.
#include "pairs/box_tree.h"

#include <algorithm>
#include <numeric>

namespace substep::detail {
namespace {

// Boxes of a leaf. In heaps and clouds of 1000 to 10 000 spheres 2 and 8 take as long.
constexpr std::uint32_t kLeaf = 4;

// A tree gets another shape where its nodes have grown by this factor, compared with the boxes in them: a search visits
// about as many nodes more.
constexpr double kOutgrown = 1.2;

// Half the surface of a box: how likely it is met.
double half_surface(const BoundingBox& box) noexcept {
    const glm::dvec3 d = box.high - box.low;
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

} // namespace

void BoxTree::reserve(std::size_t boxes) {
    names_.reserve(boxes);
    boxes_.reserve(boxes);
    nodes_.reserve(boxes); // leaves hold two boxes at least
}

void BoxTree::build(std::span<const BoundingBox> boxes) {
    const bool has_shape = names_.size() == boxes.size();
    if (!has_shape) { // else the last order is nearly right
        names_.resize(boxes.size());
        std::iota(names_.begin(), names_.end(), 0u);
        boxes_.resize(boxes.size());
    }
    const auto take_boxes = [&] {
        std::ranges::transform(names_, boxes_.begin(), [&](std::uint32_t name) { return boxes[name]; });
        place_nodes();
    };
    if (has_shape) {
        take_boxes();
        if (size_of_nodes() <= kOutgrown * size_as_built_) {
            return;
        }
    }
    nodes_.clear();
    if (!boxes.empty()) {
        build_node(boxes, 0, static_cast<std::uint32_t>(boxes.size()));
    }
    take_boxes();
    size_as_built_ = size_of_nodes();
}

// The boxes of all nodes, from those of the leaves: descendants come behind.
void BoxTree::place_nodes() noexcept {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        Node& node = nodes_[i];
        if (node.is_leaf()) {
            node.box = boxes_[node.first];
            for (std::uint32_t k = node.first + 1; k < node.last; ++k) {
                node.box = hull(node.box, boxes_[k]);
            }
        } else {
            node.box = hull(nodes_[i + 1].box, nodes_[nodes_[i + 1].behind].box);
        }
    }
}

// How large nodes are, compared with the boxes.
double BoxTree::size_of_nodes() const noexcept {
    double of_nodes = 0.0;
    double of_boxes = 0.0;
    for (const Node& node : nodes_) {
        of_nodes += half_surface(node.box);
    }
    for (const BoundingBox& box : boxes_) {
        of_boxes += half_surface(box);
    }
    return of_boxes > 0.0 ? of_nodes / of_boxes : of_nodes;
}

void BoxTree::build_node(std::span<const BoundingBox> boxes, std::uint32_t first, std::uint32_t last) {
    const std::size_t here = nodes_.size();
    nodes_.emplace_back();
    if (last - first <= kLeaf) {
        nodes_[here] = {{}, first, last, static_cast<std::uint32_t>(here + 1)};
        return;
    }
    const auto axis = static_cast<int>(widest_axis(boxes, first, last));
    const std::uint32_t middle = first + (last - first) / 2;
    const auto at = [&](std::uint32_t k) { return names_.begin() + static_cast<std::ptrdiff_t>(k); };
    std::nth_element(at(first), at(middle), at(last), [&](std::uint32_t a, std::uint32_t b) {
        return boxes[a].low[axis] + boxes[a].high[axis] < boxes[b].low[axis] + boxes[b].high[axis];
    });
    build_node(boxes, first, middle);
    build_node(boxes, middle, last);
    nodes_[here] = {{}, 0, 0, static_cast<std::uint32_t>(nodes_.size())};
}

std::size_t BoxTree::widest_axis(std::span<const BoundingBox> boxes, std::uint32_t first,
                                 std::uint32_t last) const noexcept {
    BoundingBox centres{boxes[names_[first]].low + boxes[names_[first]].high};
    centres.high = centres.low;
    for (std::uint32_t k = first + 1; k < last; ++k) {
        const BoundingBox& box = boxes[names_[k]];
        const glm::dvec3 twice = box.low + box.high;
        centres = hull(centres, {twice, twice});
    }
    const glm::dvec3 spread = centres.high - centres.low;
    return spread.x >= spread.y ? (spread.x >= spread.z ? 0 : 2) : (spread.y >= spread.z ? 1 : 2);
}

} // namespace substep::detail
