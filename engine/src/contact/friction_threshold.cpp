// Friction where a slip comes to rest.
#include "contact/friction_threshold.h"
#include "bodies/tolerances.h"

#include <algorithm>
#include <cmath>

namespace substep::detail {
namespace {

// The components of a vector along the two tangents.
glm::dvec2 across(const ConstraintPlace& place, const glm::dvec3& v) noexcept {
    return {glm::dot(place.row[1].linear, v), glm::dot(place.row[2].linear, v)};
}

} // namespace

double FrictionThreshold::speed(const UnilateralConstraint& contact) const noexcept {
    const double rests = speed(contact.surface);
    const double passes = std::max(kStillSpeed * scale.speed(), kPassingRate / scale.time() * length);
    return contact.memory.passes_rest() ? std::min(rests, passes) : rests;
}

double FrictionThreshold::speed(const SurfacePair& surface) const noexcept {
    return std::sqrt(0.2 * surface.friction * gravity * length);
}

double FrictionThreshold::speed(const ContactSolver& contacts, std::size_t involved) const noexcept {
    const UnilateralConstraint& contact = contacts.involved_constraint(involved);
    if (contact.kind == ConstraintKind::Friction) {
        const int row = static_cast<int>(3 * involved + 1);
        return std::sqrt(0.2 * contact.stop->load() * contacts.problem().a(row, row) * length / contact.lever);
    }
    return speed(contact);
}

double FrictionThreshold::turn(const UnilateralConstraint& contact, const glm::dvec3& n,
                               const glm::dvec3& slip) const noexcept {
    const double sideways = glm::dot(n, glm::cross(contact.memory.slip_direction, slip));
    const double slip_speed = glm::length(slip);
    const double threshold = speed(contact);
    if (slip_speed > threshold) {
        return (glm::dot(slip, contact.memory.slip_direction) < 0.0 ? -sideways : sideways) / slip_speed;
    }
    return threshold > 0.0 ? sideways / threshold : 0.0;
}

glm::dvec2 FrictionThreshold::direction(const ContactSolver& contacts, std::size_t involved,
                                        const glm::dvec2& slip) const noexcept {
    const UnilateralConstraint& contact = contacts.involved_constraint(involved);
    if (contact.kind == ConstraintKind::Friction) {
        return {contact.memory.slip_direction.x < 0.0 ? -1.0 : 1.0, 0.0};
    }
    glm::dvec2 reference = across(contacts.involved_place(involved), contact.memory.slip_direction);
    const double reference_length = glm::length(reference);
    reference = reference_length > 0.0 ? reference / reference_length : glm::dvec2(1.0, 0.0);
    const double slip_speed = glm::length(slip);
    const double threshold = speed(contacts, involved);
    if (slip_speed > threshold) {
        return slip * ((glm::dot(slip, reference) < 0.0 ? -1.0 : 1.0) / slip_speed);
    }
    const glm::dvec2 sideways(-reference.y, reference.x);
    const double sine = threshold > 0.0 ? glm::dot(slip, sideways) / threshold : 0.0;
    return std::sqrt(std::max(0.0, 1.0 - sine * sine)) * reference + sine * sideways;
}

} // namespace substep::detail
