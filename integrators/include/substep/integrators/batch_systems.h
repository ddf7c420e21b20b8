// Systems that ship ready for batches, and their dispatch to what the processor can do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "substep/integrators/batch.h"
#include "substep/numerics/simd_level.h"
#include "substep/numerics/strict_arithmetic.h"
#include "substep/version.h"

#pragma GCC visibility push(default)
SUBSTEP_BEGIN_STRICT_ARITHMETIC

namespace substep {

/// theta'' = -rate sin theta; y = (theta, theta') in rad and rad/s.
struct BatchPendulum {
    static constexpr std::size_t kSize = 2;
    double rate = 9.8; ///< g / length, 1/s^2

    template <class Scalar>
    std::array<Scalar, kSize> operator()(const Scalar& /*t*/, const std::array<Scalar, kSize>& y) const {
        return {y[1], -rate * sine(y[0])};
    }
};

/// x'' = -stiffness x - damping x', both by mass; y = (x, x').
struct BatchSpring {
    static constexpr std::size_t kSize = 2;
    double stiffness = 1.0; ///< 1/s^2
    double damping = 0.0;   ///< 1/s

    template <class Scalar>
    std::array<Scalar, kSize> operator()(const Scalar& /*t*/, const std::array<Scalar, kSize>& y) const {
        return {y[1], -stiffness * y[0] - damping * y[1]};
    }
};

/// A point mass with quadratic drag, v' = g - drag |v| v with g along -y; y = (x, v), six numbers, m and m/s.
struct BatchProjectile {
    static constexpr std::size_t kSize = 6;
    double gravity = 9.8; ///< m/s^2
    double drag = 0.01;   ///< 1/m

    template <class Scalar>
    std::array<Scalar, kSize> operator()(const Scalar& /*t*/, const std::array<Scalar, kSize>& y) const {
        const Scalar slowing = -drag * square_root(y[3] * y[3] + y[4] * y[4] + y[5] * y[5]);
        return {y[3], y[4], y[5], slowing * y[3], slowing * y[4] - gravity, slowing * y[5]};
    }
};

/// A satellite of a fixed centre, x'' = -mu x / |x|^3 in a plane; y = (x, v), four numbers.
struct BatchKepler {
    static constexpr std::size_t kSize = 4;
    double mu = 1.0; ///< G M, m^3/s^2

    template <class Scalar>
    std::array<Scalar, kSize> operator()(const Scalar& /*t*/, const std::array<Scalar, kSize>& y) const {
        const Scalar square = y[0] * y[0] + y[1] * y[1];
        const Scalar pull = -mu / (square * square_root(square));
        return {y[2], y[3], pull * y[0], pull * y[1]};
    }
};

/// A free rigid body with drag, in the engine's state: position x, orientation q (w, x, y, z; body to world),
/// velocity v and angular momentum L in the world frame, 13 numbers. The orientation need not be
/// of unit length, and keeps the length it has.
struct BatchRigidBody {
    static constexpr std::size_t kSize = 13;
    std::array<double, 3> inverse_inertia{1.0, 1.0,
                                          1.0}; ///< about the principal axes, which are the body's, 1/(kg m^2)
    double gravity = 0.0;                       ///< along -y, m/s^2
    double drag = 0.0;                          ///< force against the momentum, by momentum, 1/s
    double angular_drag = 0.0;                  ///< torque against the angular momentum, by that, 1/s

    template <class Scalar>
    std::array<Scalar, kSize> operator()(const Scalar& /*t*/, const std::array<Scalar, kSize>& y) const {
        // L in the body's axes, L + 2/|q|^2 (p x (p x L) - w p x L) with p = (x, u, z): q enters in products of two, so
        // that no root is needed.
        const Scalar& w = y[3];
        const Scalar& x = y[4];
        const Scalar& u = y[5];
        const Scalar& z = y[6];
        const Scalar twice = 2.0 / ((w * w + x * x) + (u * u + z * z));
        const Scalar c0 = u * y[12] - z * y[11];
        const Scalar c1 = z * y[10] - x * y[12];
        const Scalar c2 = x * y[11] - u * y[10];
        const Scalar l0 = y[10] + twice * ((u * c2 - z * c1) - w * c0);
        const Scalar l1 = y[11] + twice * ((z * c0 - x * c2) - w * c1);
        const Scalar l2 = y[12] + twice * ((x * c1 - u * c0) - w * c2);

        // Half the angular velocity in the body's axes.
        const Scalar b0 = (0.5 * inverse_inertia[0]) * l0;
        const Scalar b1 = (0.5 * inverse_inertia[1]) * l1;
        const Scalar b2 = (0.5 * inverse_inertia[2]) * l2;

        // q' = q (0, omega_body) / 2, whatever the length of q
        return {y[7],
                y[8],
                y[9],
                -(x * b0 + u * b1 + z * b2),
                w * b0 + (u * b2 - z * b1),
                w * b1 + (z * b0 - x * b2),
                w * b2 + (x * b1 - u * b0),
                -drag * y[7],
                -drag * y[8] - gravity,
                -drag * y[9],
                -angular_drag * y[10],
                -angular_drag * y[11],
                -angular_drag * y[12]};
    }
};

/// Returns the names of the methods that batches of the systems above offer: every explicit Runge-Kutta row of the
/// catalogue; those without error estimate for fixed substeps only.
std::span<const std::string_view> batch_methods() noexcept;

/// Integrates a batch of a system above as `integrate_batch_fixed` does, with the code that suits the processor. Throws
/// std::invalid_argument for a method that batches do not offer, or a level that is not among simd_levels().
template <class System>
void advance_batch(const System& system, std::string_view method, double t0, double t1, std::int64_t substeps,
                   const BatchView& batch, std::span<StepStatus> statuses, SimdLevel level = simd_levels().back());

/// Integrates a batch of a system above as `integrate_batch` does, each system with its own steps.
template <class System>
void advance_batch(const System& system, std::string_view method, double t0, double t1,
                   const IntegrateSettings& settings, const BatchView& batch, std::span<IntegrateReport> reports,
                   SimdLevel level = simd_levels().back());

} // namespace substep

SUBSTEP_END_STRICT_ARITHMETIC
#pragma GCC visibility pop
