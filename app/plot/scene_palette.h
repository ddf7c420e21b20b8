// Colours of the picture of a scene.
#pragma once

#include <glm/vec3.hpp>

namespace substep {

/// Colours of the picture, in the display's encoding, 0 to 1.
struct ScenePalette {
    glm::vec3 backdrop_top;
    glm::vec3 backdrop_low;
    glm::vec3 ground;
    glm::vec3 grid;
    glm::vec3 key_light; ///< may exceed 1
    glm::vec3 sky_light;
    glm::vec3 bounce_light;
    float shadow_depth = 0.6f; ///< how dark a shadow on the ground is, 0 to 1
    glm::vec3 simulated;       ///< accent of the simulated bodies
    glm::vec3 structure;       ///< their rods and links
    glm::vec3 support;         ///< what does not move
    glm::vec3 exact;           ///< the ghost
    glm::vec3 twin;
};

} // namespace substep
