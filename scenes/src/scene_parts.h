// Small parts that scenes are put together from.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "substep/scenes/scene.h"

namespace substep::detail {

inline const glm::dquat kNoTurn{1.0, 0.0, 0.0, 0.0};

/// Rotations by an angle (rad) about an axis of the world.
inline glm::dquat turn_about_x(double angle) { return {std::cos(0.5 * angle), std::sin(0.5 * angle), 0.0, 0.0}; }
inline glm::dquat turn_about_y(double angle) { return {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0}; }
inline glm::dquat turn_about_z(double angle) { return {std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle)}; }

/// Creates a body, which has a shape, and the node that shows it.
inline BodyId add_body(Scene& scene, std::string name, const BodyDesc& desc,
                       NodeAppearance::Role role = NodeAppearance::Role::Body) {
    const BodyId body = scene.world.create_body(desc);
    scene.graph.add({std::move(name), kNoNode, desc.pose, NodeAppearance{*desc.shape, role}, body});
    return body;
}

/// Returns a surface whose friction on such a one of 1 is its own.
inline Material rough(double friction) { return {.friction = friction, .friction_combine = CombineRule::Multiply}; }

/// Creates the half space below a plane through the origin that falls towards +x by `slope` (rad), and shows it.
inline void add_plane(Scene& scene, double slope, const Material& material) {
    BodyDesc plane;
    plane.motion = MotionType::Static;
    plane.pose.orientation = turn_about_z(-slope);
    plane.shape = Plane{};
    plane.material = material;
    add_body(scene, "ground", plane, NodeAppearance::Role::Support);
}

/// Shows something that no body moves.
inline void add_support(Scene& scene, std::string name, const Pose& pose, const Shape& shape) {
    scene.graph.add({std::move(name), kNoNode, pose, NodeAppearance{shape, NodeAppearance::Role::Support}, kGround});
}

} // namespace substep::detail
