// Rules of a host about pairs that begin to meet, and colliders to meet with.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include <glm/geometric.hpp>

#include "ingredients.h"

namespace hostile {
namespace {

using namespace substep;

constexpr std::array<std::string_view, 9> kKinds{"none",    "refuses all", "refuses some", "one way",      "slow alone",
                                                 "surface", "odd surface", "throws",       "throws number"};
enum class Kind { None, RefusesAll, RefusesSome, OneWay, SlowAlone, Surface, OddSurface, Throws, ThrowsNumber };

/// Decides by who meets, where and how fast; some of its kinds fail for one pair in three, as a host's code may.
class AnyRule final : public PairRule {
public:
    Kind kind = Kind::RefusesAll;
    std::uint32_t some = 0; ///< 0 to 2: which third of the pairs
    glm::dvec3 way{0.0};
    double speed = 0.0; ///< m/s
    SurfacePair surface{};

    PairAnswer answer(const MeetingPair& pair) const override {
        const MeetingPair::End& a = pair.ends[0];
        const MeetingPair::End& b = pair.ends[1];
        // Not by the numbers of worlds, for a twin has the same rule; nor by those of colliders: one that is added
        // again after a rollback has another.
        const auto surfaces = static_cast<std::uint32_t>(1000.0 * std::min(pair.surface.friction, 1e3));
        const std::uint32_t sum = a.collider.body.index + b.collider.body.index + surfaces;
        const bool is_one_of_some = sum % 3 == some;
        switch (kind) {
        case Kind::None:
            break;
        case Kind::RefusesAll:
            return {.touch = false};
        case Kind::RefusesSome:
            return {.touch = !is_one_of_some};
        case Kind::OneWay:
            return {.touch = glm::dot(way, b.pose.position - a.pose.position) > 0.0};
        case Kind::SlowAlone:
            return {.touch = glm::length(b.linear_velocity - a.linear_velocity) < speed};
        case Kind::Surface:
        case Kind::OddSurface:
            return {.surface = is_one_of_some ? surface : pair.surface};
        case Kind::Throws:
            if (is_one_of_some) {
                throw std::runtime_error("this pair is beyond the rule");
            }
            break;
        case Kind::ThrowsNumber:
            if (is_one_of_some) {
                throw 42; // no exception of the standard's
            }
        }
        return {};
    }
};

} // namespace

std::shared_ptr<const PairRule> any_pair_rule(Draws draw) {
    auto rule = std::make_shared<AnyRule>();
    rule->kind = static_cast<Kind>(draw.one_of("kind", kKinds));
    switch (rule->kind) {
    case Kind::None:
        return nullptr;
    case Kind::RefusesAll:
        break;
    case Kind::OneWay:
        rule->way = draw.vector("way", 1.0);
        break;
    case Kind::SlowAlone:
        rule->speed = draw.decade("speed", -1.0, 2.0);
        break;
    case Kind::Surface:
        rule->surface.friction = draw.between("friction", 0.0, 1.5);
        rule->surface.static_friction = rule->surface.friction + draw.between("more_static_friction", 0.0, 0.5);
        rule->surface.restitution = draw.between("restitution", 0.0, 1.0);
        rule->some = static_cast<std::uint32_t>(draw.one_of("some", 3));
        break;
    case Kind::OddSurface:
        rule->surface.friction = draw.number("friction", [](Random& random) {
            return random.chance(0.3) ? std::numeric_limits<double>::quiet_NaN() : random.between(-1.0, 1.0);
        });
        rule->surface.static_friction = draw.between("static_friction", -1.0, 1.0);
        rule->surface.restitution = draw.between("restitution", -1.0, 3.0);
        rule->some = static_cast<std::uint32_t>(draw.one_of("some", 3));
        break;
    case Kind::RefusesSome:
    case Kind::Throws:
    case Kind::ThrowsNumber:
        rule->some = static_cast<std::uint32_t>(draw.one_of("some", 3));
    }
    return rule;
}

CollisionFilter any_filter(Draws draw) {
    CollisionFilter filter;
    if (draw.chance("is_of_some", 0.5)) {
        filter.member_of = draw.one_of("member_of", 4);
        filter.collides_with = draw.one_of("collides_with", 4);
    }
    return filter;
}

ColliderDesc any_collider(Draws draw) {
    ColliderDesc collider;
    collider.shape = any_shape(draw.part("shape"));
    collider.offset.position = draw.vector("place", 1.0);
    collider.offset.orientation = draw.orientation("turn");
    collider.material.friction = draw.between("friction", 0.0, 1.0);
    collider.material.static_friction = draw.between("static_friction", 1.0, 1.5);
    collider.material.restitution = draw.between("restitution", 0.0, 1.0);
    collider.filter = any_filter(draw.part("filter"));
    collider.is_enabled = draw.chance("is_enabled", 0.9);
    collider.is_trigger = draw.chance("is_trigger", 0.2);
    return collider;
}

void lock_any_axes(MassProperties& mass, Draws draw) {
    if (draw.has("locked_axes")) { // older found worlds turn about all
        const std::int64_t axes = draw.integer("locked_axes", [](Random& random) {
            return random.chance(0.85) ? std::int64_t{0} : 1 + static_cast<std::int64_t>(random.one_of(7));
        });
        lock_some_axes(mass, static_cast<std::size_t>(axes));
    }
}

void lock_some_axes(MassProperties& mass, std::size_t axes) {
    for (int axis = 0; axis < 3; ++axis) {
        if ((axes >> axis & 1) != 0) {
            for (int other = 0; other < 3; ++other) {
                mass.inertia[axis][other] = mass.inertia[other][axis] = 0.0;
            }
            mass.inertia[axis][axis] = std::numeric_limits<double>::infinity();
        }
    }
}

} // namespace hostile
