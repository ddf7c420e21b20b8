// Force fields that act on every body by itself: gravity and drag. Those between bodies are in springs.h.
#pragma once

#include <span>
#include <string_view>

#include "substep/engine/force_field.h"

namespace substep {

/// Pulls every body with the same acceleration, as WorldSettings::gravity does: F = m g, V = -m g . x.
class UniformGravity final : public ForceField {
public:
    explicit UniformGravity(const glm::dvec3& g); ///< m/s^2; throws std::invalid_argument unless finite

    std::string_view name() const noexcept override { return "uniform gravity"; }
    Wrench at(double t, const BodyMotion& body) const noexcept override;
    bool has_potential() const noexcept override { return true; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;

private:
    glm::dvec3 g_;
};

/// Parameters of PointGravity.
struct PointGravityDesc {
    glm::dvec3 centre{0.0};               ///< m
    double gravitational_parameter = 1.0; ///< m^3/s^2, G M: positive attracts, negative repels
    double softening = 0.0;               ///< m, not negative: the length below which the pull no longer grows
};

/// Pulls every body towards a point that does not move: with d = x - centre and r^2 = |d|^2 + softening^2,
/// F = -m GM d / r^3, V = -m GM / r. Without softening the field is singular at the centre.
/// Source: Plummer, Mon. Not. R. Astron. Soc. 71 (1911) 460, for the softened form.
class PointGravity final : public ForceField {
public:
    explicit PointGravity(const PointGravityDesc& desc); ///< throws std::invalid_argument for a value out of range

    std::string_view name() const noexcept override { return "point gravity"; }
    Wrench at(double t, const BodyMotion& body) const noexcept override;
    bool has_potential() const noexcept override { return true; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;

private:
    PointGravityDesc desc_;
};

/// Parameters of Drag. None may be negative.
struct DragDesc {
    double linear = 0.0;            ///< kg/s: Stokes, 6 pi eta R for a sphere
    double quadratic = 0.0;         ///< kg/m: 1/2 rho A c_d
    double angular_linear = 0.0;    ///< kg m^2/s: 8 pi eta R^3 for a sphere
    double angular_quadratic = 0.0; ///< kg m^2
};

/// Slows every body against a medium at rest: F = -(linear + quadratic |v|) v, torque = -(the same of omega) omega.
/// Source: Batchelor, An Introduction to Fluid Dynamics (1967), 4.9 (linear) and 5.11 (quadratic).
class Drag final : public ForceField {
public:
    explicit Drag(const DragDesc& desc); ///< throws std::invalid_argument for a value out of range

    std::string_view name() const noexcept override { return "drag"; }
    Wrench at(double t, const BodyMotion& body) const noexcept override;

private:
    DragDesc desc_;
};

} // namespace substep
