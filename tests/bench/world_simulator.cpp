// The mechanisms in our own World.
#include "world_simulator.h"

#include <algorithm>

#include <glm/geometric.hpp>

namespace substep_bench {
namespace {

substep::WorldSettings settings_of(const Mechanism& mechanism, const substep::IntegratorSettings& integrator) {
    substep::WorldSettings settings;
    settings.gravity = {0.0, -mechanism.gravity, 0.0};
    settings.integrator = integrator;
    return settings;
}

} // namespace

WorldSimulator::WorldSimulator(const Mechanism& mechanism, const substep::IntegratorSettings& settings)
    : world_(settings_of(mechanism, settings)) {
    substep::BodyId previous = substep::kGround;
    for (const MechanismBody& body : mechanism.bodies) {
        substep::BodyDesc desc;
        desc.pose = {body.position, body.orientation};
        glm::dmat3 inertia(0.0);
        for (int axis = 0; axis < 3; ++axis) {
            inertia[axis][axis] = body.moments[axis];
        }
        desc.collides = false; // links of a chain overlap
        desc.mass_properties = substep::MassProperties{body.mass, glm::dvec3(0.0), inertia};
        if (previous == substep::kGround) {
            desc.angular_velocity = body.orientation * mechanism.first_rates;
            if (body.held != Held::Not) {
                desc.linear_velocity = glm::cross(desc.angular_velocity, body.position - body.joint);
            }
        }
        const substep::BodyId id = world_.create_body(desc);
        if (body.held == Held::ByBall) {
            world_.create_joint(substep::ball(world_, previous, id, body.joint));
        } else if (body.held == Held::ByHinge) {
            world_.create_joint(substep::hinge(world_, previous, id, body.joint, {0.0, 0.0, 1.0}));
        }
        previous = id;
    }
}

void WorldSimulator::read(std::vector<BodyMotionNow>& bodies) {
    bodies.clear();
    for (const substep::BodyId id : world_.bodies()) {
        const substep::Body body = world_.body(id);
        const substep::Pose pose = body.pose();
        bodies.push_back({pose.position, pose.orientation, body.linear_velocity(), body.angular_velocity()});
    }
}

} // namespace substep_bench
