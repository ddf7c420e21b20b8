// Force fields that act on every body by itself.
#include "substep/engine/forces.h"

#include <cmath>

#include "validation.h"

namespace substep {

double ForceField::power_beyond_potential(double, std::span<const BodyMotion> bodies,
                                          std::span<const Wrench> wrenches) const noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; !has_potential() && i < bodies.size(); ++i) {
        sum += power(wrenches[i], bodies[i]);
    }
    return sum;
}

UniformGravity::UniformGravity(const glm::dvec3& g) : g_(g) { detail::require_finite("Gravity", g); }

Wrench UniformGravity::at(double, const BodyMotion& body) const noexcept { return {body.mass * g_, {}}; }

double UniformGravity::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    return -bodies[0].mass * glm::dot(g_, bodies[0].position);
}

PointGravity::PointGravity(const PointGravityDesc& desc) : desc_(desc) {
    detail::require_finite("The centre of gravity", desc.centre);
    detail::require_finite("The gravitational parameter", desc.gravitational_parameter, "m^3/s^2");
    detail::require_not_negative("The softening length", desc.softening, "m");
}

Wrench PointGravity::at(double, const BodyMotion& body) const noexcept {
    const glm::dvec3 d = body.position - desc_.centre;
    const double r2 = glm::dot(d, d) + desc_.softening * desc_.softening;
    return {-body.mass * desc_.gravitational_parameter / (r2 * std::sqrt(r2)) * d, {}};
}

double PointGravity::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    const glm::dvec3 d = bodies[0].position - desc_.centre;
    return -bodies[0].mass * desc_.gravitational_parameter /
           std::sqrt(glm::dot(d, d) + desc_.softening * desc_.softening);
}

Drag::Drag(const DragDesc& desc) : desc_(desc) {
    detail::require_not_negative("The linear drag", desc.linear, "kg/s");
    detail::require_not_negative("The quadratic drag", desc.quadratic, "kg/m");
    detail::require_not_negative("The linear drag of rotation", desc.angular_linear, "kg m^2/s");
    detail::require_not_negative("The quadratic drag of rotation", desc.angular_quadratic, "kg m^2");
}

Wrench Drag::at(double, const BodyMotion& body) const noexcept {
    const glm::dvec3& v = body.velocity;
    const glm::dvec3& omega = body.angular_velocity;
    return {-(desc_.linear + desc_.quadratic * glm::length(v)) * v,
            -(desc_.angular_linear + desc_.angular_quadratic * glm::length(omega)) * omega};
}

} // namespace substep
