// The broad phase: candidates from swept bounds, which trees of boxes find.
#include "pairs/contact_table.h"
#include "bodies/tolerances.h"

#include <algorithm>

#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

constexpr int kRounds = 2; // after a hit bodies can be faster than they are now

bool is_same_pair(const ContactPair& x, const ContactPair& y) noexcept {
    return x.a == y.a && x.b == y.b && x.collider_a == y.collider_a && x.collider_b == y.collider_b;
}

bool is_dynamic(const BodyTable& bodies, BodyId id) noexcept {
    const BodyRecord* const body = bodies.find(id);
    return body != nullptr && body->is_dynamic();
}

} // namespace

void ContactTable::rank_bodies(const BodyTable& bodies) {
    rank_of_.assign(bodies.index_limit(), 0);
    std::uint32_t rank = 0;
    for (const BodyId id : bodies.ids()) {
        rank_of_[id.index] = rank++;
    }
}

bool ContactTable::list(const BodyTable& bodies, std::span<const std::array<BodyId, 2>> joined) {
    bounded_bodies_.clear();
    unbounded_bodies_.clear();
    rank_bodies(bodies);
    for (const BodyId id : bodies.ids()) {
        const BodyRecord& body = bodies[id];
        if (body.touches_others()) {
            (is_bounded(*body.shape) ? bounded_bodies_ : unbounded_bodies_).push_back(id);
        }
    }
    joined_pairs_.clear();
    for (const auto& [a, b] : joined) {
        joined_pairs_.emplace_back(std::min(a.index, b.index), std::max(a.index, b.index));
    }
    std::ranges::sort(joined_pairs_);
    const auto gone = std::erase_if(pairs_, [&](const ContactPair& pair) {
        return bodies.find(pair.a) == nullptr || bodies.find(pair.b) == nullptr || are_joined(pair.a, pair.b);
    });
    bound_of_.assign(bodies.index_limit(), 0);
    for (std::size_t i = 0; i < bounded_bodies_.size(); ++i) {
        bound_of_[bounded_bodies_[i].index] = static_cast<std::uint32_t>(i);
    }
    // Room for all pairs to come, twice: pairs that hold are listed twice for a moment.
    if (bounded_bodies_.size() + unbounded_bodies_.size() > 1) {
        const std::size_t pairs = most_contacts(bounded_bodies_.size(), unbounded_bodies_.size());
        pairs_.reserve(2 * pairs);
        points_.reserve(2 * pairs);
        found_pairs_.reserve(2 * pairs);
        found_points_.reserve(2 * pairs);
        swept_bounds_.reserve(bounded_bodies_.size());
        dynamic_bounds_.reserve(bounded_bodies_.size());
        prescribed_bounds_.reserve(bounded_bodies_.size());
        boxes_.reserve(bounded_bodies_.size());
        dynamic_tree_.reserve(bounded_bodies_.size());
        prescribed_tree_.reserve(bounded_bodies_.size());
    }
    is_list_outdated_ = false;
    return gone > 0;
}

bool ContactTable::are_joined(BodyId a, BodyId b) const noexcept {
    return std::ranges::binary_search(joined_pairs_, std::pair(std::min(a.index, b.index), std::max(a.index, b.index)));
}

bool ContactTable::update(const BodyTable& bodies, const SweptStep& step) {
    if (pairs_.empty() && (bounded_bodies_.empty() || bounded_bodies_.size() + unbounded_bodies_.size() < 2)) {
        return false;
    }

    // Finds candidates; where bodies may hit one another, once more with the speeds that a hit can give them.
    const double dt = step.t1 - step.t0;
    bound_bodies(bodies, step);
    list_bounds();
    for (int round = 0; round < kRounds; ++round) {
        found_pairs_.clear();
        for (Bound& bound : swept_bounds_) {
            bound.reach = bound.speed * dt + bound.by_force + kBoundMargin;
        }
        search(bodies);
        if (round + 1 == kRounds || found_pairs_.empty()) {
            break;
        }
        if (!let_pairs_hit()) {
            break;
        }
    }
    meet_unbounded(bodies, step);
    add_pairs_that_hold();
    return take_found(bodies);
}

