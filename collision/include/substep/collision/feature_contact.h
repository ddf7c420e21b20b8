// Narrow phase of one pair: the contact of two features as a smooth function of their placements. It has a gap, a
// normal and a contact point, and their changes when the features move. Equations of motion are built on it; inline, so
// that their numbers stay in registers (called, a sphere that slides costs 5 % more: `./dev bench mechanics`).
#pragma once

#include <array>

#include <glm/geometric.hpp>

#include "substep/collision/feature.h"
#include "substep/collision/glm_types.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

/// The frame that features are fixed in, as placed in the world: a body's centre of mass and principal axes, say.
struct Placement {
    glm::dvec3 position{0.0}; ///< m, of its origin
    glm::dmat3 rotation{1.0}; ///< its axes to the world's
};

/// An infinitesimal displacement of a placement, or a velocity: the change of a contact is then a rate.
struct Displacement {
    glm::dvec3 translation{0.0}; ///< m, of the origin
    glm::dvec3 rotation{0.0};    ///< rad, about the origin, in the world's axes

    /// Returns the displacement of the point at `arm` from the origin.
    glm::dvec3 at(const glm::dvec3& arm) const noexcept { return translation + glm::cross(rotation, arm); }
};

/// Two features, each with a placement of its own. The first is a rounded point; a line or a face is always the second
/// (see is_reversed in shape_pairs.h).
using FeaturePair = std::array<Feature, 2>;

inline bool has_face(const FeaturePair& features) noexcept { return features[1].kind == FeatureKind::Face; }

/// The contact of two features. Their surfaces need not touch.
struct FeatureContact {
    double gap = 0.0;                   ///< m, between the surfaces; negative where they overlap
    glm::dvec3 normal{0.0};             ///< unit vector towards feature 0; (0, 1, 0) for two points at the same place
    glm::dvec3 point{0.0};              ///< m, in the world, on the surface of feature 0
    std::array<glm::dvec3, 2> centre{}; ///< m, from each origin to its feature's point, in the world's axes
    std::array<glm::dvec3, 2> arm{};    ///< m, from each origin to the contact point on its feature's surface; beside a
                                        ///< face both are at `point`
    double distance = 0.0;              ///< m, between two points, or a point and a line; 0 beside a face
    double along = 0.0;                 ///< m, along a line from its point to where the other is nearest
    glm::dvec3 line{0.0};               ///< unit vector along a line
};

/// How a contact changes.
struct FeatureContactChange {
    glm::dvec3 normal{0.0};
    std::array<glm::dvec3, 2> arm{}; ///< in the world's axes
};

inline bool has_line(const FeaturePair& features) noexcept { return features[1].kind == FeatureKind::Line; }

/// Returns the gap alone (m), from the positions of both features' points in the world. A line or face as feature 1
/// also needs its normal in the world.
inline double gap_between(const FeaturePair& features, const glm::dvec3& point_0, const glm::dvec3& point_1,
                          const glm::dvec3& normal_1) noexcept {
    const glm::dvec3 apart = point_0 - point_1;
    if (has_face(features)) {
        return glm::dot(normal_1, apart) - features[0].radius;
    }
    if (has_line(features)) {
        return glm::length(apart - glm::dot(normal_1, apart) * normal_1) - (features[0].radius + features[1].radius);
    }
    return glm::length(apart) - (features[0].radius + features[1].radius);
}

inline FeatureContact contact_between(const FeaturePair& features, const Placement& placement_0,
                                      const Placement& placement_1) noexcept {
    const Feature& a = features[0];
    const Feature& b = features[1];
    FeatureContact contact;
    contact.centre = {placement_0.rotation * a.point, placement_1.rotation * b.point};
    glm::dvec3 apart = (placement_0.position + contact.centre[0]) - (placement_1.position + contact.centre[1]);
    glm::dvec3 to_nearest(0.0);
    if (has_line(features)) {
        contact.line = placement_1.rotation * b.normal;
        contact.along = glm::dot(contact.line, apart);
        to_nearest = contact.along * contact.line;
        apart -= to_nearest;
    }
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
    contact.arm[1] = has_face(features) ? contact.point - placement_1.position
                                        : contact.centre[1] + to_nearest + b.radius * contact.normal;
    return contact;
}

/// Returns how a contact changes when both placements are displaced. The normal of two points at the same place has no
/// derivative; it is taken to stay.
inline FeatureContactChange change_of(const FeaturePair& features, const FeatureContact& contact,
                                      const Displacement& moved_0, const Displacement& moved_1) noexcept {
    const glm::dvec3& n = contact.normal;
    const double r0 = features[0].radius;
    const glm::dvec3 of_point_0 = moved_0.at(contact.centre[0]);
    FeatureContactChange change;
    if (has_line(features)) {
        // With e between the points and d along the line, what parts them is e - d (d . e).
        const glm::dvec3& d = contact.line;
        const glm::dvec3 turned = glm::cross(moved_1.rotation, d);
        const glm::dvec3 e = contact.along * d + contact.distance * n;
        const glm::dvec3 relative = of_point_0 - moved_1.at(contact.centre[1]);
        const double further = glm::dot(turned, e) + glm::dot(d, relative);
        if (contact.distance > 0.0) {
            const glm::dvec3 parting = relative - contact.along * turned - further * d;
            change.normal = (parting - n * glm::dot(n, parting)) / contact.distance;
        }
        change.arm[1] = glm::cross(moved_1.rotation, contact.centre[1]) + contact.along * turned + further * d +
                        features[1].radius * change.normal;
        change.arm[0] = glm::cross(moved_0.rotation, contact.centre[0]) - r0 * change.normal;
        return change;
    }
    if (has_face(features)) {
        // The face turns, and the contact moves over it with the point above.
        change.normal = glm::cross(moved_1.rotation, n);
        change.arm[1] = of_point_0 - r0 * change.normal - moved_1.translation;
    } else {
        const glm::dvec3 relative = of_point_0 - moved_1.at(contact.centre[1]);
        if (contact.distance > 0.0) {
            change.normal = (relative - n * glm::dot(n, relative)) / contact.distance;
        }
        change.arm[1] = glm::cross(moved_1.rotation, contact.centre[1]) + features[1].radius * change.normal;
    }
    change.arm[0] = glm::cross(moved_0.rotation, contact.centre[0]) - r0 * change.normal;
    return change;
}

} // namespace substep::detail

#pragma GCC visibility pop
