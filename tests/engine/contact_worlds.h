// Small worlds with contacts.
#pragma once

#include <substep/substep.h>

#include "test_worlds.h"

namespace engine_tests {

inline constexpr double kGravity = 9.8;

inline WorldSettings contact_settings(const IntegratorSettings& integrator) {
    WorldSettings settings;
    settings.gravity = {0.0, -kGravity, 0.0};
    settings.integrator = integrator;
    return settings;
}

/// The half space below a plane through the origin, tilted by `tilt` (rad) about z: it falls towards -x... +x.
inline BodyId add_ground(World& world, const Material& material, double tilt = 0.0) {
    BodyDesc ground;
    ground.motion = MotionType::Static;
    ground.shape = Plane{};
    ground.material = material;
    ground.pose.orientation = glm::angleAxis(tilt, glm::dvec3(0.0, 0.0, 1.0));
    return world.create_body(ground);
}

inline BodyDesc sphere(const glm::dvec3& position, double radius, const Material& material) {
    BodyDesc desc;
    desc.shape = Sphere{radius};
    desc.material = material;
    desc.pose.position = position;
    return desc;
}

inline BodyId add_sphere(World& world, const glm::dvec3& position, double radius, const Material& material) {
    return world.create_body(sphere(position, radius, material));
}

} // namespace engine_tests
