// Which body of a scene a ray meets.
#include "picking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "mesh.h"

namespace substep {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The box in which a click meets a shape: thin rods are easier to hit than to see.
glm::dvec3 click_box(const Shape& shape) {
    const glm::dvec3 half = half_sizes(shape);
    const bool is_rod = std::holds_alternative<ThinRod>(shape);
    return is_rod ? glm::max(half, glm::dvec3(0.0, 0.04 * half.x, 0.04 * half.x)) : half;
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
        const NodeAppearance* const appearance = graph.visible(index);
        const BodyId body = graph.body_of(index);
        if (appearance == nullptr || body == kGround) continue;
        const Pose pose = graph.world_pose(index);
        const glm::dquat to_local = glm::conjugate(pose.orientation);
        const glm::dvec3 from = to_local * (origin - pose.position);
        const glm::dvec3 along = to_local * direction;
        const auto* sphere = std::get_if<Sphere>(&appearance->shape);
        const double distance = sphere != nullptr ? meet_sphere(from, along, sphere->radius)
                                                  : meet_box(from, along, click_box(appearance->shape));
        if (distance < kNever && (!first || distance < first->distance)) {
            first = Picked{body, origin + distance * direction, distance};
        }
    }
    return first;
}

} // namespace substep
