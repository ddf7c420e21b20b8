// Candidates in the order of their keys, and what their points remember from step to step.
#include "pairs/contact_table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

// Bodies that pairs have room for before they come near. Lists of more grow as pairs do.
constexpr std::size_t kRoomAhead = 64;
// Pairs of piles that are remembered, in worlds of no more bodies: what each remembers is large.
constexpr std::size_t kMemoriesAhead = 48;

// Fewer pairs are sorted as they are.
constexpr std::size_t kWorthDealing = 512;

// Among so many pairs new ones are taken to be a pile's until their islands say otherwise: points that a pile drops at
// once were a third of the pages that the first frame of 1000 stacked cubes touched.
constexpr std::size_t kManyPairs = 512;

bool is_dynamic(const BodyTable& bodies, BodyId id) noexcept {
    const BodyRecord* const body = bodies.find(id);
    return body != nullptr && body->is_dynamic();
}

} // namespace

bool is_of_trigger(const BodyTable& bodies, const ColliderPair& pair) noexcept {
    return bodies[pair.a].colliders[pair.collider_a].is_trigger || bodies[pair.b].colliders[pair.collider_b].is_trigger;
}

std::uint32_t add_points(const BodyTable& bodies, const ContactPair& pair, std::vector<ContactPoint>& points) {
    const std::uint32_t count =
        point_count(bodies[pair.a].colliders[pair.collider_a].shape, bodies[pair.b].colliders[pair.collider_b].shape);
    for (std::uint32_t number = 0; number < count; ++number) {
        points.emplace_back().feature = number;
    }
    return count;
}

std::size_t ContactTable::touching(const ContactPair& pair, std::span<const ContactPoint> points,
                                   std::span<const PairMemory> memories) noexcept {
    if (pair.is_near_of_pile()) { // one that is far has no points either
        const PairMemory& memory = memories[pair.memory];
        return static_cast<std::size_t>(
            std::count_if(memory.points.begin(), memory.points.begin() + memory.count,
                          [](const PairMemory::Point& point) { return point.force > 0.0; }));
    }
    const auto of_pair = points.subspan(pair.first_point, pair.point_count);
    return static_cast<std::size_t>(std::ranges::count_if(of_pair, [](const ContactPoint& point) {
        return point.memory.contact_mode() != ContactMode::Separate || point.memory.force != glm::dvec3(0.0);
    }));
}

void ContactTable::rank_bodies(const BodyTable& bodies) {
    rank_of_.assign(bodies.index_limit(), 0);
    std::uint32_t rank = 0;
    for (const BodyId id : bodies.ids()) {
        rank_of_[id.index] = rank++;
    }
}

bool ContactTable::list(const BodyTable& bodies, std::span<const BodyPair> joined) {
    rank_bodies(bodies);
    broad_phase_.list(bodies, joined);
    const auto is_gone = [&](const ColliderPair& p) { return !lets_touch(bodies, p) || is_of_trigger(bodies, p); };
    const auto gone = std::erase_if(pairs_, is_gone);
    ++changes_.of_colliders;
    ++changes_.of_pairs;
    answers_.forget(is_gone);
    // Room for all pairs to come where bodies are few; those that hold are listed twice for a moment.
    if (broad_phase_.can_meet()) {
        const std::size_t few = std::min(broad_phase_.touchable().bounded().size(), kRoomAhead);
        const std::size_t pairs = most_contacts(few, broad_phase_.touchable().unbounded().size());
        pairs_.reserve(2 * pairs);
        points_.reserve(2 * pairs);
        earlier_pairs_.reserve(2 * pairs);
        earlier_points_.reserve(2 * pairs);
        found_pairs_.reserve(2 * pairs);
        other_pairs_.reserve(2 * pairs);
        moving_pairs_.reserve(2 * pairs);
        found_points_.reserve(2 * pairs);
        found_colliders_.reserve(pairs);
        if (few == broad_phase_.touchable().bounded().size()) {
            const std::size_t memories = std::min(pairs, kMemoriesAhead);
            memories_.reserve(memories);
            earlier_memories_.reserve(memories);
            found_memories_.reserve(memories);
        }
        missed_pairs_.reserve(pairs);
        spread_colliders_.reserve(pairs);
    }
    is_list_outdated_ = false;
    return gone > 0;
}

