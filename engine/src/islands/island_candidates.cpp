// Records of the contact table -> constraints, and back.
#include "islands/island_candidates.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "archive/prefetch.h"
#include "soft_steps/thread_team.h"
#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

constexpr std::size_t kRecordsOfPart = 512; // of a team
constexpr std::size_t kRecordsAhead = 16;   // whose bodies are fetched
constexpr std::uint32_t kPrescribedEnd = 0xffffffffu;

bool is_of(const UnilateralConstraint& constraint, const ColliderPair& pair) noexcept {
    const std::size_t a = constraint.id[0] == pair.a ? 0 : 1;
    return constraint.id[a] == pair.a && constraint.id[1 - a] == pair.b && constraint.collider[a] == pair.collider_a &&
           constraint.collider[1 - a] == pair.collider_b;
}

glm::dvec3 surface_velocity(const BodyRecord& body, const ColliderDesc& collider) noexcept {
    const glm::dvec3& velocity = collider.material.surface_velocity;
    return velocity == glm::dvec3(0.0) ? velocity : glm::conjugate(body.principal_to_body) * velocity;
}

bool has_end(const UnilateralConstraint& constraint, BodyId body) noexcept {
    return constraint.id[0] == body || constraint.id[1] == body;
}

} // namespace

void IslandCandidates::clear() noexcept {
    forget_records();
    forget_constraints();
    reports_.clear();
}

void IslandCandidates::forget_constraints() noexcept {
    pile_.clear();
    constraints_.clear();
    solids_.clear();
    prescribed_ends_.clear();
    touched_bodies_.clear();
    touched_motions_.clear();
}

std::span<const UnilateralConstraint> IslandCandidates::make_room(std::size_t count, std::size_t bodies) {
    record_numbers_.reserve(count);
    reports_.reserve(count);
    prescribed_ends_.reserve(count);
    previous_ends_.reserve(count);
    touched_bodies_.reserve(count);
    touched_motions_.reserve(count);
    if (count > static_cast<std::size_t>(kMostContacts)) { // of fewer pairs modes hold the points
        make_room_for_pile(count, bodies);
    }
    UnilateralConstraint of_balls; // bodies with corners make more room where they meet others
    of_balls.features[0].radius = 1.0;
    constraints_.assign(count, of_balls);
    return constraints_;
}

void IslandCandidates::make_room_for_pile(std::size_t pairs, std::size_t bodies) {
    pile_.make_room(pairs, bodies);
    pile_ends_.reserve(pairs);
}

std::size_t IslandCandidates::point_count(const Model& model) const noexcept {
    std::size_t count = 0;
    for (const std::size_t number : record_numbers_) {
        count += model.contacts.pairs()[number].point_count;
    }
    return count;
}

std::size_t IslandCandidates::touching(const Model& model) const noexcept {
    std::size_t count = 0;
    for (const std::size_t number : record_numbers_) {
        count += model.contacts.touching(model.contacts.pairs()[number]);
    }
    return count;
}

bool IslandCandidates::have_changed(const Model& model) const noexcept {
    if (!pile_.empty()) {
        return !pile_.are_of(model, record_numbers_);
    }
    std::size_t next = 0;
    for (const std::size_t number : record_numbers_) {
        const ContactPair& pair = model.contacts.pairs()[number];
        if (pair.is_of_pile()) {
            return true; // these are not: it is new
        }
        for (std::uint32_t point = 0; point < pair.point_count; ++point, ++next) {
            if (next == constraints_.size() || !is_of(constraints_[next], pair)) {
                return true;
            }
        }
    }
    return next != constraints_.size();
}

void IslandCandidates::find_prescribed_ends(const Model& model, const IslandParts& parts, bool as_in_last_step) {
    std::swap(previous_ends_, prescribed_ends_);
    prescribed_ends_.clear();
    for (const std::size_t number : record_numbers_) {
        const ContactPair& pair = model.contacts.pairs()[number];
        for (const BodyId id : {pair.a, pair.b}) {
            const BodyRecord& body = model.bodies[id];
            if (parts.number_of(id, body) < 0) {
                prescribed_ends_.push_back({id, as_in_last_step ? body.step_motion() : body.prescribed()});
            }
        }
    }
    list_touched(model, parts);
}

