// The pull of the mouse at a body.
#include "hand_force.h"

#include <glm/geometric.hpp>

namespace substep {

Wrench HandForce::at(double, const BodyMotion& body) const {
    const glm::dvec3 point = body.point(desc_.anchor);
    const glm::dvec3 force = desc_.stiffness * (desc_.target - point) - desc_.damping * body.velocity_at(point);
    return {force, glm::cross(point - body.position, force)};
}

double HandForce::potential(double, std::span<const BodyMotion> bodies) const {
    const glm::dvec3 stretch = desc_.target - bodies[0].point(desc_.anchor);
    return 0.5 * desc_.stiffness * glm::dot(stretch, stretch);
}

// The damper's.
double HandForce::power_beyond_potential(double, std::span<const BodyMotion> bodies,
                                         std::span<const Wrench>) const noexcept {
    const glm::dvec3 velocity = bodies[0].velocity_at(bodies[0].point(desc_.anchor));
    return -desc_.damping * glm::dot(velocity, velocity);
}

} // namespace substep
