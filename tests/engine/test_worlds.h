// Worlds that several tests of the engine build, and what is known about them.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "substep/substep.h"

namespace engine_tests {

using namespace substep;

inline constexpr double kFrame = 1.0 / 60.0;

inline IntegratorSettings fixed(const std::string& method, int substeps) {
    IntegratorSettings settings;
    settings.method = method;
    settings.substeps = substeps;
    return settings;
}

inline IntegratorSettings to_tolerance(const std::string& method, double tolerance) {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = settings.rtol = tolerance;
    return settings;
}

inline IntegratorSettings adaptive(double tolerance, Boundary boundary) {
    IntegratorSettings settings = to_tolerance("cash_karp54", tolerance);
    settings.boundary = boundary;
    return settings;
}

/// The pendulum theta'' = -9.8 sin theta as a body on a hinge: effective length 1 m, angle 0, rate -2 rad/s, g = 9.8.
struct Pendulum {
    static constexpr double kEnergyScale = 2.0; ///< J, its kinetic energy at the start

    World world;
    BodyId body;
    JointId joint;

    explicit Pendulum(const IntegratorSettings& integrator,
                      JointCorrection correction = JointCorrection::PositionProjection)
        : world({.integrator = integrator, .impulse_euler = {correction}}) {
        const double d = (1.0 + std::sqrt(0.996)) / 2.0; // d + I / (m d) = 1
        BodyDesc desc;
        desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.001)};
        desc.pose.position = {0.0, -d, 0.0};
        desc.angular_velocity = {0.0, 0.0, -2.0};
        desc.linear_velocity = {-2.0 * d, 0.0, 0.0};
        body = world.create_body(desc);
        joint = world.create_joint(hinge(world, kGround, body, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    }

    double angle() const {
        const glm::dvec3 p = world.pose(body).position;
        return std::atan2(p.x, -p.y);
    }
    double energy_change(const Energy& start) const { return (world.energy().total() - start.total()) / kEnergyScale; }
};

/// theta'' = -9.8 sin theta from (0, -2), frame by frame: RK4 at 100 substeps, whose own error after 10 000 frames is
/// below 1e-12 rad (it falls with h^4 from 5.9e-11 at 20, then round-off).
const std::vector<double>& pendulum_angles();

inline double angle_between(double a, double b) { return std::abs(std::remainder(a - b, 2.0 * std::numbers::pi)); }

/// Rotation between two orientations, rad.
inline double angle_between(const glm::dquat& a, const glm::dquat& b) {
    const glm::dquat d = a * glm::conjugate(b);
    return 2.0 * std::atan2(glm::length(glm::dvec3(d.x, d.y, d.z)), std::abs(d.w));
}

/// Boxes of 1 kg with half sizes (0.25, 0.05, 0.05) along +x from the origin, ball joints at the ends, at rest.
inline std::vector<BodyId> add_chain(World& world, int links, const glm::dvec3& direction = {1.0, 0.0, 0.0}) {
    const glm::dvec3 z(0.0, 0.0, 1.0);
    const double angle = std::atan2(direction.y, direction.x);
    std::vector<BodyId> bodies;
    for (int i = 0; i < links; ++i) {
        BodyDesc desc;
        desc.mass = 1.0;
        desc.collides = false;
        desc.shape = Box{{0.25, 0.05, 0.05}};
        desc.pose.position = (0.5 * i + 0.25) * direction;
        desc.pose.orientation = glm::angleAxis(angle, z);
        bodies.push_back(world.create_body(desc));
        world.create_joint(
            ball(world, i == 0 ? kGround : bodies[bodies.size() - 2], bodies.back(), 0.5 * i * direction));
    }
    return bodies;
}

inline double worst_joint_error(const World& world) {
    double worst = 0.0;
    for (const JointId joint : world.joints()) {
        worst = std::max(worst, world.joint_error(joint));
    }
    return worst;
}

/// A moving world with everything in it that a snapshot must hold: joints of both kinds, a loose body, a kinematic
/// anchor, a field.
inline World mixed_world(const IntegratorSettings& integrator) {
    World world({.integrator = integrator});
    add_chain(world, 3);
    BodyDesc carrier;
    carrier.motion = MotionType::Kinematic;
    carrier.pose.position = {0.0, 3.0, 0.0};
    carrier.linear_velocity = {0.1, 0.0, 0.0};
    carrier.angular_velocity = {0.0, 0.0, 1.0};
    const BodyId anchor = world.create_body(carrier);
    BodyDesc swing;
    swing.mass = 1.0;
    swing.collides = false;
    swing.shape = Capsule{0.1, 0.4};
    swing.pose.position = {0.0, 2.0, 0.0};
    const BodyId swinging = world.create_body(swing);
    world.create_joint(hinge(world, anchor, swinging, {0.0, 2.6, 0.0}, {0.0, 0.6, 0.8}));
    BodyDesc loose;
    loose.mass = 1.0;
    loose.collides = false;
    loose.shape = Box{{0.1, 0.2, 0.3}};
    loose.pose.position = {5.0, 0.0, 0.0};
    loose.angular_velocity = {1.0, 5.0, 0.5};
    world.create_body(loose);
    world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1, .angular_linear = 0.01}));
    return world;
}

/// Ten links of 1 kg along (1, -1, 0) / sqrt 2 and a ball of 1000 kg beyond the end.
inline World mass_ratio_world(const IntegratorSettings& settings) {
    World world({.integrator = settings});
    const glm::dvec3 direction = glm::dvec3(1.0, -1.0, 0.0) / std::sqrt(2.0);
    const std::vector<BodyId> links = add_chain(world, 10, direction);
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1000.0;
    desc.pose.position = 5.5 * direction;
    const BodyId heavy = world.create_body(desc);
    world.create_joint(ball(world, links.back(), heavy, 5.0 * direction));
    return world;
}

/// A spring to the origin that does not tell how stiff it is.
class SilentSpring final : public ForceField {
public:
    explicit SilentSpring(double stiffness) : stiffness_(stiffness) {}
    Wrench at(double, const BodyMotion& motion) const noexcept override {
        return {.force = -stiffness_ * motion.position, .torque = {}};
    }

private:
    double stiffness_; ///< N/m
};

} // namespace engine_tests