bool ContactTable::update(const BodyTable& bodies, const SweptStep& step, BodySteps& steps) {
    triggers_found_.clear();
    knows_last_step_ = true;
    if (!can_meet()) {
        earlier_pairs_.clear();
        return false;
    }
    found_colliders_.clear();
    std::size_t in_order = broad_phase_.find(bodies, step, steps, found_colliders_);
    in_order = broad_phase_.touchable().has_triggers() ? 0 : in_order;
    part_from_triggers(bodies);
    take_pairs(std::span(found_colliders_).subspan(in_order), other_pairs_);
    sort(other_pairs_);
    const bool is_dense = !is_scattered_ && memories_.size() <= pairs_.size();
    if (is_dense && step.rule == nullptr && are_as_before(std::span(found_colliders_).first(in_order))) {
        keep_pairs();
        return false;
    }
    merge_found(std::span(found_colliders_).first(in_order));
    if (step.rule != nullptr) {
        answers_.decide(*step.rule, bodies, step.t0, found_pairs_, before(),
                        [this](const ColliderPair& pair) { return stand_still(pair); });
    }
    return take_found(bodies);
}

// Moves the pairs of triggers to a list of their own.
void ContactTable::part_from_triggers(const BodyTable& bodies) {
    if (!broad_phase_.touchable().has_triggers()) {
        return;
    }
    const auto first = std::partition(found_colliders_.begin(), found_colliders_.end(),
                                      [&](const ColliderPair& pair) { return !is_of_trigger(bodies, pair); });
    for (auto pair = first; pair != found_colliders_.end(); ++pair) {
        triggers_found_.push_back(in_order(*pair));
    }
    if (first != found_colliders_.end()) {
        found_colliders_.erase(first, found_colliders_.end());
        sort(triggers_found_);
    }
}

ContactPair ContactTable::in_order(const ColliderPair& each) const noexcept {
    ContactPair pair{each};
    if (rank(pair.b) < rank(pair.a)) {
        std::swap(pair.a, pair.b);
        std::swap(pair.collider_a, pair.collider_b);
    }
    return pair;
}

void ContactTable::take_pairs(std::span<const ColliderPair> found, std::vector<ContactPair>& pairs) const {
    pairs.clear();
    for (const ColliderPair& each : found) {
        pairs.push_back(in_order(each));
    }
}

// Puts pairs in the order of the ranks that `rank_of` gives them, and leaves those of one rank as they are.
template <class RankOf>
void ContactTable::deal(std::vector<ContactPair>& pairs, const RankOf& rank_of) {
    deal_ends_.assign(rank_of_.size() + 1, 0);
    for (const ContactPair& pair : pairs) {
        ++deal_ends_[rank_of(pair) + 1];
    }
    std::partial_sum(deal_ends_.begin(), deal_ends_.end(), deal_ends_.begin());
    // While a deal fills up, its entry runs from the end of the one before to its own end.
    dealt_pairs_.resize(pairs.size());
    for (const ContactPair& pair : pairs) {
        dealt_pairs_[deal_ends_[rank_of(pair)]++] = pair;
    }
    std::swap(pairs, dealt_pairs_);
}

// Brings pairs into the order of their keys, each once. Where there are as many pairs as bodies they are dealt out by
// the ranks of their bodies: sorted by comparisons, the pairs of a thousand cubes in a pit took a twentieth of a frame.
void ContactTable::sort(std::vector<ContactPair>& pairs) {
    if (pairs.size() < std::max(kWorthDealing, rank_of_.size())) {
        std::ranges::sort(pairs, before());
    } else {
        deal(pairs, [&](const ContactPair& pair) { return rank(pair.b); });
        deal(pairs, [&](const ContactPair& pair) { return rank(pair.a); });
        // Pairs of compounds are left to sort: keys ask for the first body's collider before they ask for the second
        // body.
        for (auto begin = pairs.begin(); begin != pairs.end();) {
            const auto end =
                std::find_if_not(begin, pairs.end(), [&](const ContactPair& x) { return x.a == begin->a; });
            if (!std::is_sorted(begin, end, before())) {
                std::sort(begin, end, before());
            }
            begin = end;
        }
    }
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

bool ContactTable::stays(const ContactPair& pair) const noexcept {
    const auto holds = [](const ContactPoint& point) { return point.memory.contact_mode() != ContactMode::Separate; };
    return stand_still(pair) || std::ranges::any_of(points(pair), holds);
}

void ContactTable::list_moving() {
    moving_pairs_.clear();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        if (!stand_still(pairs_[i])) {
            moving_pairs_.push_back(static_cast<std::uint32_t>(i));
        }
    }
    pairs_when_listed_ = changes_.of_pairs;
    still_when_listed_ = broad_phase_.changes_of_still();
}

