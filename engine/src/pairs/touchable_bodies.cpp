// Filters, triggers and joints: who may touch whom.
#include "pairs/touchable_bodies.h"

#include <algorithm>

#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

// A body that touches every other one of its kind: pairs of these need no further look at what they are.
bool is_plain(const BodyRecord& body) noexcept {
    if (!body.is_dynamic() || body.colliders.size() != 1) {
        return false;
    }
    const ColliderRecord& only = body.colliders.front();
    return only.number == 0 && only.desc.is_enabled && !only.desc.is_trigger && is_solid(only.desc.shape) &&
           only.desc.filter == CollisionFilter{} && can_collide(only.desc.shape, only.desc.shape);
}

std::pair<std::uint32_t, std::uint32_t> indices_of(BodyId a, BodyId b) noexcept {
    return {std::min(a.index, b.index), std::max(a.index, b.index)};
}

} // namespace

void TouchableBodies::list(const BodyTable& bodies, std::span<const BodyPair> joined) {
    bounded_.clear();
    dynamic_.clear();
    unbounded_.clear();
    has_triggers_ = has_resistance_ = false;
    are_plain_.assign(bodies.index_limit(), 0);
    bounded_.reserve(bodies.ids().size());
    dynamic_.reserve(bodies.ids().size());
    for (const BodyId id : bodies.ids()) {
        const BodyRecord& body = bodies[id];
        bool is_bounded_body = false;
        for (const ColliderRecord& collider : body.colliders.all()) {
            const Material& material = collider.desc.material;
            has_triggers_ |= collider.desc.is_trigger;
            has_resistance_ |= material.rolling_resistance > 0.0 || material.spinning_resistance > 0.0;
            if (!collider.desc.is_enabled) {
                continue;
            }
            if (is_bounded(collider.desc.shape)) {
                is_bounded_body = true;
            } else {
                unbounded_.push_back({id, collider.number});
            }
        }
        if (is_bounded_body) {
            bounded_.push_back(id);
            if (body.is_dynamic()) {
                dynamic_.push_back(id);
                are_plain_[id.index] = is_plain(body) ? 1 : 0;
            }
        }
    }
    joined_.clear();
    for (const auto& [a, b] : joined) {
        joined_.push_back(indices_of(a, b));
    }
    std::ranges::sort(joined_);
}

// Of two that may meet one answers, or one is a trigger and one is moved.
bool TouchableBodies::can_touch(const BodyRecord& body_a, const ColliderDesc& a, const BodyRecord& body_b,
                                const ColliderDesc& b) noexcept {
    if (a.is_trigger && b.is_trigger) {
        return false;
    }
    const bool is_of_trigger = a.is_trigger || b.is_trigger;
    const bool matters = is_of_trigger ? body_a.motion != MotionType::Static || body_b.motion != MotionType::Static
                                       : body_a.is_dynamic() || body_b.is_dynamic();
    return matters && a.is_enabled && b.is_enabled && a.filter.lets_touch(b.filter) && can_collide(a.shape, b.shape);
}

bool TouchableBodies::lets_touch(const BodyTable& bodies, const ColliderPair& pair) const noexcept {
    const ColliderDesc* const a = bodies[pair.a].colliders.find(pair.collider_a);
    const ColliderDesc* const b = bodies[pair.b].colliders.find(pair.collider_b);
    return a != nullptr && b != nullptr && can_touch(bodies[pair.a], *a, bodies[pair.b], *b) &&
           are_apart(pair.a, pair.b);
}

bool TouchableBodies::are_apart(BodyId a, BodyId b) const noexcept {
    return !std::ranges::binary_search(joined_, indices_of(a, b));
}

} // namespace substep::detail