// Gives each body the largest speed that one hit by a neighbour found can give it. All hits start from the speeds of
// the step's start: from speeds that pairs seen before have raised, they would double from body to body along a heap,
// until everything in it is a candidate of everything. Returns true if a body got faster.
bool ContactTable::let_pairs_hit() noexcept {
    for (Bound& bound : swept_bounds_) {
        bound.speed_after_hit = bound.speed;
    }
    for (const ContactPair& pair : found_pairs_) {
        Bound& a = swept_bounds_[bound_of_[pair.a.index]];
        Bound& b = swept_bounds_[bound_of_[pair.b.index]];
        const double most = 2.0 * (a.speed + b.speed);
        a.speed_after_hit = a.is_dynamic ? std::max(a.speed_after_hit, most) : a.speed;
        b.speed_after_hit = b.is_dynamic ? std::max(b.speed_after_hit, most) : b.speed;
    }
    bool faster = false;
    for (Bound& bound : swept_bounds_) {
        faster |= bound.speed < bound.speed_after_hit;
        bound.speed = bound.speed_after_hit;
    }
    return faster;
}

// Adds the pairs that hold to those found, each once, in the order of their keys.
void ContactTable::add_pairs_that_hold() {
    const auto holds = [](const ContactPoint& point) { return point.memory.contact_mode() != ContactMode::Separate; };
    for (const ContactPair& pair : pairs_) {
        if (std::ranges::any_of(points(pair), holds)) {
            found_pairs_.push_back(pair);
        }
    }
    std::ranges::sort(found_pairs_, [&](const ContactPair& x, const ContactPair& y) { return comes_before(x, y); });
    found_pairs_.erase(std::unique(found_pairs_.begin(), found_pairs_.end(), is_same_pair), found_pairs_.end());
}

// Takes over the pairs found. Known ones keep their points, others get one with empty memory: both lists are sorted by
// their keys. Returns true if the pairs connect other dynamic bodies than before.
bool ContactTable::take_found(const BodyTable& bodies) {
    bool connected_otherwise = false;
    const auto connects = [&](const ContactPair& pair) {
        return is_dynamic(bodies, pair.a) && is_dynamic(bodies, pair.b);
    };
    found_points_.clear();
    auto old = pairs_.begin();
    for (ContactPair& pair : found_pairs_) {
        for (; old != pairs_.end() && comes_before(*old, pair); ++old) {
            connected_otherwise |= connects(*old);
        }
        const auto first = static_cast<std::uint32_t>(found_points_.size());
        if (old != pairs_.end() && is_same_pair(*old, pair)) {
            const std::span<const ContactPoint> kept = points(*old);
            found_points_.insert(found_points_.end(), kept.begin(), kept.end());
            ++old;
        } else {
            found_points_.emplace_back();
            connected_otherwise |= connects(pair);
        }
        pair.first_point = first;
        pair.point_count = static_cast<std::uint32_t>(found_points_.size()) - first;
    }
    for (; old != pairs_.end(); ++old) {
        connected_otherwise |= connects(*old);
    }
    std::swap(pairs_, found_pairs_);
    std::swap(points_, found_points_);
    return connected_otherwise;
}

