// Building a tree of boxes.
#include "pairs/box_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <glm/common.hpp>
#include <glm/vector_relational.hpp>

namespace substep::detail {
namespace {

// Boxes of a leaf. In heaps and clouds of 1000 to 10 000 spheres 2 and 8 take as long.
constexpr std::uint32_t kLeaf = 4;

// A tree gets another shape where its nodes have grown by this factor, compared with the boxes in them: a search visits
// about as many nodes more.
constexpr double kOutgrown = 1.2;

// A box that overlaps none, and adds nothing to one that holds others.
constexpr BoundingBox kNowhere{glm::dvec3(std::numeric_limits<double>::max()),
                               glm::dvec3(std::numeric_limits<double>::lowest())};

bool is_nowhere(const BoundingBox& box) noexcept { return !(box.low.x <= box.high.x); }

// Half the surface of a box: how likely it is met.
double half_surface(const BoundingBox& box) noexcept {
    const glm::dvec3 d = box.high - box.low;
    return is_nowhere(box) ? 0.0 : d.x * d.y + d.y * d.z + d.z * d.x;
}

// The box, or none where it has a side that is no number, as that of a body whose path is none: it would hide the boxes
// beside it in every node.
BoundingBox sound(const BoundingBox& box) noexcept {
    return glm::any(glm::isnan(box.low)) || glm::any(glm::isnan(box.high)) ? kNowhere : box;
}

// Twice the centre of a box along an axis. Numbers alone can be put in order.
double twice_centre(const BoundingBox& box, int axis) noexcept {
    const double twice = box.low[axis] + box.high[axis];
    return std::isnan(twice) ? 0.0 : twice;
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
        std::ranges::transform(names_, boxes_.begin(), [&](std::uint32_t name) { return sound(boxes[name]); });
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
        return twice_centre(boxes[a], axis) < twice_centre(boxes[b], axis);
    });
    build_node(boxes, first, middle);
    build_node(boxes, middle, last);
    nodes_[here] = {{}, 0, 0, static_cast<std::uint32_t>(nodes_.size())};
}

std::size_t BoxTree::widest_axis(std::span<const BoundingBox> boxes, std::uint32_t first,
                                 std::uint32_t last) const noexcept {
    BoundingBox centres = kNowhere;
    for (std::uint32_t k = first; k < last; ++k) {
        const BoundingBox& box = boxes[names_[k]];
        const glm::dvec3 twice(twice_centre(box, 0), twice_centre(box, 1), twice_centre(box, 2));
        centres = hull(centres, {twice, twice});
    }
    const glm::dvec3 spread = centres.high - centres.low;
    return spread.x >= spread.y ? (spread.x >= spread.z ? 0 : 2) : (spread.y >= spread.z ? 1 : 2);
}

} // namespace substep::detail
