// Velocities turned by the forces across them.
#pragma once

#include <span>
#include <vector>

#include "dynamics/configuration.h"
#include "forces/force_model.h"

namespace substep::detail {

/// The flow of the forces across the velocity alone (see FieldRotation), at fixed places: v' = W x v, L' = G x omega.
/// Without joints it is exact: v turns by W h, and sqrt(I^-1) L, in the principal axes, about sqrt(I) G / sqrt(det I).
/// Joints leave of it what they allow. Turning and then removing what joints forbid would take energy with every step;
/// instead, with P the projection that impulses of joints make and A the turning of momenta p,
///   p+ = p + h/2 P A (p + p+)  (Cayley: second order, symmetric in time, keeps the energy at any h),
/// solved by conjugate gradients for (1 - K^2) d = (1 + K) 2 K p, K = h/2 P A P antisymmetric, d = p+ - p. What of the
/// velocities the joints do not allow, because a kick has not been projected yet, stays as it is.
class VelocityTurn {
public:
    VelocityTurn(Configuration& configuration, ForceModel& forces) noexcept : c_(&configuration), forces_(&forces) {}

    /// Sizes scratch space for the configuration and the forces. Allocates to grow.
    void resize();

    /// Turns the velocities of `y` for a time h (s), as forces are at time t. The bodies' velocities are those of `y`
    /// then. Returns the work (J) that prescribed bodies did meanwhile by the joints that drive others across the
    /// field.
    double turn(double t, double h, std::span<double> y) noexcept;

    /// Returns the highest rate (rad/s) at which anything turns, where the bodies were placed last.
    double fastest() noexcept;

private:
    void ask(double t) noexcept;
    void turn_freely(double h, std::span<double> y) noexcept;
    double turn_within_joints(double h, std::span<double> y) noexcept;
    void project(bool with_prescribed, std::span<Wrench> momenta) noexcept;
    void turn_momenta(double h, std::span<const Wrench> momenta, std::span<Wrench> turned) noexcept;
    double product(std::span<const Wrench> a, std::span<const Wrench> b) const noexcept;
    Twist velocity_of(std::size_t body, const Wrench& momentum) const noexcept;
    glm::dvec3 turn_of_momentum(std::size_t body, glm::dmat3& axes) const noexcept;

    Configuration* c_;
    ForceModel* forces_;
    std::vector<VelocityRotation> rotations_; ///< of the dynamic bodies
    // Scratch space where there are joints: momenta (N s, N m s) of the dynamic bodies.
    std::vector<Wrench> allowed_;   ///< p, as far as joints allow it
    std::vector<Wrench> change_;    ///< d
    std::vector<Wrench> residual_;  ///< of the equation for d
    std::vector<Wrench> direction_; ///< in which d is searched
    std::vector<Wrench> once_;      ///< K of it
    std::vector<Wrench> twice_;     ///< K^2 of it
    std::vector<Twist> velocities_; ///< of all bodies
    std::vector<double> lambda_;
};

} // namespace substep::detail
