// Force fields that act on every body by itself: gravity, drag, lift, rotating frames, one's own. Those between bodies
// are in springs.h, those of liquids in buoyancy.h, of charges and magnets in electromagnetism.h.
#pragma once

#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "substep/engine/force_field.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Pulls every body with the same acceleration, as WorldSettings::gravity does: F = m g, V = -m g . x.
class UniformGravity final : public ForceField, private FieldPotential {
public:
    explicit UniformGravity(const glm::dvec3& g); ///< m/s^2; throws std::invalid_argument unless finite

    const glm::dvec3& g() const noexcept { return g_; } ///< m/s^2
    std::string_view name() const noexcept override { return "uniform gravity"; }
    bool is_steady() const noexcept override { return true; }
    Wrench at(double t, const BodyMotion& body) const noexcept override;
    FieldCapabilities capabilities() const noexcept override { return {.potential = this}; }
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
class PointGravity final : public ForceField, private FieldPotential {
public:
    explicit PointGravity(const PointGravityDesc& desc); ///< throws std::invalid_argument for a value out of range

    const PointGravityDesc& desc() const noexcept { return desc_; }
    std::string_view name() const noexcept override { return "point gravity"; }
    bool is_steady() const noexcept override { return true; }
    Wrench at(double t, const BodyMotion& body) const noexcept override;
    FieldCapabilities capabilities() const noexcept override { return {.potential = this}; }
    double potential(double t, std::span<const BodyMotion> bodies) const noexcept override;

private:
    PointGravityDesc desc_;
};

/// Velocity (m/s) of a medium at time t (s) and a world point (m): a pure function that must not allocate. Empty: at
/// rest.
using Wind = std::function<glm::dvec3(double t, const glm::dvec3& point)>;

/// Parameters of Drag. None may be negative.
struct DragDesc {
    double linear = 0.0;            ///< kg/s: Stokes, 6 pi eta R for a sphere
    double quadratic = 0.0;         ///< kg/m: 1/2 rho A c_d
    double angular_linear = 0.0;    ///< kg m^2/s: 8 pi eta R^3 for a sphere
    double angular_quadratic = 0.0; ///< kg m^2
    Wind wind{};                    ///< at the centre of mass
};

/// Drags every body along with a medium: with u the velocity against it, F = -(linear + quadratic |u|) u, and for the
/// rotation torque = -(angular_linear + angular_quadratic |omega|) omega.
/// Source: Batchelor, An Introduction to Fluid Dynamics (1967), 4.9 (linear) and 5.11 (quadratic).
class Drag final : public ForceField, private FieldStiffness {
public:
    explicit Drag(DragDesc desc); ///< throws std::invalid_argument for a value out of range

    const DragDesc& desc() const noexcept { return desc_; }
    std::string_view name() const noexcept override { return "drag"; }
    bool is_steady() const noexcept override { return !desc_.wind; }
    Wrench at(double t, const BodyMotion& body) const override;
    FieldCapabilities capabilities() const noexcept override { return {.stiffness = this}; }
    /// Damping of the motion, and of the rotation.
    std::size_t stiffness_count() const noexcept override;
    void write_stiffness(double t, std::span<const BodyMotion> bodies,
                         std::span<Stiffness> elements) const noexcept override;

private:
    DragDesc desc_;
};

/// Parameters of PlateLift.
struct PlateLiftDesc {
    glm::dvec3 normal{0.0, 1.0, 0.0};                   ///< of the plate, in the body's frame; of any length but zero
    glm::dvec3 point{0.0};                              ///< m, centre of pressure, in the body's frame
    double area = 1.0;                                  ///< m^2, positive
    double density = 1.2;                               ///< kg/m^3, of the medium; not negative
    double normal_coefficient = 2.0 * std::numbers::pi; ///< per sine of the angle of attack; not negative
    Wind wind{};                                        ///< at the centre of pressure
};

/// Lifts a plate that moves through a medium: with n its normal and u its velocity against the medium, a pressure along
/// the normal, F = -1/2 density area normal_coefficient |u| (u . n) n, whose part across u is the lift and along it the
/// induced drag. 2 pi is thin aerofoil theory, good to about 10 degrees; there is no stall.
/// Source: Anderson, Fundamentals of Aerodynamics (5th ed. 2011), 4.7: lift slope of the symmetric thin aerofoil.
class PlateLift final : public ForceField {
public:
    explicit PlateLift(PlateLiftDesc desc); ///< throws std::invalid_argument for a value out of range

    const PlateLiftDesc& desc() const noexcept { return desc_; } ///< its normal has unit length
    std::string_view name() const noexcept override { return "plate lift"; }
    bool is_steady() const noexcept override { return !desc_.wind; }
    Wrench at(double t, const BodyMotion& body) const override;

private:
    PlateLiftDesc desc_;
};

/// How a frame turns.
struct FrameRotation {
    glm::dvec3 rate{0.0};         ///< rad/s
    glm::dvec3 acceleration{0.0}; ///< rad/s^2, derivative of `rate` as seen in the frame
};

/// Parameters of RotatingFrame.
struct RotatingFrameDesc {
    glm::dvec3 rate{0.0};   ///< rad/s, constant, of the world's frame against an inertial one
    glm::dvec3 centre{0.0}; ///< m, a point of the axis
    /// Instead of the constant: rate and its derivative at time t (s). A pure function that must not allocate.
    std::function<FrameRotation(double t)> rotation{};
};

/// Makes the world a rotating frame: with d = x - centre, the centrifugal force -m Omega x (Omega x d), the Coriolis
/// force -2 m Omega x v and the Euler force -m Omega' x d on the centre of mass, and what they sum up to over an
/// extended body as torque: -Omega x I Omega + 2 omega x J Omega - I Omega' with J = 1/2 tr(I) - I. The centrifugal
/// part has the potential -1/2 m |Omega x d|^2 - 1/2 Omega . I Omega. Velocities are those against the world's frame.
/// Source: Landau & Lifshitz, Mechanics (3rd ed. 1976), eq. 39.7, integrated over the body.
class RotatingFrame final : public ForceField, private FieldPotential, private FieldRotation {
public:
    explicit RotatingFrame(RotatingFrameDesc desc); ///< throws std::invalid_argument unless finite

