// Which body of a scene a ray meets.
#include "picking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "mesh.h"

namespace substep {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Half sizes of the box around a shape, m; a margin makes thin things easier to hit.
glm::dvec3 half_sizes(const Shape& shape) {
    const double r = bounding_radius(shape);
    if (const auto* box = std::get_if<Box>(&shape)) return box->half_sizes;
    if (const auto* rod = std::get_if<Rod>(&shape)) {
        const double thick = std::max(rod->radius, 0.02 * rod->length);
        return {0.5 * rod->length, thick, thick};
    }
    if (const auto* capsule = std::get_if<Capsule>(&shape)) return {capsule->radius, r, capsule->radius};
    if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
        return {cylinder->radius, cylinder->half_length, cylinder->radius};
    }
    return glm::dvec3(r);
}

// Distance along the ray to a box about the origin: the slab method (Kay & Kajiya, SIGGRAPH 1986).
double meet_box(const glm::dvec3& origin, const glm::dvec3& direction, const glm::dvec3& half) {
    double near = 0.0;
    double far = kNever;
    for (int k = 0; k < 3; ++k) {
        if (direction[k] == 0.0) {
            if (std::abs(origin[k]) > half[k]) return kNever;
            continue;
        }
        const double a = (-half[k] - origin[k]) / direction[k];
        const double b = (half[k] - origin[k]) / direction[k];
        near = std::max(near, std::min(a, b));
        far = std::min(far, std::max(a, b));
    }
    return near <= far ? near : kNever;
}

double meet_sphere(const glm::dvec3& origin, const glm::dvec3& direction, double radius) {
    const double along = -glm::dot(origin, direction);
    const double discriminant = along * along - glm::dot(origin, origin) + radius * radius;
    return discriminant < 0.0 || along < 0.0 ? kNever : along - std::sqrt(discriminant);
}

} // namespace

std::optional<Picked> pick(const SceneGraph& graph, const glm::dvec3& origin, const glm::dvec3& direction) {
    std::optional<Picked> first;
    for (NodeIndex index = 0; index < graph.nodes().size(); ++index) {
        const Node& node = graph.nodes()[index];
        // The body is that of the node itself or of a parent that carries it.
        BodyId body = node.body;
        for (NodeIndex up = node.parent; body == kWorldBody && up != kNoNode; up = graph.nodes()[up].parent) {
            body = graph.nodes()[up].body;
        }
        if (!node.appearance || body == kWorldBody) continue;
        const Pose pose = graph.world_pose(index);
        const glm::dquat to_local = glm::conjugate(pose.orientation);
        const glm::dvec3 from = to_local * (origin - pose.position);
        const glm::dvec3 along = to_local * direction;
        const auto* sphere = std::get_if<Sphere>(&node.appearance->shape);
        const double distance = sphere != nullptr ? meet_sphere(from, along, sphere->radius)
                                                  : meet_box(from, along, half_sizes(node.appearance->shape));
        if (distance < kNever && (!first || distance < first->distance)) {
            first = Picked{body, origin + distance * direction, distance};
        }
    }
    return first;
}

} // namespace substep