void ContactTable::bound_bodies(const BodyTable& bodies, const SweptStep& step) noexcept {
    const double t0 = step.t0;
    const double dt = step.t1 - t0;
    const double gravity = glm::length(step.gravity);
    swept_bounds_.clear();
    for (const BodyId id : bounded_bodies_) {
        const BodyRecord& body = bodies[id];
        Bound bound;
        bound.id = id;
        bound.is_dynamic = body.is_dynamic();
        bound.radius = bounding_radius(*body.shape);
        const glm::dvec3 offset = -body.mass_properties.centre_of_mass;
        const glm::dquat q = normalised(orientation_of(body, t0) * glm::conjugate(body.principal_to_body));
        bound.centre = position_of(body, t0) + q * offset;
        const Twist velocity = velocity_of(body, t0);
        bound.speed = glm::length(velocity.linear) + glm::length(velocity.angular) * glm::length(offset);
        if (bound.is_dynamic) {
            double acceleration = gravity + glm::length(body.step_wrench.force) * body.inertia.inverse_mass;
            if (step.last > 0.0) {
                acceleration += glm::length(body.step_end.v - body.step_begin.v) / step.last;
            }
            bound.by_force = acceleration * dt * dt;
        }
        swept_bounds_.push_back(bound);
    }
}

// Which bounds are those of dynamic bodies, and which of others.
void ContactTable::list_bounds() {
    dynamic_bounds_.clear();
    prescribed_bounds_.clear();
    for (std::uint32_t i = 0; i < swept_bounds_.size(); ++i) {
        (swept_bounds_[i].is_dynamic ? dynamic_bounds_ : prescribed_bounds_).push_back(i);
    }
}

void ContactTable::build_tree(BoxTree& tree, std::span<const std::uint32_t> bounds) {
    boxes_.clear();
    for (const std::uint32_t i : bounds) {
        boxes_.push_back(swept_bounds_[i].box());
    }
    tree.build(boxes_);
}

void ContactTable::search(const BodyTable& bodies) {
    const auto meet = [&](const Bound& a, const Bound& b) {
        if (overlap(a, b) && !are_joined(a.id, b.id) && can_collide(*bodies[a.id].shape, *bodies[b.id].shape)) {
            add_pair(a.id, b.id);
        }
    };
    build_tree(dynamic_tree_, dynamic_bounds_);
    dynamic_tree_.find_pairs([&](std::uint32_t a, std::uint32_t b) {
        meet(swept_bounds_[dynamic_bounds_[a]], swept_bounds_[dynamic_bounds_[b]]);
    });
    if (prescribed_bounds_.empty()) {
        return;
    }
    build_tree(prescribed_tree_, prescribed_bounds_);
    for (const std::uint32_t i : dynamic_bounds_) {
        const Bound& a = swept_bounds_[i];
        prescribed_tree_.find(a.box(), [&](std::uint32_t b) { meet(a, swept_bounds_[prescribed_bounds_[b]]); });
    }
}

// Compares each body without bounds with all that have bounds.
void ContactTable::meet_unbounded(const BodyTable& bodies, const SweptStep& step) {
    const double t0 = step.t0;
    const double dt = step.t1 - t0;
    for (const BodyId id : unbounded_bodies_) {
        const BodyRecord& body = bodies[id];
        const Pose pose = pose_at(body, position_of(body, t0), orientation_of(body, t0));
        SweptHalfSpace half_space{pose.position, pose.orientation * glm::dvec3(0.0, 1.0, 0.0)};
        const Twist velocity = velocity_of(body, t0);
        const double gain = 0.5 * glm::length(body.prescribed.acceleration_at(t0).linear) * dt; // of speed, of a path
        for (const Bound& bound : swept_bounds_) {
            const glm::dvec3 apart = bound.centre - pose.position;
            const double speed = glm::length(velocity.linear) + gain +
                                 glm::length(velocity.angular) * (glm::length(apart) + bound.reach);
            half_space.reach = speed * dt;
            if (bound.is_dynamic && overlap(bound, half_space) && !are_joined(id, bound.id) &&
                can_collide(*body.shape, *bodies[bound.id].shape)) {
                add_pair(id, bound.id);
            }
        }
    }
}

void ContactTable::add_pair(BodyId a, BodyId b) {
    found_pairs_.push_back(rank(a) < rank(b) ? ContactPair{a, b} : ContactPair{b, a});
}

} // namespace substep::detail
