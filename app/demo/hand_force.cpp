// The pull of the mouse at a body.
#include "hand_force.h"

#include <glm/geometric.hpp>

namespace substep {

namespace {

// Along the spring's line, m/s: how fast the point comes to where the spring ends.
double approach(const glm::dvec3& to_target, const glm::dvec3& velocity) noexcept {
    const double length = glm::length(to_target);
    return length > 0.0 ? glm::dot(to_target, velocity) / length : 0.0;
}

} // namespace

Wrench HandForce::at(double, const BodyMotion& body) const {
    const glm::dvec3 point = body.point(desc_.anchor);
    const glm::dvec3 to_target = desc_.target - point;
    const double length = glm::length(to_target);
    if (!(length > 0.0)) return {};
    const double pull = desc_.stiffness * length - desc_.damping * approach(to_target, body.velocity_at(point));
    const glm::dvec3 force = pull / length * to_target;
    return {force, glm::cross(point - body.position, force)};
}

double HandForce::potential(double, std::span<const BodyMotion> bodies) const {
    const glm::dvec3 stretch = desc_.target - bodies[0].point(desc_.anchor);
    return 0.5 * desc_.stiffness * glm::dot(stretch, stretch);
}

// The damper's.
double HandForce::power_beyond_potential(double, std::span<const BodyMotion> bodies,
                                         std::span<const Wrench>) const noexcept {
    const glm::dvec3 point = bodies[0].point(desc_.anchor);
    const double speed = approach(desc_.target - point, bodies[0].velocity_at(point));
    return -desc_.damping * speed * speed;
}

} // namespace substep
