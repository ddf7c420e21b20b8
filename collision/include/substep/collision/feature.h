// Features: the parts of a shape's surface that touch others.
#pragma once

#include <cstdint>

#include "substep/collision/glm_types.h"
#include "substep/collision/shape.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep::detail {

enum class FeatureKind {
    Point, ///< rounded by `radius`: a sphere about `point`
    Line,  ///< the line through `point` along `normal`, rounded by `radius`: a cylinder without end
    Face   ///< the plane through `point` across `normal`, without end
};

/// A feature in the frame that it is fixed in. A body's frame is at its centre of mass, along its principal axes.
struct Feature {
    FeatureKind kind = FeatureKind::Point;
    glm::dvec3 point{0.0};  ///< m
    glm::dvec3 normal{0.0}; ///< unit vector: of a face out of the solid, of a line along it
    double radius = 0.0;    ///< m, of a point or line: how far its surface lies around it

    /// Whether a rotation of that frame moves the feature or its normal.
    bool turns() const noexcept { return kind != FeatureKind::Point || point != glm::dvec3(0.0); }
    bool operator==(const Feature&) const = default;
};

/// Whether a feature is a point that nothing rounds.
inline bool is_corner(const Feature& feature) noexcept {
    return feature.kind == FeatureKind::Point && feature.radius == 0.0;
}

/// Returns how many features a shape has: a plane its face, a sphere its centre, a capsule both ends of its middle
/// line, a box its corners. The rounded points of a shape are the corners of its convex hull but for the rounding, so
/// that beside a plane they are all of it. Of the other shapes it is 0.
std::uint32_t feature_count(const Shape& shape) noexcept;

/// Returns a feature of a shape, by its number from 0 on. `centre` and `axes` place the shape in the frame that it is
/// fixed in.
Feature feature_of(const Shape& shape, std::uint32_t number, const glm::dvec3& centre, const glm::dquat& axes) noexcept;

} // namespace substep::detail

#pragma GCC visibility pop
