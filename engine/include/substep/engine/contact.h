// Contacts and impacts of the last step, as a world reports them.
#pragma once

#include <cstdint>
#include <string_view>

#include <glm/geometric.hpp>

#include "substep/collision/glm_types.h"
#include "substep/engine/body.h"
#include "substep/engine/joint.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// How two bodies that are near each other move.
enum class ContactMode : std::uint8_t {
    Separate, ///< apart, or touching without a force
    Slide,    ///< pressed together, with friction against the slip
    Stick     ///< pressed together without slip: at rest, or rolling
};

/// Returns "separate", "slide" or "stick".
std::string_view to_string(ContactMode mode) noexcept;

/// A pair of colliders that could touch during the last step, at the step's end: a point of them.
struct Contact {
    BodyId body_a;
    BodyId body_b;
    glm::dvec3 point{0.0};  ///< m, on the surface of body_a
    glm::dvec3 normal{0.0}; ///< unit vector from body_b towards body_a
    double gap = 0.0;       ///< m; negative: penetration
    ContactMode mode = ContactMode::Separate;
    glm::dvec3 force{0.0};   ///< N, on body_a
    glm::dvec3 slip{0.0};    ///< m/s, velocity of body_a's surface past that of body_b, belts included
    ColliderId collider_a{}; ///< of body_a
    ColliderId collider_b{};

    /// Power (W) that friction takes from the bodies: 0 or more.
    double friction_power() const noexcept { return mode == ContactMode::Slide ? -glm::dot(force, slip) : 0.0; }
};

/// Two colliders that began or ceased to touch within the last step. In a trigger what is not outside of it touches.
struct TouchEvent {
    /// s. Of a trigger when the surfaces met, along the ways that the bodies went. Else when an impact of theirs was
    /// located, or the step's end where there was none.
    double t = 0.0;
    ColliderId collider_a; ///< of the body that was created first
    ColliderId collider_b;
    bool begins = true; ///< else it ends
    bool is_trigger = false;
};

/// An impact of the last step, of two bodies or of a joint at its limit. Of a limit the point is the joint's frame_b,
/// body_a the joint's second body; speed and impulse are those of the coordinate where that is an angle: rad/s, and
/// `impulse` (N m s) and `normal` along its axis.
struct Impact {
    double t = 0.0; ///< s, located to round-off
    BodyId body_a;
    BodyId body_b;
    glm::dvec3 point{0.0};         ///< m, on the surface of body_a
    glm::dvec3 normal{0.0};        ///< unit vector from body_b towards body_a
    glm::dvec3 impulse{0.0};       ///< N s, on body_a
    double approach_speed = 0.0;   ///< m/s, along the normal, before; below zero where another impact pressed it
    double restitution_loss = 0.0; ///< J taken along the normal: -J_n (v_n- + v_n+) / 2
    double friction_loss = 0.0;    ///< J taken across it: -J_t . (u_t- + u_t+) / 2
    JointId joint{};               ///< whose limit was met; names none where two bodies were
    ColliderId collider_a{};       ///< of body_a; names none where a limit was met
    ColliderId collider_b{};
};

} // namespace substep

#pragma GCC visibility pop