// The same, with the numbers of all others on the way.
void IslandCandidates::find_ends_of_pile(const Model& model, const IslandParts& parts, ThreadTeam* team) {
    const std::span<const ContactPair> pairs = model.contacts.pairs();
    pile_ends_.resize(record_numbers_.size());
    for_parts(team, record_numbers_.size(), kRecordsOfPart, [&](std::size_t first, std::size_t last) {
        const auto number_of = [&](BodyId id) {
            const int number = parts.number_of(id, model.bodies[id]);
            return number < 0 ? kPrescribedEnd : static_cast<std::uint32_t>(number);
        };
        for (std::size_t i = first; i < last; ++i) {
            if (i + kRecordsAhead < last) {
                const BodyRecord& later = model.bodies[pairs[record_numbers_[i + kRecordsAhead]].b];
                prefetch(&later.slot, sizeof(later.slot));
            }
            const ContactPair& pair = pairs[record_numbers_[i]];
            pile_ends_[i] = {number_of(pair.a), number_of(pair.b)};
        }
    });
    std::swap(previous_ends_, prescribed_ends_);
    prescribed_ends_.clear();
    const auto for_prescribed = [&](const auto& take) {
        for (std::size_t i = 0; i < pile_ends_.size(); ++i) {
            if (pile_ends_[i].a == kPrescribedEnd) {
                take(pairs[record_numbers_[i]].a, pile_ends_[i].a);
            }
            if (pile_ends_[i].b == kPrescribedEnd) {
                take(pairs[record_numbers_[i]].b, pile_ends_[i].b);
            }
        }
    };
    for_prescribed([&](BodyId id, std::uint32_t) { prescribed_ends_.push_back({id, model.bodies[id].prescribed()}); });
    list_touched(model, parts);
    for_prescribed(
        [&](BodyId id, std::uint32_t& number) { number = static_cast<std::uint32_t>(end_at(model, parts, id).body); });
}

void IslandCandidates::list_touched(const Model& model, const IslandParts& parts) {
    std::ranges::sort(prescribed_ends_, {}, [&](const PrescribedEnd& end) { return model.contacts.rank(end.id); });
    prescribed_ends_.erase(std::unique(prescribed_ends_.begin(), prescribed_ends_.end()), prescribed_ends_.end());
    touched_bodies_.clear();
    touched_motions_.clear();
    for (const PrescribedEnd& end : prescribed_ends_) {
        if (parts.prescribed_number_of(end.id) < 0) {
            touched_bodies_.push_back(end.id);
            touched_motions_.push_back(end.motion);
        }
    }
}

bool IslandCandidates::any_touched_moves(const Model& model) const noexcept {
    return std::ranges::any_of(prescribed_ends_, [&](const PrescribedEnd& end) {
        const BodyRecord* const body = model.bodies.find(end.id);
        return body != nullptr && body->prescribed().moves();
    });
}

ContactEnd IslandCandidates::end_at(const Model& model, const IslandParts& parts, BodyId id) const noexcept {
    if (const int number = parts.number_of(id, model.bodies[id]); number >= 0) {
        return {static_cast<std::size_t>(number), true};
    }
    if (const int number = parts.prescribed_number_of(id); number >= 0) {
        return {static_cast<std::size_t>(number), false};
    }
    const auto rank_of = [&](BodyId each) { return model.contacts.rank(each); };
    const auto place = std::ranges::lower_bound(touched_bodies_, rank_of(id), {}, rank_of) - touched_bodies_.begin();
    return {parts.numbered.size() + static_cast<std::size_t>(place), false};
}

void IslandCandidates::make_constraints(const Model& model, const IslandParts& parts, bool as_in_last_step) {
    find_prescribed_ends(model, parts, as_in_last_step);
    pile_.clear();
    constraints_.clear();
    solids_.clear();
    std::uint64_t row = 0; // of a pair: pairs are in the order of their names
    for (const std::size_t number : record_numbers_) {
        const ContactPair& pair = model.contacts.pairs()[number];
        UnilateralConstraint constraint;
        const ColliderDesc& a = model.bodies[pair.a].colliders[pair.collider_a];
        const ColliderDesc& b = model.bodies[pair.b].colliders[pair.collider_b];
        const bool b_first = is_reversed(a.shape, b.shape);
        constraint.id = b_first ? std::array{pair.b, pair.a} : std::array{pair.a, pair.b};
        constraint.collider =
            b_first ? std::array{pair.collider_b, pair.collider_a} : std::array{pair.collider_a, pair.collider_b};
        for (std::size_t e = 0; e < 2; ++e) {
            constraint.end[e] = end_at(model, parts, constraint.id[e]);
        }
        const BodyRecord& first = model.bodies[constraint.id[0]];
        const BodyRecord& second = model.bodies[constraint.id[1]];
        const ColliderDesc& of_first = b_first ? b : a;
        const ColliderDesc& of_second = b_first ? a : b;
        constraint.surface = model.contacts.surface(model.bodies, pair);
        constraint.surface_velocity = {surface_velocity(first, of_first), surface_velocity(second, of_second)};
        const bool is_fixed = have_fixed_features(of_first.shape, of_second.shape);
        if (!is_fixed) {
            SolidPair& solids = solids_.emplace_back(solid_pair(first, of_first, second, of_second));
            solids.end = constraint.end;
            solids.first = constraints_.size();
            solids.count = pair.point_count;
            constraint.solids = static_cast<int>(solids_.size()) - 1;
        }
        for (const ContactPoint& point : model.contacts.points(pair)) {
            constraint.key = {row, point.feature};
            constraint.memory = point.memory;
            if (is_fixed) { // a plane has no other feature than its first
                constraint.features = {feature_of(first, of_first, static_cast<std::uint32_t>(point.feature)),
                                       feature_of(second, of_second, 0)};
            } else {
                hold_as_remembered(solids_.back(), constraint);
            }
            constraints_.push_back(constraint);
        }
        ++row;
    }
}

