// Records of the contact table -> the solids and pairs of a pile, and back.
#include "islands/island_pile.h"

#include <algorithm>
#include <utility>

#include "contact/solid_pairs.h"

namespace substep::detail {
namespace {

// Reach of a solid that was not made yet.
constexpr double kNotMade = -1.0;

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
    is_lasting_ = false;
}

void IslandPile::complete(const PairChanges& changes) noexcept {
    changes_ = changes;
    is_lasting_ =
        std::ranges::all_of(pairs_, [](const PilePair& pair) { return pair.surface_velocity == glm::dvec3(0.0); });
}

void IslandPile::make_room(std::size_t pairs, std::size_t bodies) {
    names_.reserve(pairs);
    pairs_.reserve(pairs);
    solids_.reserve(bodies + kFewPrescribed);
    first_solids_.reserve(bodies + kFewPrescribed);
}

void IslandPile::add_body(const BodyRecord* body) {
    const auto number = static_cast<std::uint32_t>(first_solids_.size());
    first_solids_.push_back(static_cast<std::uint32_t>(solids_.size()));
    for (std::size_t i = 0; body != nullptr && i < body->colliders.size(); ++i) {
        solids_.emplace_back().body = number;
        solids_.back().carried.reach = kNotMade;
    }
}

std::uint32_t IslandPile::solid_of(const BodyRecord& body, std::uint32_t number, std::uint32_t collider) {
    const std::uint32_t place = first_solids_[number] + body.colliders.place_of(collider);
    PileSolid& solid = solids_[place];
    if (solid.carried.reach == kNotMade) {
        solid.carried = carried_solid(body, body.colliders[collider]);
    }
    return place;
}

void IslandPile::add(const Model& model, const ContactPair& pair, bool b_first, std::uint32_t first_body,
                     std::uint32_t second_body) {
    Named named{{pair.a, pair.collider_a}, {pair.b, pair.collider_b}};
    if (b_first) {
        std::swap(named.first, named.second);
    }
    const BodyRecord& first = model.bodies[named.first.body];
    const BodyRecord& second = model.bodies[named.second.body];
    const std::array<std::uint32_t, 2> solids{solid_of(first, first_body, named.first.number),
                                              solid_of(second, second_body, named.second.number)};
    if (!pair.is_near_of_pile()) {
        names_.push_back(named);
        far_solids_.push_back(solids);
        return;
    }
    const ColliderDesc& of_first = first.colliders[named.first.number];
    const ColliderDesc& of_second = second.colliders[named.second.number];
    const SurfacePair surface = model.contacts.surface(model.bodies, pair);
    const double t = model.time.now();
    PilePair made;
    made.solid = solids;
    made.key = names_.size(); // they come in the order of their names
    made.memory = pair.memory;
    made.friction = surface.friction;
    made.static_friction = surface.static_friction;
    made.restitution = surface.restitution;
    made.rolling_resistance = surface.rolling_resistance;
    made.spinning_resistance = surface.spinning_resistance;
    made.surface_velocity = surface_velocity(first, of_first, t) - surface_velocity(second, of_second, t);
    names_.push_back(named);
    pairs_.push_back(made);
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

void IslandPile::report(std::span<const TouchingPoint> touching, double slow_slip,
                        std::vector<Contact>& contacts) const {
    for (const TouchingPoint& point : touching) {
        const Named& named = names_[pairs_[point.pair].key];
        const ContactMode mode = point.force == glm::dvec3(0.0)        ? ContactMode::Separate
                                 : glm::length(point.slip) > slow_slip ? ContactMode::Slide
                                                                       : ContactMode::Stick;
        contacts.push_back({named.first.body, named.second.body, point.point, point.normal, point.gap, mode,
                            point.force, point.slip, named.first, named.second});
    }
}

} // namespace substep::detail
