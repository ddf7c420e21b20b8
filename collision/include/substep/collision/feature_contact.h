// Narrow phase of one pair: the contact of two features as a smooth function of their placements. It has a gap, a
// normal and a contact point, and their changes when the features move. Equations of motion are built on it.
#pragma once

#include <array>

#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "substep/collision/feature.h"

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
};

/// Two features, each with a placement of its own. The first is a rounded point; a face is always the second (see
/// is_reversed in shape_pairs.h).
using FeaturePair = std::array<Feature, 2>;

/// The contact of two features. Their surfaces need not touch.
struct FeatureContact {
    double gap = 0.0;                   ///< m, between the surfaces; negative where they overlap
    glm::dvec3 normal{0.0};             ///< unit vector towards feature 0; (0, 1, 0) for two points at the same place
    glm::dvec3 point{0.0};              ///< m, in the world, on the surface of feature 0
    std::array<glm::dvec3, 2> centre{}; ///< m, from each origin to its feature's point, in the world's axes
    std::array<glm::dvec3, 2> arm{};    ///< m, from each origin to the contact point on its feature's surface; beside a
                                        ///< face both are at `point`
    double distance = 0.0;              ///< m, between two points; 0 beside a face
};

/// How a contact changes.
struct FeatureContactChange {
    glm::dvec3 normal{0.0};
    std::array<glm::dvec3, 2> arm{}; ///< in the world's axes
};

/// Returns the gap alone (m), from the positions of both features' points in the world. A face as feature 1 also needs
/// its normal in the world.
double gap_between(const FeaturePair& features, const glm::dvec3& point_0, const glm::dvec3& point_1,
                   const glm::dvec3& normal_1) noexcept;

FeatureContact contact_between(const FeaturePair& features, const Placement& placement_0,
                               const Placement& placement_1) noexcept;

/// Returns how a contact changes when both placements are displaced. The normal of two points at the same place has no
/// derivative; it is taken to stay.
FeatureContactChange change_of(const FeaturePair& features, const FeatureContact& contact, const Displacement& moved_0,
                               const Displacement& moved_1) noexcept;

} // namespace substep::detail