// Whether the pairs found, those in order and other_pairs_, are those that there are, together with such as stay. What
// stands still is not looked at.
bool ContactTable::are_as_before(std::span<const ColliderPair> in_order) const noexcept {
    if (pairs_when_listed_ != changes_.of_pairs || still_when_listed_ != broad_phase_.changes_of_still()) {
        return false;
    }
    auto first = in_order.begin();
    auto second = other_pairs_.begin();
    for (const std::uint32_t number : moving_pairs_) {
        const ContactPair& pair = pairs_[number];
        if (first != in_order.end() && *first == pair) {
            ++first;
        } else if (second != other_pairs_.end() && *second == pair) {
            ++second;
        } else if (!stays(pair)) {
            return false;
        }
    }
    return first == in_order.end() && second == other_pairs_.end();
}

// The pairs are those of the step before: what they remember is kept aside, and goes on where it is.
void ContactTable::keep_pairs() {
    const bool are_known = when_kept_ == changes_;
    if (!are_known) {
        earlier_pairs_.assign(pairs_.begin(), pairs_.end());
        when_kept_ = changes_;
    }
    if (!are_known || moving_pairs_.size() == pairs_.size()) {
        earlier_points_.assign(points_.begin(), points_.end());
        earlier_memories_.assign(memories_.begin(), memories_.end());
        return;
    }
    for (const std::uint32_t number : moving_pairs_) { // the others remember what they did
        const ContactPair& pair = pairs_[number];
        std::copy_n(points_.begin() + pair.first_point, pair.point_count, earlier_points_.begin() + pair.first_point);
        if (pair.is_near_of_pile()) {
            earlier_memories_[pair.memory] = memories_[pair.memory];
        }
    }
}

// Makes found_pairs_ of the pairs in order, of other_pairs_ and of those that stay.
void ContactTable::merge_found(std::span<const ColliderPair> in_order) {
    const std::size_t found = other_pairs_.size();
    std::ranges::copy_if(pairs_, std::back_inserter(other_pairs_),
                         [this](const ContactPair& pair) { return stays(pair); });
    if (other_pairs_.size() > found) {
        sort(other_pairs_);
    }
    found_pairs_.clear();
    auto first = in_order.begin();
    for (const ContactPair& other : other_pairs_) {
        while (first != in_order.end() && comes_before(*first, other)) {
            found_pairs_.push_back(ContactPair{*first++});
        }
        first += first != in_order.end() && *first == other ? 1 : 0; // it stays, and was found
        found_pairs_.push_back(other);
    }
    for (; first != in_order.end(); ++first) {
        found_pairs_.push_back(ContactPair{*first});
    }
}