    const RotatingFrameDesc& desc() const noexcept { return desc_; }
    std::string_view name() const noexcept override { return "rotating frame"; }
    bool is_steady() const noexcept override { return !desc_.rotation; }
    Wrench at(double t, const BodyMotion& body) const override;
    FieldCapabilities capabilities() const noexcept override { return {.potential = this, .rotation = this}; }
    double potential(double t, std::span<const BodyMotion> bodies) const override;
    double power_beyond_potential(double t, std::span<const BodyMotion> bodies,
                                  std::span<const Wrench> wrenches) const noexcept override;
    void write_rotations(double t, std::span<const BodyMotion> bodies,
                         std::span<VelocityRotation> rotations) const noexcept override;

private:
    FrameRotation rotation_at(double t) const;

    RotatingFrameDesc desc_;
};

/// Acts as a function says: the user's own force without a class of its own.
class CustomField final : public ForceField, private FieldPotential {
public:
    using Force = std::function<Wrench(double t, const BodyMotion& body)>;
    using Potential = std::function<double(double t, const BodyMotion& body)>; ///< J

    /// Both functions are pure and must not allocate. An empty potential: the field has none. Throws
    /// std::invalid_argument for an empty force.
    explicit CustomField(Force force, Potential potential = {}, std::string name = "custom field");

    std::string_view name() const noexcept override { return name_; }
    Wrench at(double t, const BodyMotion& body) const override { return force_(t, body); }
    FieldCapabilities capabilities() const noexcept override { return {.potential = potential_ ? this : nullptr}; }
    double potential(double t, std::span<const BodyMotion> bodies) const override;

private:
    Force force_;
    Potential potential_;
    std::string name_;
};

/// Restricts a field that acts on each body by itself to some bodies. Those that are destroyed are left out.
class OnBodies final : public ForceField {
public:
    /// Throws std::invalid_argument for a null field or one that ties bodies.
    OnBodies(std::vector<BodyId> bodies, std::unique_ptr<ForceField> field);

    std::span<const BodyId> chosen() const noexcept { return bodies_; } ///< sorted
    const ForceField& field() const noexcept { return *field_; }
    std::string_view name() const noexcept override { return field_->name(); }
    bool is_steady() const noexcept override { return field_->is_steady(); }
    bool acts_on(BodyId body) const noexcept override;
    Wrench at(double t, const BodyMotion& body) const override { return field_->at(t, body); }
    double next_change(double t) const override { return field_->next_change(t); }
    FieldCapabilities capabilities() const noexcept override { return field_->capabilities(); }

private:
    std::vector<BodyId> bodies_; ///< sorted
    std::unique_ptr<ForceField> field_;
};

/// Lets a field act during a time only, from `begin` on and before `end` (s). Its jumps are announced, so that no
/// substep straddles them. Without a potential, since switching one would change the energy at a stroke: all is work.
/// Switches are followed at all times, so that the field begins on the right side of each.
class TimedField final : public ForceField, private FieldStiffness, private FieldRotation {
public:
    /// Throws std::invalid_argument for a null field, or times that are not finite and in order.
    TimedField(double begin, double end, std::unique_ptr<ForceField> field);

    double begin() const noexcept { return begin_; } ///< s
    double end() const noexcept { return end_; }     ///< s
    const ForceField& field() const noexcept { return *field_; }
    std::string_view name() const noexcept override { return field_->name(); }
    bool acts_on(BodyId body) const noexcept override { return field_->acts_on(body); }
    std::span<const BodyId> bodies() const noexcept override { return field_->bodies(); }
    Wrench at(double t, const BodyMotion& body) const override { return is_on(t) ? field_->at(t, body) : Wrench{}; }
    void write_wrenches(double t, std::span<const BodyMotion> bodies, std::span<Wrench> wrenches) const override {
        if (is_on(t)) {
            field_->write_wrenches(t, bodies, wrenches);
        }
    }
    double next_change(double t) const override;
    FieldCapabilities capabilities() const noexcept override;
    std::size_t stiffness_count() const noexcept override;
    std::array<std::size_t, 2> stiffness_between(std::size_t i) const noexcept override;
    void write_stiffness(double t, std::span<const BodyMotion> bodies,
                         std::span<Stiffness> elements) const noexcept override;
    void write_rotations(double t, std::span<const BodyMotion> bodies,
                         std::span<VelocityRotation> rotations) const noexcept override;

private:
    bool is_on(double t) const noexcept { return t >= begin_ && t < end_; }

    double begin_;
    double end_;
    std::unique_ptr<ForceField> field_;
    FieldCapabilities offered_; ///< by that field
};

} // namespace substep

#pragma GCC visibility pop
