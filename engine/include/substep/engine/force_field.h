// Forces that follow from time and state alone.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "substep/engine/body.h"
#include "substep/version.h"

#pragma GCC visibility push(default)

namespace substep {

/// Names a force field of one world, as BodyId names a body.
struct ForceFieldId {
    std::uint32_t index = 0xffffffffu;
    std::uint32_t generation = 0;
    std::uint32_t world = 0;
    auto operator<=>(const ForceFieldId&) const = default;
};

/// What a host says of a force field beside its forces.
struct FieldTag {
    std::string name{};          ///< by which sentences call it; empty: ForceField::name
    std::uint64_t user_data = 0; ///< of the host
};

/// The quantities of one body that a force may depend on. The world itself (kGround) rests at the origin with mass
/// 0.
struct BodyMotion {
    BodyId id;
    double mass = 0.0;                                               ///< kg
    glm::dvec3 position{0.0};                                        ///< m, centre of mass
    glm::dquat orientation = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< body to world
    glm::dvec3 velocity{0.0};                                        ///< m/s, of the centre of mass
    glm::dvec3 angular_velocity{0.0};                                ///< rad/s, world axes
    glm::dvec3 centre_of_mass{0.0};                                  ///< m, in the body's frame
    std::uint32_t sides = 0; ///< bit i: the field that is asked is on the positive side of its switch i
    glm::dvec3 moments{0.0}; ///< kg m^2, principal moments of inertia
    glm::dquat principal_axes = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< to the body's frame

    /// Returns where a point of the body, given in its frame (m), is in the world.
    glm::dvec3 point(const glm::dvec3& in_body) const noexcept {
        return position + orientation * (in_body - centre_of_mass);
    }
    /// Returns I x (world axes) for the tensor of inertia I about the centre of mass.
    glm::dvec3 inertia_times(const glm::dvec3& x) const noexcept {
        const glm::dquat q = orientation * principal_axes;
        return q * (moments * (glm::conjugate(q) * x));
    }
    /// Returns the velocity (m/s) of the body at a world point.
    glm::dvec3 velocity_at(const glm::dvec3& world_point) const noexcept {
        return velocity + glm::cross(angular_velocity, world_point - position);
    }
};

/// How forces between two bodies, or on one, stiffen: springs and dampers along up to three directions.
struct Stiffness {
    struct Direction {
        /// On each of the two bodies, the wrench of a unit force (N, or N m) along it. The coordinate that it belongs
        /// to changes at their power, force . velocity + torque . angular velocity, both summed.
        std::array<Wrench, 2> unit{};
        double stiffness = 0.0; ///< N/m or N m/rad, not negative: what pushes its bodies further away is left out
        double damping = 0.0;   ///< N s/m or N m s/rad, not negative
    };
    std::array<Direction, 3> directions{}; ///< those not needed stay zero
};

/// Returns the power (W) of a wrench on a moving body: F . v + tau . omega.
inline double power(const Wrench& wrench, const BodyMotion& body) noexcept {
    return glm::dot(wrench.force, body.velocity) + glm::dot(wrench.torque, body.angular_velocity);
}

/// Switches of a field: functions of time and motion at whose zeros it changes its formula, such as a rope that goes
/// slack. The zeros are located in time, and substeps end there.
class FieldSwitches {
public:
    /// Returns how many there are, constant, at most 32 (for each body, if the field acts on each by itself).
    virtual std::size_t switch_count() const noexcept = 0;

    /// Writes their values at time t (s), smooth functions, to `g`; `bodies` as in FieldPotential. The formula to use
    /// is the one that BodyMotion::sides tells, even a little beyond its zero: trial states go there before the zero is
    /// found. A switch is crossed: forces that drive it back from both sides (dry friction) need contacts or joints.
    virtual void switch_values(double t, std::span<const BodyMotion> bodies, std::span<double> g) const noexcept = 0;

protected:
    ~FieldSwitches() = default;
};

/// How a field stiffens. Only forces stiffer than a step resolves need it: with it, linearly implicit methods ("theta")
/// step over the stiffness, and reports know how fast it vibrates or decays. It changes no force: derivatives that are
/// only roughly right cost theta some accuracy.
class FieldStiffness {
public:
    /// Returns how many Stiffness elements there are, constant; a field that acts on each body by itself has as many
    /// for each.
    virtual std::size_t stiffness_count() const noexcept = 0;

    /// Returns which two of `ForceField::bodies` element i is between, constant; the same twice for one body alone.
    virtual std::array<std::size_t, 2> stiffness_between(std::size_t) const noexcept { return {0, 0}; }