// Takes over the pairs found. Known ones keep their points, others remember nothing, and have no points yet where they
// are many: both lists are sorted by their keys. Returns true if the pairs connect other dynamic bodies than before.
bool ContactTable::take_found(const BodyTable& bodies) {
    bool connected_otherwise = false;
    const auto connects = [&](const ContactPair& pair) {
        return is_dynamic(bodies, pair.a) && is_dynamic(bodies, pair.b);
    };
    found_points_.clear();
    found_memories_.clear();
    const bool are_many = found_pairs_.size() >= kManyPairs;
    auto old = pairs_.begin();
    for (ContactPair& pair : found_pairs_) {
        for (; old != pairs_.end() && comes_before(*old, pair); ++old) {
            connected_otherwise |= connects(*old);
        }
        const auto first = static_cast<std::uint32_t>(found_points_.size());
        if (old != pairs_.end() && *old == pair) {
            const std::span<const ContactPoint> kept = points(*old);
            found_points_.insert(found_points_.end(), kept.begin(), kept.end());
            if (old->is_near_of_pile()) {
                pair.memory = static_cast<std::uint32_t>(found_memories_.size());
                found_memories_.push_back(memories_[old->memory]);
            } else {
                pair.memory = old->memory;
            }
            ++old;
        } else {
            if (are_many) {
                pair.memory = ContactPair::kFarOfPile;
            } else {
                add_points(bodies, pair, found_points_);
            }
            connected_otherwise |= connects(pair);
        }
        pair.first_point = first;
        pair.point_count = static_cast<std::uint32_t>(found_points_.size()) - first;
    }
    for (; old != pairs_.end(); ++old) {
        connected_otherwise |= connects(*old);
    }
    std::swap(earlier_pairs_, pairs_);
    std::swap(earlier_points_, points_);
    std::swap(pairs_, found_pairs_);
    std::swap(points_, found_points_);
    std::swap(earlier_memories_, memories_);
    std::swap(memories_, found_memories_);
    // They take turns: what one has grown to the others will want.
    const std::size_t room = std::max({memories_.capacity(), earlier_memories_.capacity(), found_memories_.capacity()});
    for (std::vector<PairMemory>* const each : {&memories_, &earlier_memories_, &found_memories_}) {
        each->reserve(room);
    }
    ++changes_.of_pairs;
    is_scattered_ = false;
    list_moving();
    return connected_otherwise;
}

void ContactTable::add_touch_events(std::span<const Impact> impacts, double end,
                                    std::vector<TouchEvent>& events) const {
    if (!knows_last_step_) {
        return;
    }
    const auto touched = [&](const ContactPair& earlier) {
        return touching(earlier, earlier_points_, earlier_memories_) > 0;
    };
    auto earlier = earlier_pairs_.begin();
    const auto tell_gone = [&] { // what pressed, and no longer comes near
        if (touched(*earlier)) {
            events.push_back({end, {earlier->a, earlier->collider_a}, {earlier->b, earlier->collider_b}, false, false});
        }
    };
    for (const ContactPair& pair : pairs_) {
        const ColliderId a{pair.a, pair.collider_a};
        const ColliderId b{pair.b, pair.collider_b};
        while (earlier != earlier_pairs_.end() && comes_before(*earlier, pair)) {
            tell_gone();
            ++earlier;
        }
        const bool was_there = earlier != earlier_pairs_.end() && *earlier == pair;
        const bool did = was_there && touched(*earlier);
        earlier += was_there ? 1 : 0;
        const bool does = touches(pair);
        double first = end;
        double last = end;
        bool has_hit = false;
        for (const Impact& impact : impacts) {
            if ((impact.collider_a == a && impact.collider_b == b) ||
                (impact.collider_a == b && impact.collider_b == a)) {
                first = has_hit ? std::min(first, impact.t) : impact.t;
                last = has_hit ? std::max(last, impact.t) : impact.t;
                has_hit = true;
            }
        }
        if (!did && (does || has_hit)) {
            events.push_back({first, a, b, true, false});
        }
        if (!does && (did || has_hit)) {
            events.push_back({did ? end : last, a, b, false, false});
        }
    }
    for (; earlier != earlier_pairs_.end(); ++earlier) {
        tell_gone();
    }
}

SurfacePair ContactTable::surface(const BodyTable& bodies, const ColliderPair& pair) const noexcept {
    const PairAnswer* const answer = answers_.find(pair, before());
    return answer != nullptr && answer->surface ? *answer->surface
                                                : combine(bodies[pair.a].colliders[pair.collider_a].material,
                                                          bodies[pair.b].colliders[pair.collider_b].material);
}

bool ContactTable::resists_turning(const BodyTable& bodies, const ColliderPair& pair) const noexcept {
    if (!broad_phase_.touchable().has_resistance() && answers_.all().empty()) {
        return false;
    }
    const SurfacePair made = surface(bodies, pair);
    return made.rolling_resistance > 0.0 || made.spinning_resistance > 0.0;
}

} // namespace substep::detail
