// Records of the contact table -> the solids and pairs of a pile, and back.
#include "islands/island_pile.h"

#include <algorithm>
#include <utility>

#include "contact/solid_pairs.h"
#include "soft_steps/thread_team.h"
#include "substep/collision/shape_pairs.h"

namespace substep::detail {
namespace {

// Reach of a solid that was not made yet.
constexpr double kNotMade = -1.0;

// Parts of a team.
constexpr std::size_t kPairsOfPart = 256;
constexpr std::size_t kSolidsOfPart = 128;

// Floor and walls.
constexpr std::size_t kFewPrescribed = 6;

glm::dvec3 surface_velocity(const BodyRecord& body, const ColliderDesc& collider, double t) noexcept {
    const glm::dvec3& velocity = collider.material.surface_velocity;
    return velocity == glm::dvec3(0.0) ? velocity
                                       : orientation_of(body, t) * (glm::conjugate(body.principal_to_body) * velocity);
}

} // namespace

void IslandPile::clear() noexcept {
    names_.clear();
    pairs_.clear();
    far_solids_.clear();
    solids_.clear();
    first_solids_.clear();
    sources_.clear();
    is_lasting_ = false;
}

void IslandPile::make_room(std::size_t pairs, std::size_t bodies) {
    names_.reserve(pairs);
    pairs_.reserve(pairs);
    ranks_.reserve(pairs);
    far_solids_.reserve(pairs);
    solids_.reserve(bodies + kFewPrescribed);
    sources_.reserve(bodies + kFewPrescribed);
    are_named_.reserve(bodies + kFewPrescribed);
    first_solids_.reserve(bodies + kFewPrescribed + 1);
}

void IslandPile::add_body(const BodyRecord* body) {
    const auto number = static_cast<std::uint32_t>(first_solids_.size());
    first_solids_.push_back(static_cast<std::uint32_t>(solids_.size()));
    for (std::size_t i = 0; body != nullptr && i < body->colliders.size(); ++i) {
        PileSolid& solid = solids_.emplace_back();
        solid.body = number;
        solid.carried.reach = kNotMade;
        sources_.push_back({body, static_cast<std::uint32_t>(i)});
    }
}

void IslandPile::add_pairs(const Model& model, std::span<const std::size_t> records, std::span<const Ends> ends,
                           ThreadTeam* team) {
    const std::span<const ContactPair> pairs = model.contacts.pairs();
    ranks_.resize(records.size());
    std::uint32_t near = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        ranks_[i] = near;
        near += pairs[records[i]].is_near_of_pile() ? 1 : 0;
    }
    names_.resize(records.size());
    pairs_.resize(near);
    far_solids_.resize(records.size() - near);
    first_solids_.push_back(static_cast<std::uint32_t>(solids_.size())); // behind the last body
    are_named_.assign(solids_.size(), 0);
    for_parts(team, records.size(), kPairsOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            add_pair(model, pairs[records[i]], ends[i], i);
        }
    });
    make_solids(team);
    changes_ = model.contacts.changes();
    is_lasting_ =
        std::ranges::all_of(pairs_, [](const PilePair& pair) { return pair.surface_velocity == glm::dvec3(0.0); });
}

// Several threads may name one. Not every standard library has std::atomic_ref.
void IslandPile::name_solid(std::uint32_t solid) noexcept {
    __atomic_store_n(&are_named_[solid], std::uint8_t{1}, __ATOMIC_RELAXED);
}

void IslandPile::make_solids(ThreadTeam* team) {
    for_parts(team, solids_.size(), kSolidsOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            if (are_named_[i] != 0) {
                const Source& source = sources_[i];
                solids_[i].carried = carried_solid(*source.body, source.body->colliders.all()[source.collider].desc);
            }
        }
    });
    sources_.clear();
}

// Writes what is of this pair alone. Most are far in many heaps, and not a look is taken at their bodies, which lie all
// over the memory.
void IslandPile::add_pair(const Model& model, const ContactPair& pair, const Ends& ends, std::size_t number) {
    const auto solid_of = [&](BodyId body, std::uint32_t collider, std::uint32_t end) {
        const std::uint32_t first = first_solids_[end];
        const bool is_alone = first_solids_[end + 1] == first + 1;
        return is_alone ? first : first + model.bodies[body].colliders.place_of(collider);
    };
    Named& named = names_[number] = {{pair.a, pair.collider_a}, {pair.b, pair.collider_b}};
    std::array<std::uint32_t, 2> solids{solid_of(pair.a, pair.collider_a, ends.a),
                                        solid_of(pair.b, pair.collider_b, ends.b)};
    name_solid(solids[0]);
    name_solid(solids[1]);
    if (!pair.is_near_of_pile()) {
        far_solids_[number - ranks_[number]] = solids;
        return;
    }
    const BodyRecord& a = model.bodies[pair.a];
    const BodyRecord& b = model.bodies[pair.b];
    const ColliderDesc& of_a = a.colliders[pair.collider_a];
    const ColliderDesc& of_b = b.colliders[pair.collider_b];
    const bool b_first = is_reversed(of_a.shape, of_b.shape);
    if (b_first) {
        std::swap(named.first, named.second);
        std::swap(solids[0], solids[1]);
    }
    const SurfacePair surface = model.contacts.surface(model.bodies, pair);
    const double t = model.time.now();
    PilePair& made = pairs_[ranks_[number]];
    made.solid = solids;
    made.key = number; // they come in the order of their names
    made.memory = pair.memory;
    made.friction = surface.friction;
    made.static_friction = surface.static_friction;
    made.restitution = surface.restitution;
    made.rolling_resistance = surface.rolling_resistance;
    made.spinning_resistance = surface.spinning_resistance;
    made.surface_velocity = surface_velocity(b_first ? b : a, b_first ? of_b : of_a, t) -
                            surface_velocity(b_first ? a : b, b_first ? of_a : of_b, t);
}

bool IslandPile::name(BodyId body) const noexcept {
    return std::ranges::any_of(
        names_, [&](const Named& named) { return named.first.body == body || named.second.body == body; });
}

bool IslandPile::are_of(const Model& model, std::span<const std::size_t> records) const noexcept {
    return std::ranges::equal(records, names_, [&](std::size_t number, const Named& named) {
        const ContactPair& pair = model.contacts.pairs()[number];
        const ColliderId a{pair.a, pair.collider_a};
        const ColliderId b{pair.b, pair.collider_b};
        return (named.first == a && named.second == b) || (named.first == b && named.second == a);
    });
}

void IslandPile::report(std::span<const TouchingPoint> touching, double slow_slip, ThreadTeam* team,
                        std::vector<Contact>& contacts) const {
    if (contacts.capacity() < touching.size()) { // there will be more while bodies come together
        contacts.reserve(2 * touching.size());
    }
    contacts.resize(touching.size()); // those of the step before are written over: thousands that need not be made
    for_parts(team, touching.size(), kPairsOfPart, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const TouchingPoint& point = touching[i];
            const Named& named = names_[pairs_[point.pair].key];
            Contact& contact = contacts[i];
            contact.body_a = named.first.body;
            contact.body_b = named.second.body;
            contact.point = point.point;
            contact.normal = point.normal;
            contact.gap = point.gap;
            contact.mode = point.force == glm::dvec3(0.0)        ? ContactMode::Separate
                           : glm::length(point.slip) > slow_slip ? ContactMode::Slide
                                                                 : ContactMode::Stick;
            contact.force = point.force;
            contact.slip = point.slip;
            contact.collider_a = named.first;
            contact.collider_b = named.second;
        }
    });
}

} // namespace substep::detail
