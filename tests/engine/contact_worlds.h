// Small worlds with contacts.
#pragma once

#include <algorithm>
#include <cmath>

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

/// What was seen of a world.
struct Watched {
    bool arrived = true;  ///< each step reached its end
    double deepest = 0.0; ///< m: the largest overlap of contacts behind a frame
};

inline Watched advance_and_watch(World& world, int frames) {
    Watched seen;
    for (int frame = 0; frame < frames; ++frame) {
        seen.arrived = world.advance(kFrame).status == StepStatus::ReachedTarget && seen.arrived;
        for (const Contact& contact : world.contacts()) {
            seen.deepest = std::max(seen.deepest, -contact.gap);
        }
    }
    return seen;
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

/// The ground, and four walls upright on it, `half` (m) from the origin: what is set down between them stays together.
inline void add_trench(World& world, double half, const Material& material) {
    const double quarter = 0.5 * std::acos(-1.0);
    const glm::dvec3 x(1.0, 0.0, 0.0);
    const glm::dvec3 z(0.0, 0.0, 1.0);
    add_ground(world, material);
    BodyDesc wall;
    wall.motion = MotionType::Static;
    wall.shape = Plane{};
    wall.material = material;
    for (const double side : {-1.0, 1.0}) {
        wall.pose = {side * half * x, glm::angleAxis(side * quarter, z)};
        world.create_body(wall);
    }
    for (const double side : {-1.0, 1.0}) {
        wall.pose = {side * half * z, glm::angleAxis(-side * quarter, x)};
        world.create_body(wall);
    }
}

inline BodyDesc sphere(const glm::dvec3& position, double radius, const Material& material) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = Sphere{radius};
    desc.material = material;
    desc.pose.position = position;
    return desc;
}

inline BodyId add_sphere(World& world, const glm::dvec3& position, double radius, const Material& material) {
    return world.create_body(sphere(position, radius, material));
}

/// Islands with all that happens at events: spheres that fall, bounce, slide, roll and hit one another on the ground,
/// and arms that swing against their hard and soft limits and stick by dry friction. The ledger is on.
inline World eventful_world(const IntegratorSettings& integrator, int threads = 1) {
    WorldSettings settings = contact_settings(integrator);
    settings.energy_ledger = true;
    settings.threads = threads;
    World world(settings);
    const Material material{.friction = 0.3, .restitution = 0.5};
    add_ground(world, material);
    for (int i = 0; i < 6; ++i) {
        const double x = 3.0 * i;
        BodyDesc rolling = sphere({x, 0.2, 0.0}, 0.2, material);
        rolling.linear_velocity = {0.5 + 0.1 * i, 0.0, 0.0};
        world.create_body(rolling);
        add_sphere(world, {x + 0.5, 0.3 + 0.05 * i, 0.02 * i}, 0.2, material);

        BodyDesc arm;
        arm.mass = 1.0;
        arm.shape = Box{{0.25, 0.05, 0.05}};
        arm.pose.position = {x + 0.25, 3.0, 0.0};
        arm.collides = false;
        const BodyId body = world.create_body(arm);
        JointDesc joint = hinge(world, kGround, body, {x, 3.0, 0.0}, {0.0, 0.0, 1.0});
        const JointLimit hard{.lower = -0.3 - 0.1 * i, .restitution = 0.6};
        const JointLimit soft{.lower = -0.3 - 0.1 * i, .stiffness = 200.0, .damping = 0.5};
        joint.limits = {i % 2 == 0 ? hard : soft};
        joint.friction = {{.dry = i % 3 == 0 ? 0.2 : 0.0}};
        world.create_joint(joint);
    }
    return world;
}

} // namespace engine_tests
