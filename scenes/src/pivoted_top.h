// A symmetric body on a ball joint, under gravity: in the world, in the picture, and exactly.
#pragma once

#include <string>

#include "pose_truth.h"
#include "substep/scenes/scene.h"
#include "substep/scenes/symmetric_top.h"

namespace substep::detail {

/// What a top, or a pendulum that swings in all directions, is made of and how it starts.
struct PivotedTopDesc {
    std::string name;
    glm::dvec3 pivot{0.0};
    double distance = 0.5; ///< m, from the pivot to the centre of mass along the body's y
    Shape shape;           ///< symmetric about the body's y
    NodeAppearance::Role role = NodeAppearance::Role::Body;
    double mass = 1.0;       ///< kg
    double tilt = 0.5;       ///< rad, of the body's y from the vertical
    double spin = 0.0;       ///< rad/s, about the body's y
    double precession = 0.0; ///< rad/s, about the vertical
};

/// One of them in a scene.
struct PivotedTop {
    ExactBody exact; ///< with the body itself
    SymmetricTop motion;
};

/// Returns what the exact motion needs to know of such a body: moments of inertia about the pivot, m g l.
SymmetricTopDesc symmetric_top_desc(const PivotedTopDesc& desc);

/// Adds a body, its ball joint and its nodes, with a thin rod from the pivot and a ball at it. Throws
/// std::invalid_argument where SymmetricTop does.
PivotedTop add_pivoted_top(Scene& scene, const PivotedTopDesc& desc);

/// Returns a channel of the tilt (rad) of the truth's body at that place.
PoseChannel tilt_channel(std::size_t body, const char* name = "tilt");

/// Returns a channel of a coordinate (m) of the truth's body at that place: 0 for x, 1 for y, 2 for z.
PoseChannel position_channel(std::size_t body, int axis, const char* name);

} // namespace substep::detail