// Prescribed bodies that the pile made last touches may move otherwise now.
void IslandCandidates::follow_touched(const Model& model) {
    previous_ends_.assign(prescribed_ends_.begin(), prescribed_ends_.end());
    for (PrescribedEnd& end : prescribed_ends_) {
        end.motion = model.bodies[end.id].prescribed();
    }
    for (std::size_t i = 0; i < touched_bodies_.size(); ++i) {
        touched_motions_[i] = model.bodies[touched_bodies_[i]].prescribed();
    }
}

void IslandCandidates::make_pile(const Model& model, const IslandParts& parts, ThreadTeam* team) {
    if (pile_.is_of(model.contacts.changes())) {
        return follow_touched(model);
    }
    find_ends_of_pile(model, parts, team);
    constraints_.clear();
    solids_.clear();
    pile_.clear();
    for (const BodyId id : parts.numbered) {
        pile_.add_body(model.bodies.find(id));
    }
    for (const BodyId id : touched_bodies_) {
        pile_.add_body(&model.bodies[id]);
    }
    pile_.add_pairs(model, record_numbers_, pile_ends_, team);
}

bool IslandCandidates::are_those_of(const ContactSolver& contacts) const noexcept {
    if (constraints_.size() != contacts.pairs()) {
        return false;
    }
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
        if (constraints_[i].id != contacts[i].id || constraints_[i].collider != contacts[i].collider) {
            return false;
        }
    }
    // Both lists have the same order. The previous one may name bodies besides, whose pairs were forgotten since.
    auto previous = previous_ends_.begin();
    for (const PrescribedEnd& end : prescribed_ends_) {
        previous = std::find(previous, previous_ends_.end(), end);
        if (previous == previous_ends_.end()) {
            return false;
        }
    }
    return true;
}

bool IslandCandidates::forget_constraints_of(BodyId body) {
    if (pile_.name(body)) {
        pile_.clear(); // it is made anew where the next step begins
        return true;
    }
    // The others keep their numbers; the path of a body that is destroyed must not be followed any more.
    const auto touched = std::ranges::find(touched_bodies_, body);
    if (touched != touched_bodies_.end()) {
        touched_motions_[static_cast<std::size_t>(touched - touched_bodies_.begin())] = {};
    }
    const bool had_any =
        std::erase_if(constraints_, [&](const UnilateralConstraint& each) { return has_end(each, body); }) > 0;
    // Solids go with their constraints, which have other numbers now.
    std::size_t kept = 0;
    int before = UnilateralConstraint::kNoSolids;
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
        UnilateralConstraint& constraint = constraints_[i];
        if (!constraint.is_of_solids()) {
            continue;
        }
        if (constraint.solids != before) {
            before = constraint.solids;
            solids_[kept] = solids_[static_cast<std::size_t>(before)];
            solids_[kept++].first = i;
        }
        constraint.solids = static_cast<int>(kept) - 1;
    }
    solids_.resize(kept);
    return had_any;
}

bool IslandCandidates::name(BodyId body) const noexcept {
    return pile_.name(body) ||
           std::ranges::any_of(constraints_, [&](const UnilateralConstraint& each) { return has_end(each, body); });
}

void IslandCandidates::recall_memory(Model& model) const noexcept {
    for (const std::size_t number : pile_.empty() ? std::span<const std::size_t>() : records()) {
        model.contacts.recall(number);
    }
}

void IslandCandidates::keep_memory(Model& model, const ContactSolver& contacts) const noexcept {
    std::size_t next = 0;
    for (const std::size_t number : record_numbers_) {
        for (ContactPoint& point : model.contacts.points(model.contacts.pairs()[number])) {
            const UnilateralConstraint& constraint = contacts[next++];
            point.memory = constraint.memory;
            point.feature = constraint.key.feature;
        }
    }
}

} // namespace substep::detail
