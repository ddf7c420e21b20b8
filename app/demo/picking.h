// Which body of a scene a ray meets.
#pragma once

#include <optional>

#include <glm/vec3.hpp>

#include "substep/scenes/scene_graph.h"

namespace substep {

/// Where a ray meets a body.
struct Picked {
    BodyId body;
    glm::dvec3 point{0.0}; ///< m, world
    double distance = 0.0; ///< m, from the ray's origin
};

/// Returns the first body's node that the ray from `origin` along the unit vector `direction` meets; nodes that no body
/// moves are looked through. Shapes are met where they are seen, but for thin rods, which are thicker for a click.
std::optional<Picked> pick(const SceneGraph& graph, const glm::dvec3& origin, const glm::dvec3& direction);

} // namespace substep
