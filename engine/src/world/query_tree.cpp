// Making the tree of queries, and how much larger its boxes are than what is in them.
#include "world/query_tree.h"

#include <cmath>
#include <utility>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "bodies/validation.h"
#include "substep/collision/convex.h"
#include "substep/collision/solid_extent.h"

namespace substep::detail {
namespace {

// Relative to coordinates and distances: by how much more boxes reach, so that rounding decides nothing. It is a few
// thousand roundings.
constexpr double kBoxRounding = 1e-12;

// By so much a quaternion may change, about half the angle in radians, before the boxes of a body are made anew: until
// then they grow by as much as a tenth of its size.
constexpr double kMostTurn = 0.05;

// Records lie apart in memory: each is prefetched this many bodies ahead.
constexpr std::size_t kRecordsAhead = 6;

bool is_finite(const BoundingBox& box) noexcept { return detail::is_finite(box.low) && detail::is_finite(box.high); }

double largest(const glm::dvec3& v) noexcept { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

double largest(const BoundingBox& box) noexcept { return std::max(largest(box.low), largest(box.high)); }

BoundingBox grown(const BoundingBox& box, double more) noexcept { return {box.low - more, box.high + more}; }

// Where a body is. What does not move is where it was put, which costs nothing to ask.
struct Place {
    glm::dvec3 x;
    glm::dquat q;
};
Place place_of(const BodyRecord& body, double now) noexcept {
    if (body.is_dynamic()) {
        return {body.now.x, normalised(body.now.q)};
    }
    if (!body.prescribed().moves()) {
        return {body.prescribed().x0, normalised(body.prescribed().q0)};
    }
    return {body.prescribed().position(now), body.prescribed().orientation(now)};
}

bool is_finite(const Place& place) noexcept { return detail::is_finite(place.x) && detail::is_finite(place.q); }

// How far (m) a shape reaches from a point at most.
double reach_from(const glm::dvec3& point, const Shape& shape, const Pose& pose) noexcept {
    return bounding_radius(shape) + glm::length(pose.position - point);
}

} // namespace

void QueryTree::moved(BodyId body) noexcept {
    if (state_.load(std::memory_order_relaxed) != State::Current || is_moved_[body.index] != 0) {
        return;
    }
    if (moved_count_ == kMostMoved) {
        all_moved();
        return;
    }
    is_moved_[body.index] = 1;
    moved_[moved_count_++] = body.index;
}

void QueryTree::forget_moved() noexcept {
    for (std::size_t i = 0; i < moved_count_; ++i) {
        is_moved_[moved_[i]] = 0;
    }
    moved_count_ = 0;
}

void QueryTree::refresh(const BodyTable& bodies, double now) {
    if (state_.load(std::memory_order_acquire) == State::Current) {
        return;
    }
    const std::scoped_lock lock(making_);
    const State state = state_.load(std::memory_order_relaxed);
    if (state == State::Current) { // somebody made it while this thread waited
        return;
    }
    state_.store(State::Outdated, std::memory_order_relaxed); // for a host whose memory ends on the way
    if (state == State::Outdated || any_nowhere_ || !follow(bodies, now)) {
        build(bodies, now);
    }
    state_.store(State::Current, std::memory_order_release);
}

void QueryTree::build(const BodyTable& bodies, double now) {
    parts_.clear();
    in_tree_.clear();
    endless_.clear();
    carriers_.clear();
    tight_boxes_.clear();
    boxes_.clear();
    any_nowhere_ = false;
    moved_count_ = 0;
    first_part_.assign(bodies.index_limit(), 0);
    is_moved_.assign(bodies.index_limit(), 0);
    for (const BodyId id : bodies.ids()) {
        const BodyRecord& body = bodies[id];
        first_part_[id.index] = static_cast<std::uint32_t>(parts_.size());
        if (body.colliders.empty()) {
            continue;
        }
        const Place place = place_of(body, now);
        if (!is_finite(place)) { // its path threw
            any_nowhere_ = true;
            continue;
        }
        const Pose of_body = pose_at(body, place.x, place.q);
        std::uint32_t which = 0;
        for (const ColliderRecord& collider : body.colliders.all()) {
            const Part part{id, which++};
            if (collider.desc.is_trigger) {
                continue;
            }
            const Shape& shape = collider.desc.shape;
            const Pose pose = placed(of_body, collider.desc);
            const auto number = static_cast<std::uint32_t>(parts_.size());
            parts_.push_back(part);
            const BoundingBox box = is_bounded(shape) ? box_of(shape, pose) : kEverywhere;
            if (is_finite(box)) {
                in_tree_.push_back(number);
                tight_boxes_.push_back({box, reach_from(place.x, shape, pose)});
                boxes_.push_back(box);
            } else {
                endless_.push_back(number);
            }
        }
        carriers_.push_back({id, static_cast<std::uint32_t>(boxes_.size()), place.x, place.q, place.x, place.q});
    }
    tree_.build(boxes_);
}

// Moves the boxes along with their bodies. Returns false where the tree has to be made anew for that.
bool QueryTree::follow(const BodyTable& bodies, double now) {
    forget_moved();
    bool any_moved = false;
    std::uint32_t box = 0;
    for (std::size_t i = 0; i < carriers_.size(); ++i) {
        if (i + kRecordsAhead < carriers_.size()) {
            prefetch_record(bodies[carriers_[i + kRecordsAhead].body]);
        }
        Carrier& carrier = carriers_[i];
        const BodyRecord& body = bodies[carrier.body];
        const Place place = place_of(body, now);
        const std::uint32_t first = std::exchange(box, carrier.last_box);
        if (place.x == carrier.x_seen && place.q == carrier.q_seen) {
            continue;
        }
        any_moved = true;
        carrier.x_seen = place.x;
        carrier.q_seen = place.q;
        const double turned = glm::length(place.q - carrier.q);
        if (!is_finite(place)) {
            return false;
        }
        if (turned > kMostTurn) {
            if (!renew_boxes(body, first, carrier)) {
                return false;
            }
            continue;
        }
        // A point of a body that turns goes no further than twice as much of its distance as the quaternion changes by.
        const glm::dvec3 way = place.x - carrier.x;
        for (std::uint32_t k = first; k < carrier.last_box; ++k) {
            const TightBox& tight = tight_boxes_[k];
            const BoundingBox there{tight.box.low + way, tight.box.high + way};
            boxes_[k] = grown(there, 2.0 * turned * tight.reach + kBoxRounding * (largest(there) + tight.reach));
            if (!is_finite(boxes_[k])) {
                return false;
            }
        }
    }
    if (any_moved) {
        tree_.build(boxes_);
    }
    return true;
}

// Makes the boxes of a body anew, where they fit closely again. Returns false where one has no end.
bool QueryTree::renew_boxes(const BodyRecord& body, std::uint32_t first, Carrier& carrier) noexcept {
    carrier.x = carrier.x_seen;
    carrier.q = carrier.q_seen;
    const Pose of_body = pose_at(body, carrier.x, carrier.q);
    for (std::uint32_t k = first; k < carrier.last_box; ++k) {
        const ColliderDesc& collider = body.colliders.all()[parts_[in_tree_[k]].place].desc;
        const Pose pose = placed(of_body, collider);
        tight_boxes_[k] = {box_of(collider.shape, pose), reach_from(carrier.x, collider.shape, pose)};
        boxes_[k] = tight_boxes_[k].box;
        if (!is_finite(boxes_[k])) {
            return false;
        }
    }
    return true;
}

BoundingBox QueryTree::box_of(const Shape& shape, const Pose& pose) noexcept {
    const ShapeSolid of_shape = solid_of(shape);
    const BoundingBox box =
        box_about(of_shape.solid, {pose.position, rotation_matrix(pose.orientation) * of_shape.rotation});
    return grown(box, kBoxRounding * largest(box));
}

// How much larger boxes have to be for what begins at a point: what is far away is seen with the rounding of its
// distance.
double QueryTree::slack_from(const glm::dvec3& point) const noexcept {
    const BoundingBox& whole = tree_.whole();
    return kBoxRounding * std::max(largest(whole.low - point), largest(whole.high - point));
}

} // namespace substep::detail
