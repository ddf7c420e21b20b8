// Force fields between bodies: springs, dampers, mutual gravity. Each ties its bodies into one island.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "substep/engine/force_field.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Parameters of Spring.
struct SpringDesc {
    BodyId body_a{};          ///< or kGround
    BodyId body_b{};          ///< or kGround
    glm::dvec3 anchor_a{0.0}; ///< m, in the frame of body_a (in the world, for kGround)
    glm::dvec3 anchor_b{0.0}; ///< m, in the frame of body_b
    double stiffness = 1.0;   ///< N/m, not negative; 0 leaves the damper
    double rest_length = 0.0; ///< m, not negative
    double damping = 0.0;     ///< N s/m, of the rate at which the length changes; not negative
};

/// Pulls two anchors towards a distance: with length l and unit vector u from a to b, the force on b is
/// -(stiffness (l - rest_length) + damping l') u, and the opposite on a; V = 1/2 stiffness (l - rest_length)^2. Where
/// the anchors meet, u is undefined and the force zero: smooth for a rest length of zero without damping, a jump
/// otherwise.
class Spring final : public ForceField, private FieldStiffness, private FieldPotential {
public:
    explicit Spring(const SpringDesc& desc); ///< throws std::invalid_argument for a value out of range

    const SpringDesc& desc() const noexcept { return desc_; }
    std::string_view name() const noexcept override { return "spring"; }
    bool is_steady() const noexcept override { return true; }
    std::span<const BodyId> bodies() const noexcept override { return bodies_; }
    void write_wrenches(double t, std::span<const BodyMotion> bodies,
                        std::span<Wrench> wrenches) const noexcept override;
    FieldCapabilities capabilities() const noexcept override { return {.stiffness = this, .potential = this}; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;
    double power_beyond_potential(double t, std::span<const BodyMotion> bodies,
                                  std::span<const Wrench> wrenches) const noexcept override;
    std::size_t stiffness_count() const noexcept override { return 1; }
    std::array<std::size_t, 2> stiffness_between(std::size_t) const noexcept override { return {0, 1}; }
    void write_stiffness(double t, std::span<const BodyMotion> bodies,
                         std::span<Stiffness> elements) const noexcept override;

private:
    SpringDesc desc_;
    std::array<BodyId, 2> bodies_;
};

/// Parameters of TorsionSpring.
struct TorsionSpringDesc {
    BodyId body_a{}; ///< or kGround
    BodyId body_b{}; ///< or kGround
    glm::dquat frame_a =
        detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< in the frame of body_a; the axis is its z, as that of a hinge
    glm::dquat frame_b =
        detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< in the frame of body_b; the angle is zero where both agree
    double stiffness = 1.0;                     ///< N m/rad, not negative; 0 leaves the damper
    double rest_angle = 0.0;                    ///< rad, within (-pi, pi)
    double damping = 0.0;                       ///< N m s/rad, not negative
};

/// Turns two frames towards an angle about the axis z of frame_a: with 2 atan2(q_z, q_w) the twist of the relative
/// orientation q and phi the way there from rest_angle, V = 1/2 stiffness phi^2, the torque on b is -(stiffness phi +
/// damping phi') d phi / d theta, and the opposite on a. On a hinge that is the plain torsion spring; without one, the
/// gradient of the twist keeps potential and torque together at any swing but half a turn. It pulls the short way
/// round: half a turn from rest the torque jumps, and the potential has its peak. Source of the twist: Dobrowolski,
/// Swing-twist decomposition in Clifford algebra (2015), section 4.
class TorsionSpring final : public ForceField, private FieldStiffness, private FieldPotential {
public:
    explicit TorsionSpring(const TorsionSpringDesc& desc); ///< throws std::invalid_argument for a value out of range

    const TorsionSpringDesc& desc() const noexcept { return desc_; }
    std::string_view name() const noexcept override { return "torsion spring"; }
    bool is_steady() const noexcept override { return true; }
    std::span<const BodyId> bodies() const noexcept override { return bodies_; }
    void write_wrenches(double t, std::span<const BodyMotion> bodies,
                        std::span<Wrench> wrenches) const noexcept override;
    FieldCapabilities capabilities() const noexcept override { return {.stiffness = this, .potential = this}; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;
    double power_beyond_potential(double t, std::span<const BodyMotion> bodies,
                                  std::span<const Wrench> wrenches) const noexcept override;
    std::size_t stiffness_count() const noexcept override { return 1; }
    std::array<std::size_t, 2> stiffness_between(std::size_t) const noexcept override { return {0, 1}; }
    void write_stiffness(double t, std::span<const BodyMotion> bodies,
                         std::span<Stiffness> elements) const noexcept override;

private:
    TorsionSpringDesc desc_;
    std::array<BodyId, 2> bodies_;
};

/// Parameters of MutualGravity.
struct MutualGravityDesc {
    std::vector<BodyId> bodies;                 ///< two or more; one that is not dynamic pulls with its mass too
    double gravitational_constant = 6.6743e-11; ///< m^3/(kg s^2), CODATA 2018; not negative
    double softening = 0.0;                     ///< m, not negative: the distance below which the pull no longer grows
};

/// Pulls bodies towards one another: with d the vector from j to i and r^2 = |d|^2 + softening^2, the force on i is
/// the sum over j of -G m_i m_j d / r^3; V = -sum over pairs of G m_i m_j / r. The cost grows with the square of the
/// number of bodies. Source: Plummer, Mon. Not. R. Astron. Soc. 71 (1911) 460, for the softened form.
class MutualGravity final : public ForceField, private FieldPotential {
public:
    explicit MutualGravity(MutualGravityDesc desc); ///< throws std::invalid_argument for a value out of range

    const MutualGravityDesc& desc() const noexcept { return desc_; }
    std::string_view name() const noexcept override { return "mutual gravity"; }
    bool is_steady() const noexcept override { return true; }
    std::span<const BodyId> bodies() const noexcept override { return desc_.bodies; }
    void write_wrenches(double t, std::span<const BodyMotion> bodies,
                        std::span<Wrench> wrenches) const noexcept override;
    FieldCapabilities capabilities() const noexcept override { return {.potential = this}; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;

private:
    MutualGravityDesc desc_;
};

} // namespace substep

#pragma GCC visibility pop
