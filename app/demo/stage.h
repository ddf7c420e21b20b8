// Where a scene stands: its ground, and the space that its bodies can reach.
#pragma once

#include <glm/vec3.hpp>

#include "substep/scenes/scene.h"

namespace substep {

struct Stage {
    glm::vec3 centre{0.0f};
    float radius = 1.0f;        ///< m, of the space around the centre that bodies can reach
    float ground_height = 0.0f; ///< m
    bool ends = false;          ///< its recommended time is short: bodies fly away, or are at rest by then
};

/// Finds the stage of a scene that stands at its start.
Stage stage_of(const Scene& scene);

} // namespace substep
