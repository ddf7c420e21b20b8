// Rows of contacts and their rates: geometry of two features -> equations of their bodies.
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

ConstraintPlace place_of(const UnilateralConstraint& constraint, const Placement& placement_0,
                         const Placement& placement_1) noexcept {
    const FeatureContact contact = contact_between(constraint.features, placement_0, placement_1);
    const auto row_along = [&](const glm::dvec3& direction) {
        return ConstraintRow{direction, {glm::cross(contact.arm[0], direction), glm::cross(contact.arm[1], direction)}};
    };
    const auto t = tangents_of(contact.normal);
    ConstraintPlace place{contact, {row_along(contact.normal), row_along(t[0]), row_along(t[1])}};
    if (constraint.has_moving_surface()) {
        place.surface_velocity = {placement_0.rotation * constraint.surface_velocity[0],
                                  placement_1.rotation * constraint.surface_velocity[1]};
        for (std::size_t r = 1; r < 3; ++r) {
            place.row[r].carried = glm::dot(t[r - 1], place.surface_velocity[0] - place.surface_velocity[1]);
        }
    }
    return place;
}

std::array<double, 3> bias_of(const UnilateralConstraint& constraint, const ConstraintPlace& place, const Twist& u0,
                              const Twist& u1) noexcept {
    const FeatureContactChange rate =
        change_of(constraint.features, place, {u0.linear, u0.angular}, {u1.linear, u1.angular});
    const glm::dvec3 u = velocity_at(u0, place.arm[0]) - velocity_at(u1, place.arm[1]);
    const glm::dvec3 gamma = glm::cross(u0.angular, rate.arm[0]) - glm::cross(u1.angular, rate.arm[1]);
    glm::dvec3 across = gamma;
    if (constraint.has_moving_surface()) {
        across += glm::cross(u0.angular, place.surface_velocity[0]) - glm::cross(u1.angular, place.surface_velocity[1]);
    }
    return {glm::dot(place.normal, gamma) + glm::dot(rate.normal, u), glm::dot(place.row[1].linear, across),
            glm::dot(place.row[2].linear, across)};
}

} // namespace substep::detail
