// The points of two solids as constraints.
#include "contact/solid_pairs.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <glm/matrix.hpp>

#include "substep/collision/ball_region.h"
#include "substep/collision/narrow_phase.h"

namespace substep::detail {
namespace {

// Units of work (ContactWork): measured, a distance of two boxes takes 0.5 us where a body's evaluation, which counts
// 16, takes 0.1 us; with a hull of 24 vertices it takes 2.5 us, with a cylinder 5 to 12 us.
constexpr std::int64_t kWorkOfPolytopes = 80;
constexpr std::int64_t kWorkOfHulls = 400;
constexpr std::int64_t kWorkOfRound = 1000;

// Of the smaller reach: solids that come so near count as met where looks at their ways are made.
constexpr double kMet = 1e-4;
constexpr int kMostLooks = 16;

// Keys of constraints without a point: behind those of all parts.
constexpr std::uint64_t kNoParts = std::numeric_limits<std::uint64_t>::max() - Manifold::kMaxPoints;

glm::dvec3 ball_in_solid(const SolidPair& pair, const Placement& body_0, const Placement& body_1) noexcept {
    const Placement at = pair.solids[1].placed(body_1);
    return (pair.solids[0].placed(body_0).position - at.position) * at.rotation;
}

// Gives the constraint of a ball the feature that holds it until it comes to the border of the part.
void hold_ball(const SolidPair& pair, Part part, UnilateralConstraint& constraint) noexcept {
    const Placement& in_body = pair.solids[1].in_body;
    Feature& feature = constraint.features[1];
    feature = feature_of_region(pair.solids[1].solid, part);
    feature.point = in_body.position + in_body.rotation * feature.point;
    feature.normal = in_body.rotation * feature.normal;
    constraint.key.feature = PartPair{{Part(PartKind::Vertex, 0), part}}.key();
    constraint.can_be_held = true;
}

Feature point_of_ball(const SolidPair& pair) noexcept {
    Feature feature;
    feature.point = pair.solids[0].in_body.position; // the same bits wherever it touches
    feature.radius = rounding_at(pair.solids[0].solid, {PartKind::Vertex, 0});
    return feature;
}

Feature point_at(const Placement& body, const glm::dvec3& on_surface, const glm::dvec3& out, double radius) noexcept {
    Feature feature;
    feature.kind = FeatureKind::Point;
    feature.point = (on_surface - radius * out - body.position) * body.rotation;
    feature.radius = radius;
    return feature;
}

// The features of a point of a manifold: on the first solid a rounded point, on the second one too where it is round,
// else its tangent plane.
FeaturePair features_at(const SolidPair& pair, const Placement& body_0, const Placement& body_1,
                        const glm::dvec3& normal, const ManifoldPoint& point) noexcept {
    FeaturePair features;
    features[0] =
        point_at(body_0, point.positions[0], -normal, rounding_at(pair.solids[0].solid, point.parts.parts[0]));
    if (is_ball(pair.solids[0].solid)) {
        features[0] = point_of_ball(pair);
    }
    const double radius = rounding_at(pair.solids[1].solid, point.parts.parts[1]);
    if (radius > 0.0) {
        // Opposite the first one: two closest points of round solids are known along their surfaces far less well than
        // the distance.
        features[1] = point_at(body_1, point.positions[0] - point.gap * normal, normal, radius);
        return features;
    }
    features[1].kind = FeatureKind::Face;
    features[1].point = (point.positions[1] - body_1.position) * body_1.rotation;
    features[1].normal = normal * body_1.rotation;
    return features;
}

} // namespace

CarriedSolid carried_solid(const BodyRecord& body, const ColliderDesc& collider) noexcept {
    const ShapeSolid of_shape = solid_of(collider.shape);
    const Pose place = in_principal_axes(body, collider);
    CarriedSolid carried;
    carried.solid = of_shape.solid;
    carried.in_body = {place.position, glm::mat3_cast(place.orientation) * of_shape.rotation};
    carried.reach = bounding_radius(collider.shape) + glm::length(carried.in_body.position);
    return carried;
}

SolidPair solid_pair(const BodyRecord& body_0, const ColliderDesc& collider_0, const BodyRecord& body_1,
                     const ColliderDesc& collider_1) noexcept {
    SolidPair pair;
    pair.solids = {carried_solid(body_0, collider_0), carried_solid(body_1, collider_1)};
    const auto is_round = [](const CarriedSolid& each) {
        const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&each.solid);
        return std::holds_alternative<TaperedCylinder>(each.solid) ||
               (capsule != nullptr && capsule->radius_bottom != capsule->radius_top);
    };
    const auto is_hull = [](const CarriedSolid& each) { return std::holds_alternative<HullView>(each.solid); };
    pair.work = std::ranges::any_of(pair.solids, is_round)  ? kWorkOfRound
                : std::ranges::any_of(pair.solids, is_hull) ? kWorkOfHulls
                                                            : kWorkOfPolytopes;
    return pair;
}

