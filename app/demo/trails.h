// The paths that bodies leave in the picture.
#pragma once

#include <cstddef>
#include <vector>

#include <glm/vec3.hpp>

#include "history.h"
#include "step_path.h"
#include "substep/scenes/scene.h"

namespace substep {

inline constexpr double kTrailSeconds = 2.5;
inline constexpr int kTrailPointsPerStep = 4;

/// Path of a body over the last seconds, m, oldest point first.
struct Trail {
    BodyId body;
    std::vector<glm::vec3> points;
};

/// The trails of a scene, which begin where its bodies are now.
std::vector<Trail> make_trails(const Scene& scene);

/// Where each trail's body is now, and how it moves.
std::vector<PointMotion> motions(const World& world, const std::vector<Trail>& trails);

/// Continues trails over a step of dt (s), by the cubic through both ends and their velocities where that is `smooth`,
/// else straight on.
void extend(std::vector<Trail>& trails, const std::vector<PointMotion>& from, const std::vector<PointMotion>& to,
            double dt, std::size_t most_points, bool smooth);

/// Ends trails where their bodies are at time t, so many steps before the world's.
void cut(std::vector<Trail>& trails, const World& world, const StepPath& path, double steps, double t);

} // namespace substep
