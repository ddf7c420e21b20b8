// Rays and overlaps: a tree tells which colliders may be met, and these are asked where they are now.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bodies/validation.h"
#include "substep/collision/mass_properties.h"
#include "substep/collision/narrow_phase.h"
#include "substep/collision/shape_pairs.h"
#include "substep/engine/world.h"
#include "world/query_tree.h"
#include "world/world_impl.h"

namespace substep {

using detail::BodyRecord;
using detail::ColliderRecord;
using detail::Model;
using detail::placed;
using detail::QueryTree;

namespace {

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

// A collider that queries see, where it is now.
struct PlacedPart {
    BodyId body;
    const ColliderRecord& collider;
    Pose pose;
};

PlacedPart part_now(const Model& model, const QueryTree& tree, std::uint32_t number) noexcept {
    const QueryTree::Part& part = tree.part(number);
    const BodyRecord& body = model.bodies[part.body];
    const ColliderRecord& collider = body.colliders.all()[part.place];
    const double now = model.time.now();
    const Pose of_body = detail::pose_at(body, detail::position_of(body, now), detail::orientation_of(body, now));
    return {part.body, collider, placed(of_body, collider.desc)};
}

// Calls `visit` with each hit of a ray of unit direction and the number of the part hit, in no order to rely on. It
// returns how much of the ray is still of interest (m); the search ends where that is negative.
template <class Visit>
void search_along(const Model& model, const QueryTree& tree, Ray ray, const BodyFilter& filter, const Visit& visit) {
    tree.find_along(ray, [&](std::uint32_t number) {
        const PlacedPart part = part_now(model, tree, number);
        const auto hit = cast_ray(ray, part.collider.desc.shape, part.pose.position, part.pose.orientation);
        if (hit && filter(part.body)) {
            ray.length = visit(number, {part.body, hit->distance, ray.origin + hit->distance * ray.direction,
                                        hit->normal, ColliderId{part.body, part.collider.number}});
        }
        return ray.length;
    });
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
    const Model& model = live(impl_).model;
    std::optional<RayCastHit> nearest;
    std::uint32_t number_of_nearest = 0;
    search_along(model, impl_->current_queries(), checked_ray(ray), filter,
                 [&](std::uint32_t number, const RayCastHit& hit) {
                     // Of two at the same distance the one created first.
                     if (!nearest || hit.distance < nearest->distance ||
                         (hit.distance == nearest->distance && number < number_of_nearest)) {
                         nearest = hit;
                         number_of_nearest = number;
                     }
                     return nearest->distance;
                 });
    return nearest;
}

std::vector<RayCastHit> World::cast_ray_all(const Ray& ray, BodyFilter filter) const {
    const Model& model = live(impl_).model;
    const Ray asked = checked_ray(ray);
    std::vector<std::pair<std::uint32_t, RayCastHit>> found;
    search_along(model, impl_->current_queries(), asked, filter, [&](std::uint32_t number, const RayCastHit& hit) {
        found.emplace_back(number, hit);
        return asked.length;
    });
    std::ranges::sort(found, [](const auto& a, const auto& b) {
        return a.second.distance != b.second.distance ? a.second.distance < b.second.distance : a.first < b.first;
    });
    std::vector<RayCastHit> hits(found.size());
    std::ranges::transform(found, hits.begin(), [](const auto& each) { return each.second; });
    return hits;
}

bool World::cast_ray_any(const Ray& ray, BodyFilter filter) const {
    const Model& model = live(impl_).model;
    bool is_met = false;
    search_along(model, impl_->current_queries(), checked_ray(ray), filter, [&](std::uint32_t, const RayCastHit&) {
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
    const QueryTree& tree = impl_->current_queries();
    std::vector<std::uint32_t> found; // numbers of parts
    const auto ask = [&](std::uint32_t number) {
        const PlacedPart part = part_now(model, tree, number);
        const Shape& its = part.collider.desc.shape;
        if (detail::can_collide(its, shape)) {
            const PlacedSolid other = placed_solid(its, part.pose);
            if (detail::distance(asked.solid, asked.at, other.solid, other.at).distance <= 0.0) {
                found.push_back(number);
            }
        }
    };
    tree.find(is_bounded(shape) ? QueryTree::box_of(shape, at) : QueryTree::kEverywhere, ask);

    // Each body once, in the order of creation.
    std::ranges::sort(found);
    std::vector<BodyId> bodies;
    for (const std::uint32_t number : found) {
        const BodyId id = tree.part(number).body;
        if ((bodies.empty() || bodies.back() != id) && filter(id)) {
            bodies.push_back(id);
        }
    }
    return bodies;
}

} // namespace substep
