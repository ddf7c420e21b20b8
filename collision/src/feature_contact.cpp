// Contacts of a rounded point with a face or with another rounded point.
#include "substep/collision/feature_contact.h"

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

bool has_face(const FeaturePair& features) noexcept { return features[1].kind == FeatureKind::Face; }

glm::dvec3 translation_at(const Displacement& moved, const glm::dvec3& arm) noexcept {
    return moved.translation + glm::cross(moved.rotation, arm);
}

} // namespace

double gap_between(const FeaturePair& features, const glm::dvec3& point_0, const glm::dvec3& point_1,
                   const glm::dvec3& normal_1) noexcept {
    const glm::dvec3 apart = point_0 - point_1;
    if (has_face(features)) {
        return glm::dot(normal_1, apart) - features[0].radius;
    }
    return glm::length(apart) - (features[0].radius + features[1].radius);
}

FeatureContact contact_between(const FeaturePair& features, const Placement& placement_0,
                               const Placement& placement_1) noexcept {
    const Feature& a = features[0];
    const Feature& b = features[1];
    FeatureContact contact;
    contact.centre = {placement_0.rotation * a.point, placement_1.rotation * b.point};
    const glm::dvec3 apart = (placement_0.position + contact.centre[0]) - (placement_1.position + contact.centre[1]);
    if (has_face(features)) {
        contact.normal = placement_1.rotation * b.normal;
        contact.gap = glm::dot(contact.normal, apart) - a.radius;
    } else {
        contact.distance = glm::length(apart);
        contact.gap = contact.distance - (a.radius + b.radius);
        contact.normal = contact.distance > 0.0 ? apart / contact.distance : glm::dvec3(0.0, 1.0, 0.0);
    }
    contact.arm[0] = contact.centre[0] - a.radius * contact.normal;
    contact.point = placement_0.position + contact.arm[0];
    contact.arm[1] =
        has_face(features) ? contact.point - placement_1.position : contact.centre[1] + b.radius * contact.normal;
    return contact;
}

FeatureContactChange change_of(const FeaturePair& features, const FeatureContact& contact, const Displacement& moved_0,
                               const Displacement& moved_1) noexcept {
    const glm::dvec3& n = contact.normal;
    const double r0 = features[0].radius;
    const glm::dvec3 of_point_0 = translation_at(moved_0, contact.centre[0]);
    FeatureContactChange change;
    if (has_face(features)) {
        // The face turns, and the contact moves over it with the point above.
        change.normal = glm::cross(moved_1.rotation, n);
        change.arm[1] = of_point_0 - r0 * change.normal - moved_1.translation;
    } else {
        const glm::dvec3 relative = of_point_0 - translation_at(moved_1, contact.centre[1]);
        if (contact.distance > 0.0) {
            change.normal = (relative - n * glm::dot(n, relative)) / contact.distance;
        }
        change.arm[1] = glm::cross(moved_1.rotation, contact.centre[1]) + features[1].radius * change.normal;
    }
    change.arm[0] = glm::cross(moved_0.rotation, contact.centre[0]) - r0 * change.normal;
    return change;
}

} // namespace substep::detail
