// Forces on charges and magnets.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>

#include "substep/engine/force_field.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// A field's vector at time t (s) and a world point (m): a pure function that must not allocate.
using VectorField = std::function<glm::dvec3(double t, const glm::dvec3& point)>;

/// Parameters of Lorentz.
struct LorentzDesc {
    double charge = 1.0;             ///< C, of each body that the field acts on, at its centre of mass
    glm::dvec3 electric_field{0.0};  ///< V/m, uniform
    glm::dvec3 magnetic_field{0.0};  ///< T, uniform
    VectorField electric_field_at{}; ///< V/m, added to the uniform one
    VectorField magnetic_field_at{}; ///< T, added to the uniform one
};

/// Pushes charges: F = charge (E + v x B). The magnetic part does no work; the electric one has the potential
/// -charge E . x while E is uniform and constant. Bodies do not radiate, nor act on the fields.
/// Source: Jackson, Classical Electrodynamics (3rd ed. 1999), eq. 6.113.
class Lorentz final : public ForceField, private FieldPotential, private FieldRotation {
public:
    explicit Lorentz(LorentzDesc desc); ///< throws std::invalid_argument unless finite

    const LorentzDesc& desc() const noexcept { return desc_; }
    std::string_view name() const noexcept override { return "Lorentz force"; }
    bool is_steady() const noexcept override { return !desc_.electric_field_at && !desc_.magnetic_field_at; }
    Wrench at(double t, const BodyMotion& body) const override;
    FieldCapabilities capabilities() const noexcept override {
        return {.potential = desc_.electric_field_at ? nullptr : this, .rotation = this};
    }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;
    /// About the magnetic field, at -charge B / mass.
    void write_rotations(double t, std::span<const BodyMotion> bodies,
                         std::span<VelocityRotation> rotations) const noexcept override;

private:
    glm::dvec3 magnetic_field(double t, const glm::dvec3& point) const;

    LorentzDesc desc_;
};

/// Turns magnets in a uniform magnetic field B: torque = m x B, V = -m . B, with the dipole moment m fixed in the body.
/// Source: Jackson, Classical Electrodynamics (3rd ed. 1999), eqs. 5.71 and 5.72.
class DipoleInField final : public ForceField, private FieldPotential {
public:
    /// `moment` (A m^2) is in the frame of each body that the field acts on, `field` (T) in the world. Throws
    /// std::invalid_argument unless finite.
    DipoleInField(const glm::dvec3& moment, const glm::dvec3& field);

    const glm::dvec3& moment() const noexcept { return moment_; } ///< A m^2
    const glm::dvec3& field() const noexcept { return field_; }   ///< T
    std::string_view name() const noexcept override { return "dipole in a field"; }
    bool is_steady() const noexcept override { return true; }
    Wrench at(double t, const BodyMotion& body) const noexcept override;
    FieldCapabilities capabilities() const noexcept override { return {.potential = this}; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;

private:
    glm::dvec3 moment_;
    glm::dvec3 field_;
};

/// Parameters of DipolePair.
struct DipolePairDesc {
    BodyId body_a{};          ///< or kGround
    BodyId body_b{};          ///< or kGround
    glm::dvec3 moment_a{0.0}; ///< A m^2, in the frame of body_a (in the world, for kGround)
    glm::dvec3 moment_b{0.0}; ///< A m^2, in the frame of body_b
    glm::dvec3 point_a{0.0};  ///< m, where the dipole is, in the frame of body_a
    glm::dvec3 point_b{0.0};  ///< m, in the frame of body_b
};

/// Attracts and turns two point magnets, in vacuum: with r from a to b, u = r / |r| and k = mu_0 / 4 pi,
/// V = k (m_a . m_b - 3 (m_a . u)(m_b . u)) / r^3, the force on b is
/// 3 k / r^4 ((m_a . u) m_b + (m_b . u) m_a + (m_a . m_b) u - 5 (m_a . u)(m_b . u) u), and each turns in the field of
/// the other. Singular where they meet. Source: Griffiths, Introduction to Electrodynamics (4th ed. 2013), eqs. 5.89
/// and 6.35 and problem 6.1; force: Yung, Landecker & Villani, Magn. Electr. Sep. 9 (1998) 39.
class DipolePair final : public ForceField, private FieldPotential {
public:
    explicit DipolePair(const DipolePairDesc& desc); ///< throws std::invalid_argument unless finite

    const DipolePairDesc& desc() const noexcept { return desc_; }
    std::string_view name() const noexcept override { return "dipole pair"; }
    bool is_steady() const noexcept override { return true; }
    std::span<const BodyId> bodies() const noexcept override { return bodies_; }
    void write_wrenches(double t, std::span<const BodyMotion> bodies,
                        std::span<Wrench> wrenches) const noexcept override;
    FieldCapabilities capabilities() const noexcept override { return {.potential = this}; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;

private:
    DipolePairDesc desc_;
    std::array<BodyId, 2> bodies_;
};

} // namespace substep

#pragma GCC visibility pop
