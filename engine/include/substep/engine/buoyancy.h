// Buoyancy of spheres and boxes in a liquid with a plane surface.
#pragma once

#include <span>
#include <string_view>

#include "substep/engine/force_field.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// A liquid at rest that fills everything below a plane.
struct Liquid {
    glm::dvec3 up{0.0, 1.0, 0.0}; ///< away from the liquid; of any length but zero
    double surface = 0.0;         ///< m, distance of the surface from the origin along `up`
    double density = 1000.0;      ///< kg/m^3, not negative
    double gravity = 9.8;         ///< m/s^2 against `up`, not negative; the world's own gravity is not asked
};

/// The part of a shape that is below a plane.
struct SubmergedPart {
    double volume = 0.0;      ///< m^3
    glm::dvec3 centroid{0.0}; ///< m, world
};

/// Lifts spheres by the weight of what they displace: F = density gravity V up at the centre of the submerged volume V,
/// with the potential density gravity V depth(centroid). Exact: V is the spherical cap. The force has a continuous
/// derivative where the sphere enters the surface. Archimedes; caps: Bronshtein et al., Handbook of Mathematics (6th
/// ed. 2015), 3.3.4.
class SphereBuoyancy final : public ForceField, private FieldPotential {
public:
    /// `centre` (m) is in the frame of each body that the field acts on. Throws std::invalid_argument out of range.
    SphereBuoyancy(const Liquid& liquid, double radius, const glm::dvec3& centre = glm::dvec3(0.0));

    const Liquid& liquid() const noexcept { return liquid_; }     ///< its `up` has unit length
    double radius() const noexcept { return radius_; }            ///< m
    const glm::dvec3& centre() const noexcept { return centre_; } ///< m
    std::string_view name() const noexcept override { return "buoyancy"; }
    bool is_steady() const noexcept override { return true; }
    Wrench at(double t, const BodyMotion& body) const noexcept override;
    FieldCapabilities capabilities() const noexcept override { return {.potential = this}; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;
    SubmergedPart submerged(const BodyMotion& body) const noexcept;

private:
    Liquid liquid_;
    double radius_;
    glm::dvec3 centre_;
};

/// Does the same for boxes, at any attitude: the volume under the surface is a polyhedron, whose volume and centre are
/// sums over its faces. The force is continuous; its derivative jumps where an edge or face meets the surface flat.
/// Source: Mirtich, J. Graphics Tools 1, 2 (1996) 31 (sums over faces, here of tetrahedra with a tip in the surface).
class BoxBuoyancy final : public ForceField, private FieldPotential {
public:
    /// `half_sizes` (m) along the axes of `frame`, which is in the frame of each body that the field acts on.
    BoxBuoyancy(const Liquid& liquid, const glm::dvec3& half_sizes, const Pose& frame = {});

    const Liquid& liquid() const noexcept { return liquid_; }             ///< its `up` has unit length
    const glm::dvec3& half_sizes() const noexcept { return half_sizes_; } ///< m
    const Pose& frame() const noexcept { return frame_; }
    std::string_view name() const noexcept override { return "buoyancy"; }
    bool is_steady() const noexcept override { return true; }
    Wrench at(double t, const BodyMotion& body) const noexcept override;
    FieldCapabilities capabilities() const noexcept override { return {.potential = this}; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;
    SubmergedPart submerged(const BodyMotion& body) const noexcept;

private:
    Liquid liquid_;
    glm::dvec3 half_sizes_;
    Pose frame_;
};

} // namespace substep

#pragma GCC visibility pop