    /// Writes the elements at time t (s); `bodies` as in FieldPotential, the elements zero. Pure, as forces are. For a
    /// force F on one body its damping is the symmetric part of -dF/dv, its stiffness that of -dF/dx, each along axes
    /// of their own, negative ones left out: of -c v it is c along any three axes.
    virtual void write_stiffness(double t, std::span<const BodyMotion> bodies,
                                 std::span<Stiffness> elements) const noexcept = 0;

protected:
    ~FieldStiffness() = default;
};

/// Potential of a field: its forces are minus the gradient, but for the part that `power_beyond_potential` speaks of.
class FieldPotential {
public:
    /// Returns the potential energy (J) at time t: of one body for a field that acts on each by itself, else of all
    /// `ForceField::bodies` together.
    virtual double potential(double t, std::span<const BodyMotion> bodies) const = 0;

    /// Returns the power (W) that the potential does not account for: sum of F . v + tau . omega over `bodies`, plus
    /// the rate of change of the potential along the motion. That of a damped spring is the power of its damper, that
    /// of a potential that depends on time its partial derivative by time. Default: none.
    virtual double power_beyond_potential(double /*t*/, std::span<const BodyMotion> /*bodies*/,
                                          std::span<const Wrench> /*wrenches*/) const noexcept {
        return 0.0;
    }

protected:
    ~FieldPotential() = default;
};

/// How forces across the velocity turn one body.
struct VelocityRotation {
    glm::dvec3 rate{0.0};   ///< rad/s: the force on the body is its mass times cross(rate, velocity)
    glm::dvec3 moment{0.0}; ///< kg m^2/s: the torque is cross(moment, angular_velocity)
};

/// Forces across the velocity that are among a field's forces: of magnetic fields, of rotating frames. They do no work,
/// but kicks in their direction make a body faster with every substep. Methods that split forces from motion (kick and
/// drift, velocity steps, "theta") turn velocities at the rates stated here instead, exactly where no joints are, and
/// take only the rest of the field's forces for kicks.
class FieldRotation {
public:
    /// Writes the rotation of each of `bodies` at time t (s), as in FieldPotential; `rotations` are zero. A pure
    /// function of time and places.
    virtual void write_rotations(double t, std::span<const BodyMotion> bodies,
                                 std::span<VelocityRotation> rotations) const noexcept = 0;

protected:
    ~FieldRotation() = default;
};

/// What a field offers beside its forces; null: nothing of the kind.
struct FieldCapabilities {
    const FieldSwitches* switches = nullptr;
    const FieldStiffness* stiffness = nullptr;
    const FieldPotential* potential = nullptr;
    const FieldRotation* rotation = nullptr;
};

/// Adds forces and torques to bodies, as a pure function of (t, state): called at trial states, several times per
/// substep, from any thread, and must not allocate. What it throws ends the step of its island with
/// StepStatus::ModelThrew and its message; it may not edit the world that asks it. A force that is computed once per
/// step and then held makes every method first order.
///
/// A field acts in one of two ways. Without `bodies` it acts on every dynamic body by itself: override `at`. With
/// `bodies` it acts on these together (a spring, mutual gravity), and they are integrated together: override
/// `write_wrenches`. forces.h and springs.h have the fields that most worlds need.
class ForceField {
public:
    virtual ~ForceField() = default;

    /// Returns what it is, in two or three lower-case words, for people.
    virtual std::string_view name() const noexcept { return "force field"; }

    /// Returns force and torque on `body` at time t (s).
    virtual Wrench at(double, const BodyMotion&) const { return {}; }

    /// Returns whether `at` acts on a body. Asked when bodies or fields change, not while time moves.
    virtual bool acts_on(BodyId) const noexcept { return true; }

    /// Returns the bodies that it ties together, none twice, at least one of them dynamic; static and kinematic ones
    /// and the world may be among them. Constant. Empty: the field acts on each body by itself.
    virtual std::span<const BodyId> bodies() const noexcept { return {}; }

    /// Writes the wrench on each of `bodies()` at time t (s); `bodies` and `wrenches` are in that order, the wrenches
    /// zero. Those on bodies that are not dynamic move nothing, but say what work their motion does.
    virtual void write_wrenches(double, std::span<const BodyMotion>, std::span<Wrench>) const {}

    /// Returns whether the field's forces depend on the state alone, not on time. Only then may bodies that it acts on
    /// fall asleep: while they sleep nobody asks it.
    virtual bool is_steady() const noexcept { return false; }

    /// Returns the first time after t (s) at which the force jumps, or one of its derivatives does, as a function of
    /// time: no substep straddles it, and until then the field is never asked at that time or later. Default: never.
    virtual double next_change(double) const { return std::numeric_limits<double>::infinity(); }

    /// Returns what else the field offers, constant; it lives as long as the field. A field that wraps another one
    /// hands on what that one offers, whatever it is, and replaces what it changes. Default: nothing.
    virtual FieldCapabilities capabilities() const noexcept { return {}; }
};

/// Returns the power (W) of a field's wrenches on `bodies` that its potential, if it has one, does not account for.
double power_beyond_potential(const FieldPotential* potential, double t, std::span<const BodyMotion> bodies,
                              std::span<const Wrench> wrenches) noexcept;

} // namespace substep

#pragma GCC visibility pop
