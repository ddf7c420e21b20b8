// A path as the vertices of a ribbon that faces the camera.
#pragma once

#include <span>
#include <vector>

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

namespace substep {

/// What trail.vert is given: a point, the direction across which the ribbon is wide, which edge (-1 or 1, 0 in the
/// middle), and the age, 0 new to 1 gone.
struct TrailVertex {
    glm::vec3 position; ///< m
    glm::vec3 along;
    glm::vec2 side_age;
};

/// From where a ribbon is seen, and what of it.
struct TrailSight {
    glm::vec3 eye;    ///< m
    glm::vec3 target; ///< m
    float reach;      ///< m: the ribbon begins behind the last point farther than this from the target
    float half_width; ///< m
};

/// Writes the path's triangle strip to `vertices`, whatever they were: a pair for each point that is a tenth of
/// the half width from the last, and where the path turns sharply a round corner at the outside of the turn.
void make_trail_ribbon(std::span<const glm::vec3> points, const TrailSight& sight, std::vector<TrailVertex>& vertices);

} // namespace substep