void hold_as_remembered(const SolidPair& pair, UnilateralConstraint& constraint) noexcept {
    constraint.is_absent = !is_ball(pair.solids[0].solid) || constraint.mode() == ContactMode::Separate;
    if (!constraint.is_absent) {
        constraint.features[0] = point_of_ball(pair);
        hold_ball(pair, PartPair::of(constraint.key.feature).parts[1], constraint);
    }
}

double closing_speed(const SolidPair& pair, const Twist& velocity_0, const Twist& velocity_1) noexcept {
    double speed = glm::length(velocity_0.linear - velocity_1.linear);
    for (std::size_t e = 0; e < 2; ++e) {
        const double turn = glm::length(e == 0 ? velocity_0.angular : velocity_1.angular);
        speed += turn > 0.0 ? turn * pair.solids[e].arm() : 0.0;
    }
    return speed;
}

bool meet_within(const SolidPair& pair, std::array<Placement, 2> bodies, const std::array<Twist, 2>& velocities,
                 double h) noexcept {
    const double speed = closing_speed(pair, velocities[0], velocities[1]);
    const double near = kMet * std::min(pair.solids[0].reach, pair.solids[1].reach);
    double left = h;
    for (int look = 0; look < kMostLooks; ++look) {
        const double apart = separation_of(pair, bodies[0], bodies[1]).distance;
        if (apart <= near) {
            return true;
        }
        const double step = apart / speed;
        if (!(step < left)) {
            return !(apart > speed * left); // not a number: as if they met
        }
        left -= step;
        for (std::size_t e = 0; e < 2; ++e) {
            bodies[e].position += step * velocities[e].linear;
            const glm::dquat turn = turned(glm::dquat(1.0, 0.0, 0.0, 0.0), step * velocities[e].angular);
            bodies[e].rotation = rotation_matrix(turn) * bodies[e].rotation;
        }
    }
    return true;
}

Separation separation_of(const SolidPair& pair, const Placement& body_0, const Placement& body_1) noexcept {
    return distance(pair.solids[0].solid, pair.solids[0].placed(body_0), pair.solids[1].solid,
                    pair.solids[1].placed(body_1));
}

double distance_from_border(const SolidPair& pair, const UnilateralConstraint& constraint, const Placement& body_0,
                            const Placement& body_1) noexcept {
    return distance_from_border(pair.solids[1].solid, PartPair::of(constraint.key.feature).parts[1],
                                ball_in_solid(pair, body_0, body_1));
}

bool find_points(const SolidPair& pair, const Placement& body_0, const Placement& body_1, double margin,
                 std::span<UnilateralConstraint> constraints) noexcept {
    SeparatingAxis none;
    Manifold manifold = collide(pair.solids[0].solid, pair.solids[0].placed(body_0), pair.solids[1].solid,
                                pair.solids[1].placed(body_1), margin, none);
    const auto points = std::span(manifold.points).first(static_cast<std::size_t>(manifold.count));
    for (std::size_t i = 1; i < points.size(); ++i) { // four at most
        for (std::size_t k = i; k > 0 && points[k].parts.key() < points[k - 1].parts.key(); --k) {
            std::swap(points[k], points[k - 1]);
        }
    }

    std::array<ContactMemory, Manifold::kMaxPoints> memory;
    std::array<std::uint64_t, Manifold::kMaxPoints> keys{};
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        memory[i] = constraints[i].memory;
        keys[i] = constraints[i].key.feature;
    }
    const auto holds = [](const ContactMemory& each) { return each.contact_mode() != ContactMode::Separate; };
    const auto held_before = std::ranges::count_if(memory, holds);
    const double floor = held_before == 0 ? memory[0].floor : 0.0;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        UnilateralConstraint& constraint = constraints[i];
        constraint.is_absent = i >= points.size();
        constraint.memory = {};
        if (constraint.is_absent) {
            constraint.features = {};
            constraint.key.feature = kNoParts + i;
            continue;
        }
        constraint.features = features_at(pair, body_0, body_1, manifold.normal, points[i]);
        constraint.key.feature = points[i].parts.key();
        constraint.can_be_held = false;
        if (is_ball(pair.solids[0].solid)) {
            const auto part = nearest_part(pair.solids[1].solid, ball_in_solid(pair, body_0, body_1));
            if (part) {
                hold_ball(pair, *part, constraint);
            }
        }
        for (std::size_t before = 0; before < constraints.size(); ++before) {
            if (keys[before] == constraint.key.feature) {
                constraint.memory = memory[before];
            }
        }
        if (!holds(constraint.memory)) {
            constraint.memory.floor = 0.0;
        }
    }
    if (!holds(constraints[0].memory)) {
        constraints[0].memory.floor = floor;
    }
    return std::ranges::count_if(constraints, [&](const UnilateralConstraint& each) { return holds(each.memory); }) !=
           held_before;
}

} // namespace substep::detail
