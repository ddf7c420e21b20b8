// Which bodies of a world can touch others at all, and which of their colliders.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bodies/body_store.h"
#include "pairs/pair_key.h"
#include "substep/collision/bounds.h"

namespace substep::detail {

using BodyPair = std::array<BodyId, 2>;

/// All of a body that has an end, or one of its colliders where just that one is near.
struct Nearby {
    static constexpr std::uint32_t kAll = 0xffffffffu;

    BodyId body;
    std::uint32_t collider = kAll;
    auto operator<=>(const Nearby&) const = default;

    /// Whether this collider of the body is meant.
    bool means(const ColliderRecord& record) const noexcept {
        return collider == kAll ? is_bounded(record.desc.shape) : collider == record.number;
    }
};

/// Bodies with colliders, by what decides whether two of them may touch: filters, triggers, joints. Wherever they are.
class TouchableBodies {
public:
    /// Lists them anew; `joined` are the pairs that a joint connects, which do not touch. Allocates.
    void list(const BodyTable& bodies, std::span<const BodyPair> joined);

    /// Those with colliders that have an end, and the dynamic ones of these.
    std::span<const BodyId> bounded() const noexcept { return bounded_; }
    std::span<const BodyId> dynamic() const noexcept { return dynamic_; }
    /// Colliders without end.
    std::span<const ColliderId> unbounded() const noexcept { return unbounded_; }
    bool has_triggers() const noexcept { return has_triggers_; }
    /// Whether the material of any collider resists rolling or spinning.
    bool has_resistance() const noexcept { return has_resistance_; }

    /// Whether two colliders are there, and filters and joints let them touch.
    bool lets_touch(const BodyTable& bodies, const ColliderPair& pair) const noexcept;
    /// Whether no joint connects two bodies that then do not touch.
    bool are_apart(BodyId a, BodyId b) const noexcept;
    /// Whether two bodies have one collider each, and nothing speaks against these. False where that takes a look.
    bool touch_plainly(BodyId a, BodyId b) const noexcept {
        return are_plain_[a.index] != 0 && are_plain_[b.index] != 0 && joined_.empty();
    }

    /// Appends the pairs of colliders of two bodies that may touch and of which `comes(collider, collider)` is true.
    template <class Comes>
    void add_pairs(const BodyTable& bodies, const Nearby& a, const Nearby& b, std::vector<ColliderPair>& found,
                   const Comes& comes) const {
        if (!are_apart(a.body, b.body)) {
            return;
        }
        const BodyRecord& body_a = bodies[a.body];
        const BodyRecord& body_b = bodies[b.body];
        for (const ColliderRecord& first : body_a.colliders.all()) {
            if (!a.means(first)) {
                continue;
            }
            for (const ColliderRecord& second : body_b.colliders.all()) {
                if (b.means(second) && can_touch(body_a, first.desc, body_b, second.desc) &&
                    comes(first.desc, second.desc)) {
                    found.push_back({a.body, b.body, first.number, second.number});
                }
            }
        }
    }

private:
    static bool can_touch(const BodyRecord& body_a, const ColliderDesc& a, const BodyRecord& body_b,
                          const ColliderDesc& b) noexcept;

    std::vector<BodyId> bounded_;
    std::vector<BodyId> dynamic_;
    std::vector<ColliderId> unbounded_;
    std::vector<std::uint8_t> are_plain_;                         ///< by the index of a body
    std::vector<std::pair<std::uint32_t, std::uint32_t>> joined_; ///< indices of bodies, sorted
    bool has_triggers_ = false;
    bool has_resistance_ = false;
};

} // namespace substep::detail
