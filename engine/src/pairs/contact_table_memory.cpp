// What pairs remember: taken back with a step, handed over from regime to regime.
#include "pairs/contact_table.h"

#include <algorithm>
#include <cstddef>

#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

// The same pair among others in the order that `before` tells, or null.
template <class Before>
const ContactPair* find_pair(std::span<const ContactPair> pairs, const ContactPair& pair, const Before& before) {
    const auto place = std::ranges::lower_bound(pairs, pair, before);
    return place != pairs.end() && *place == pair ? &*place : nullptr;
}

} // namespace

void ContactTable::recall(std::size_t number) noexcept {
    const ContactPair& pair = pairs_[number];
    if (!pair.is_near_of_pile()) {
        return;
    }
    const ContactPair* const earlier = find_pair(earlier_pairs_, pair, before());
    const bool was_near = earlier != nullptr && earlier->is_near_of_pile();
    memories_[pair.memory] = was_near ? earlier_memories_[earlier->memory] : PairMemory{};
}

void ContactTable::set_far(std::size_t number, bool is_far) {
    ContactPair& pair = pairs_[number];
    if (is_far == (pair.memory == ContactPair::kFarOfPile)) {
        return;
    }
    ++changes_.of_memory;
    if (is_far) {
        pair.memory = ContactPair::kFarOfPile;
    } else {
        pair.memory = static_cast<std::uint32_t>(memories_.size());
        memories_.emplace_back();
    }
}

// Forces go on, along the normal alone. Soft steps have other depths at rest, and are told so.
void ContactTable::hand_over(const BodyTable& bodies, std::size_t number, bool to_pile, double t) {
    ++changes_.of_memory;
    ContactPair& pair = pairs_[number];
    is_scattered_ |= to_pile ? pair.point_count > 0 : pair.is_near_of_pile(); // what it remembered by is nobody's
    const Shape& first = bodies[pair.a].colliders[pair.collider_a].shape;
    const Shape& second = bodies[pair.b].colliders[pair.collider_b].shape;
    // Features that never change have numbers; of planes they are those of corners.
    const bool is_numbered = have_fixed_features(first, second);
    if (to_pile) {
        PairMemory memory;
        for (const ContactPoint& point : points(pair)) {
            const double force = glm::length(point.memory.force);
            if (force > 0.0 && memory.count < memory.points.size()) {
                const PartPair corner{
                    {Part(PartKind::Vertex, static_cast<std::uint32_t>(point.feature)), Part(PartKind::Face, 0)}};
                PairMemory::Point& kept = memory.points[memory.count++];
                kept.feature = is_numbered ? corner.key() : point.feature;
                kept.force = force;
                memory.forces_by = ForcesBy::Others;
            }
        }
        pair.point_count = 0;
        if (memory.count == 0) { // whether it is near is found next, and few are
            pair.memory = ContactPair::kFarOfPile;
            return;
        }
        pair.memory = static_cast<std::uint32_t>(memories_.size());
        memories_.push_back(memory);
        return;
    }
    const PairMemory memory = this->memory(pair);
    const BodyRecord& owner = bodies[is_reversed(first, second) ? pair.b : pair.a];
    const glm::dvec3 normal = orientation_of(owner, t) * memory.normal;
    pair.memory = ContactPair::kNoMemory;
    pair.first_point = static_cast<std::uint32_t>(points_.size());
    pair.point_count = add_points(bodies, pair, points_);
    const std::span<ContactPoint> points = this->points(pair);
    std::size_t next = 0;
    for (std::size_t i = 0; i < memory.count; ++i) {
        const PairMemory::Point& point = memory.points[i];
        const std::size_t place = is_numbered ? PartPair::of(point.feature).parts[0].index() : next++;
        if (place < points.size()) {
            points[place].feature = is_numbered ? place : point.feature;
            points[place].memory.force = point.force * normal;
        }
    }
}

// Gives a pair the memory that it had where the step began.
void ContactTable::take_back(ContactPair& pair) {
    const ContactPair* const earlier = find_pair(earlier_pairs_, pair, before());
    const bool was_known = earlier != nullptr;
    if (was_known && earlier->is_of_pile()) {
        pair.point_count = 0;
        if (!earlier->is_near_of_pile()) {
            pair.memory = ContactPair::kFarOfPile;
            return;
        }
        if (!pair.is_near_of_pile()) {
            pair.memory = static_cast<std::uint32_t>(memories_.size());
            memories_.emplace_back();
        }
        memories_[pair.memory] = earlier_memories_[earlier->memory];
        return;
    }
    if (pair.is_of_pile() && was_known) { // it became one of a pile since
        pair.memory = ContactPair::kNoMemory;
        pair.first_point = static_cast<std::uint32_t>(points_.size());
        pair.point_count = earlier->point_count;
        points_.resize(points_.size() + pair.point_count);
    } else if (pair.is_of_pile()) {
        if (pair.is_near_of_pile()) {
            memories_[pair.memory] = {};
        }
        return;
    }
    for (std::uint32_t i = 0; i < pair.point_count; ++i) {
        points_[pair.first_point + i] =
            was_known && i < earlier->point_count ? earlier_points_[earlier->first_point + i] : ContactPoint{i, {}};
    }
}

} // namespace substep::detail
