// Geometry of contacts: sphere on plane and sphere on sphere.
#include "contact/unilateral.h"

#include <cmath>

namespace substep::detail {
namespace {

// Two unit vectors across n: from the axis that n is farthest from.
std::array<glm::dvec3, 2> tangents_of(const glm::dvec3& n) noexcept {
    int least = 0;
    for (int k = 1; k < 3; ++k) {
        least = std::abs(n[k]) < std::abs(n[least]) ? k : least;
    }
    glm::dvec3 axis(0.0);
    axis[least] = 1.0;
    const glm::dvec3 t = glm::normalize(glm::cross(axis, n));
    return {t, glm::cross(n, t)};
}

glm::dvec3 velocity_at(const Twist& u, const glm::dvec3& arm) noexcept { return u.linear + glm::cross(u.angular, arm); }

} // namespace

double surface_gap(const UnilateralConstraint& constraint, const glm::dvec3& origin_0, const glm::dvec3& origin_1,
                   const glm::dvec3& plane_normal) noexcept {
    const glm::dvec3 apart = origin_0 - origin_1;
    if (constraint.end[1].is_plane) {
        return glm::dot(plane_normal, apart) - constraint.end[0].radius;
    }
    return glm::length(apart) - (constraint.end[0].radius + constraint.end[1].radius);
}

ConstraintPlace place_of(const UnilateralConstraint& constraint, const EndFrame& f0, const EndFrame& f1) noexcept {
    ConstraintPlace place;
    const ContactEnd& a = constraint.end[0];
    const ContactEnd& b = constraint.end[1];
    place.centre[0] = f0.rotation * a.origin;
    place.centre[1] = f1.rotation * b.origin;
    const glm::dvec3 origin_0 = f0.position + place.centre[0];
    const glm::dvec3 origin_1 = f1.position + place.centre[1];
    glm::dvec3 n;
    if (b.is_plane) {
        n = f1.rotation * b.normal;
        place.gap = surface_gap(constraint, origin_0, origin_1, n);
    } else {
        const glm::dvec3 apart = origin_0 - origin_1;
        place.distance = glm::length(apart);
        place.gap = place.distance - (a.radius + b.radius);
        n = place.distance > 0.0 ? apart / place.distance : glm::dvec3(0.0, 1.0, 0.0);
    }
    place.arm[0] = place.centre[0] - a.radius * n;
    place.point = f0.position + place.arm[0];
    place.arm[1] = b.is_plane ? place.point - f1.position : place.centre[1] + b.radius * n;
    const auto t = tangents_of(n);
    const std::array<glm::dvec3, 3> directions{n, t[0], t[1]};
    for (std::size_t k = 0; k < 3; ++k) {
        place.row[k].linear = directions[k];
        place.row[k].angular = {glm::cross(place.arm[0], directions[k]), glm::cross(place.arm[1], directions[k])};
    }
    return place;
}

std::array<double, 3> bias_of(const UnilateralConstraint& constraint, const ConstraintPlace& place, const Twist& u0,
                              const Twist& u1) noexcept {
    const glm::dvec3& n = place.row[0].linear;
    const double r0 = constraint.end[0].radius;
    const double r1 = constraint.end[1].radius;
    const glm::dvec3 centre_velocity_0 = velocity_at(u0, place.centre[0]);
    const glm::dvec3 centre_rate_0 = glm::cross(u0.angular, place.centre[0]);

    // How the normal turns, and the arms with it.
    glm::dvec3 n_rate;
    glm::dvec3 arm_rate_1;
    if (constraint.end[1].is_plane) {
        n_rate = glm::cross(u1.angular, n);
        arm_rate_1 = centre_velocity_0 - r0 * n_rate - u1.linear; // the contact point moves over the plane
    } else {
        const glm::dvec3 relative = centre_velocity_0 - velocity_at(u1, place.centre[1]);
        n_rate = place.distance > 0.0 ? (relative - n * glm::dot(n, relative)) / place.distance : glm::dvec3(0.0);
        arm_rate_1 = glm::cross(u1.angular, place.centre[1]) + r1 * n_rate;
    }
    const glm::dvec3 arm_rate_0 = centre_rate_0 - r0 * n_rate;

    const glm::dvec3 u = velocity_at(u0, place.arm[0]) - velocity_at(u1, place.arm[1]);
    const glm::dvec3 gamma = glm::cross(u0.angular, arm_rate_0) - glm::cross(u1.angular, arm_rate_1);
    return {glm::dot(n, gamma) + glm::dot(n_rate, u), glm::dot(place.row[1].linear, gamma),
            glm::dot(place.row[2].linear, gamma)};
}

} // namespace substep::detail
