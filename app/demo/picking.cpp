// Which body of a scene a ray meets.
#include "picking.h"

#include <algorithm>
#include <variant>

#include "mesh.h"
#include "substep/collision/ray_cast.h"

namespace substep {

namespace {

// Of a rod's half length: how thick it is for a click at least. Rods are easier to see than to hit.
constexpr double kThinnestRod = 0.04;

// What a click meets for a shape: the shape, but of a plane the part of it that is drawn.
Shape clicked_shape(const Shape& shape) {
    if (const auto* rod = std::get_if<ThinRod>(&shape)) {
        return ThinRod{rod->half_length, std::max(rod->radius, kThinnestRod * rod->half_length)};
    }
    const double extent = drawn_radius(shape);
    return is_bounded(shape) ? shape : Box{{extent, 0.0, extent}};
}

} // namespace

std::optional<Picked> pick(const SceneGraph& graph, const glm::dvec3& origin, const glm::dvec3& direction) {
    std::optional<Picked> first;
    Ray ray{origin, direction};
    for (NodeIndex index = 0; index < graph.nodes().size(); ++index) {
        const NodeAppearance* const appearance = graph.visible(index);
        const BodyId body = graph.body_of(index);
        if (appearance == nullptr || body == kGround) continue;
        const Pose pose = graph.world_pose(index);
        const std::optional<RayHit> hit =
            cast_ray(ray, clicked_shape(appearance->shape), pose.position, pose.orientation);
        if (hit && (!first || hit->distance < first->distance)) {
            first = Picked{body, origin + hit->distance * direction, hit->distance};
            ray.length = hit->distance;
        }
    }
    return first;
}

} // namespace substep
