// How far back the camera must stand so that the picture holds a scene.
#pragma once

#include <span>
#include <vector>

#include <glm/vec3.hpp>

#include "camera.h"
#include "substep/scenes/scene.h"

namespace substep {

/// Returns the corners (m) of the boxes around what a graph shows; planes, which have no end, are left out, and
/// everything that no body moves unless `with_supports`.
std::vector<glm::vec3> corners_of(const SceneGraph& graph, bool with_supports);

/// Returns the corners of everything that the scene shows at its start and, as far as its exact motion tells, of all
/// that moves within its recommended time.
std::vector<glm::vec3> corners_to_come(const Scene& scene);

/// Whether all points lie well within a picture, and above the controls at its lower end.
bool holds(const Camera& camera, std::span<const glm::vec3> points, float aspect);

/// Moves the camera to and fro until it is as near as it can be for the picture to hold the points, but no nearer than
/// 0.85 of its distance.
void fit(Camera& camera, std::span<const glm::vec3> points, float aspect);

} // namespace substep
