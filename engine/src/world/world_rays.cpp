// Rays and overlaps: the bodies of a world one after the other, first by their bounding balls.
#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <glm/geometric.hpp>

#include "bodies/validation.h"
#include "substep/collision/mass_properties.h"
#include "substep/collision/narrow_phase.h"
#include "substep/collision/shape_pairs.h"
#include "substep/engine/world.h"
#include "world/world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::ColliderRecord;
using detail::Model;
using detail::placed;

namespace {

// Relative to a distance: by how much more than its radius a bounding ball reaches, so that rounding decides nothing.
constexpr double kBallRounding = 1e-12;

// Returns the ray with a direction of unit length. Throws std::invalid_argument for what is no ray.
Ray checked_ray(const Ray& ray) {
    detail::require_finite("The ray's origin", ray.origin);
    const glm::dvec3 direction = detail::require_direction("The ray's direction", ray.direction);
    if (!(ray.length >= 0.0)) {
        std::ostringstream sentence;
        sentence << "The ray's length is " << ray.length << " m; it must be 0 or more, and may be infinite.";
        throw std::invalid_argument(sentence.str());
    }
    return {ray.origin, direction, ray.length};
}

// Whether a ray of unit direction comes near a ball. One without end is near everything.
bool comes_near(const Ray& ray, const glm::dvec3& centre, double radius) noexcept {
    const glm::dvec3 away = centre - ray.origin;
    const double along = glm::dot(away, ray.direction);
    const glm::dvec3 beside = away - along * ray.direction;
    const double reach = radius + kBallRounding * std::fabs(along);
    return along + reach >= 0.0 && along - reach <= ray.length && glm::dot(beside, beside) <= reach * reach;
}

Pose pose_now(const Model& model, const BodyRecord& body) noexcept {
    const double now = model.time.now();
    return detail::pose_at(body, detail::position_of(body, now), detail::orientation_of(body, now));
}

// Calls `visit` with each body that a ray meets, in order of creation, and the hit. It returns how much of the ray is
// still of interest (m); the walk ends where that is negative.
template <class Visit>
void walk_ray(const Model& model, Ray ray, const BodyFilter& filter, const Visit& visit) {
    for (const BodyId id : model.bodies.ids()) {
        const BodyRecord& body = model.bodies[id];
        if (body.colliders.empty()) {
            continue;
        }
        const Pose of_body = pose_now(model, body);
        std::optional<bool> is_seen;
        for (const ColliderRecord& collider : body.colliders.all()) {
            const Shape& shape = collider.desc.shape;
            const Pose pose = placed(of_body, collider.desc);
            if (collider.desc.is_trigger || !comes_near(ray, pose.position, bounding_radius(shape))) {
                continue;
            }
            is_seen = is_seen ? *is_seen : filter(id);
            if (!*is_seen) {
                break;
            }
            if (const std::optional<RayHit> hit = cast_ray(ray, shape, pose.position, pose.orientation)) {
                ray.length = visit({id, hit->distance, ray.origin + hit->distance * ray.direction, hit->normal,
                                    ColliderId{id, collider.number}});
                if (ray.length < 0.0) {
                    return;
                }
            }
        }
    }
}

// Where a shape's solid is.
struct PlacedSolid {
    detail::Convex solid;
    detail::Placement at;
};

PlacedSolid placed_solid(const Shape& shape, const Pose& pose) noexcept {
    const detail::ShapeSolid solid = detail::solid_of(shape);
    return {solid.solid, {pose.position, detail::rotation_matrix(pose.orientation) * solid.rotation}};
}

} // namespace

std::optional<RayCastHit> World::cast_ray(const Ray& ray, BodyFilter filter) const {
    std::optional<RayCastHit> nearest;
    walk_ray(live(impl_).model, checked_ray(ray), filter, [&](const RayCastHit& hit) {
        if (!nearest || hit.distance < nearest->distance) { // of two at the same distance the one created first
            nearest = hit;
        }
        return nearest->distance;
    });
    return nearest;
}

std::vector<RayCastHit> World::cast_ray_all(const Ray& ray, BodyFilter filter) const {
    std::vector<RayCastHit> hits;
    walk_ray(live(impl_).model, checked_ray(ray), filter, [&](const RayCastHit& hit) {
        // Behind those that are as near and were created before.
        hits.insert(std::ranges::upper_bound(hits, hit.distance, {}, &RayCastHit::distance), hit);
        return ray.length;
    });
    return hits;
}

bool World::cast_ray_any(const Ray& ray, BodyFilter filter) const {
    bool is_met = false;
    walk_ray(live(impl_).model, checked_ray(ray), filter, [&](const RayCastHit&) {
        is_met = true;
        return -1.0;
    });
    return is_met;
}

std::vector<BodyId> World::overlapping(const Shape& shape, const Pose& pose, BodyFilter filter) const {
    const Model& model = live(impl_).model;
    mass_properties(shape, 1.0); // refuses sizes out of range
    detail::require_finite("The position", pose.position);
    const Pose at{pose.position, detail::require_orientation("The orientation", pose.orientation)};
    const PlacedSolid asked = placed_solid(shape, at);
    const double radius = bounding_radius(shape);
    std::vector<BodyId> found;
    for (const BodyId id : model.bodies.ids()) {
        const BodyRecord& body = model.bodies[id];
        if (body.colliders.empty()) {
            continue;
        }
        const Pose of_body = pose_now(model, body);
        const bool overlaps = std::ranges::any_of(body.colliders.all(), [&](const ColliderRecord& collider) {
            const Shape& its = collider.desc.shape;
            const Pose place = placed(of_body, collider.desc);
            const glm::dvec3 apart = place.position - at.position;
            const double reach = (radius + bounding_radius(its)) * (1.0 + kBallRounding);
            if (collider.desc.is_trigger || !detail::can_collide(its, shape) ||
                !(glm::dot(apart, apart) <= reach * reach)) {
                return false;
            }
            const PlacedSolid other = placed_solid(its, place);
            return detail::distance(asked.solid, asked.at, other.solid, other.at).distance <= 0.0;
        });
        if (overlaps && filter(id)) {
            found.push_back(id);
        }
    }
    return found;
}

} // namespace substep
