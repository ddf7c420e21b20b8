// Motion of one rigid body: its state, and the ways in which an orientation turns. No forces here.
//
// Types that say where a body is:
//   Pose              position and orientation alone, of the frame named beside it
//   RigidState        a pose with velocities: what a host's own bodies are handed in and out as, and forces read
//   BodyMotion        the same for one force field: with mass and identity, of the body that the field acts on
//   BodyPath::Point   a pose with velocities and accelerations: the answer of a path
//   BodyState         the integrated numbers: position, orientation, velocity, angular momentum, as in y
//   PrescribedMotion  a function of time: the motion of a body that no force moves
//   Placement         position and rotation matrix: the input of contacts of features (collision)
//   BodyFrame         a placement that also says how the body answers to forces: computed once per stage
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "substep/engine/body.h"

namespace substep::detail {

/// State of one body: centre of mass and principal axes, in the world's frame.
struct BodyState {
    glm::dvec3 x{0.0};                                     ///< m
    glm::dquat q = detail::quaternion(1.0, 0.0, 0.0, 0.0); ///< principal axes to world
    glm::dvec3 v{0.0};                                     ///< m/s
    glm::dvec3 L{0.0};                                     ///< kg m^2/s, about the centre of mass
};

/// Velocity of a rigid body, or a quantity of its form: an acceleration, an infinitesimal displacement.
struct Twist {
    glm::dvec3 linear{0.0};
    glm::dvec3 angular{0.0};
    bool operator==(const Twist&) const = default;
};

/// Whether there is any force or torque.
inline bool acts(const Wrench& wrench) noexcept {
    return wrench.force != glm::dvec3(0.0) || wrench.torque != glm::dvec3(0.0);
}

/// Mass and principal moments of a dynamic body, with the inverses that the stepping path needs. An axis whose moment
/// is infinite has moment and inverse zero here: nothing turns about it, and it holds no energy. Its share of the
/// momentum is what torques about it have added up to.
struct BodyInertia {
    double mass = 1.0;
    double inverse_mass = 1.0;
    glm::dvec3 moments{1.0};
    glm::dvec3 inverse_moments{1.0};
    double gyration_radius = 1.0; ///< m, sqrt(largest moment / mass)

    BodyInertia() = default;
    BodyInertia(double mass, const glm::dvec3& moments);

    /// Inertia of a body that never turns: angular momenta and inverse moments are zero, and torques have no effect.
    /// Its gyration radius is 1 m, though there are no errors of rotation to scale.
    static BodyInertia without_rotation(double mass);
    /// Whether it turns about any axis.
    bool turns() const noexcept { return inverse_moments != glm::dvec3(0.0); }
    /// Whether it turns about all axes.
    bool turns_freely() const noexcept {
        return inverse_moments.x > 0.0 && inverse_moments.y > 0.0 && inverse_moments.z > 0.0;
    }
    /// Whether the angular velocity goes its own way while no torque acts: moments are not all equal.
    bool tumbles() const noexcept {
        return inverse_moments.x != inverse_moments.y || inverse_moments.y != inverse_moments.z;
    }
};

/// Returns the part of an angular velocity that is about axes which a body turns about, the columns of `axes`.
inline glm::dvec3 felt_about(const glm::dmat3& axes, const BodyInertia& inertia, const glm::dvec3& omega) noexcept {
    glm::dvec3 along = omega * axes;
    for (int k = 0; k < 3; ++k) {
        along[k] = inertia.inverse_moments[k] > 0.0 ? along[k] : 0.0;
    }
    return axes * along;
}

/// Returns omega = R I^-1 R^T L for a unit quaternion.
glm::dvec3 angular_velocity(const glm::dquat& q, const glm::dvec3& inverse_moments, const glm::dvec3& L) noexcept;

/// Returns L = R I R^T omega for a unit quaternion.
glm::dvec3 angular_momentum(const glm::dquat& q, const glm::dvec3& moments, const glm::dvec3& omega) noexcept;

/// Returns the rotation matrix of a quaternion of any length but zero.
inline glm::dmat3 rotation_matrix(const glm::dquat& q) noexcept {
    const double s = 2.0 / glm::dot(q, q);
    const double xx = s * q.x * q.x, yy = s * q.y * q.y, zz = s * q.z * q.z;
    const double xy = s * q.x * q.y, xz = s * q.x * q.z, yz = s * q.y * q.z;
    const double wx = s * q.w * q.x, wy = s * q.w * q.y, wz = s * q.w * q.z;
    return {1.0 - yy - zz, xy + wz, xz - wy, xy - wz, 1.0 - xx - zz, yz + wx, xz + wy, yz - wx, 1.0 - xx - yy};
}

/// Returns R I^-1 R^T in world axes: sum a_k a_k^T / I_k over the principal axes a_k, the columns of R.
inline glm::dmat3 world_inverse_inertia(const glm::dmat3& rotation, const glm::dvec3& inverse_moments) noexcept {
    const glm::dvec3 a = rotation[0] * inverse_moments.x;
    const glm::dvec3 b = rotation[1] * inverse_moments.y;
    const glm::dvec3 c = rotation[2] * inverse_moments.z;
    const auto entry = [&](int i, int j) {
        return a[i] * rotation[0][j] + b[i] * rotation[1][j] + c[i] * rotation[2][j];
    };
    const double xy = entry(0, 1);
    const double xz = entry(0, 2);
    const double yz = entry(1, 2);
    return {entry(0, 0), xy, xz, xy, entry(1, 1), yz, xz, yz, entry(2, 2)};
}

/// Returns `q` with unit length, bit for bit unchanged where its length is already 1 to round-off.
inline glm::dquat normalised(const glm::dquat& q) noexcept {
    // Within this band the length is 1 as well as double can say; leaving q alone makes the function idempotent.
    constexpr double kBand = 4.0 * std::numeric_limits<double>::epsilon();
    const double length_squared = glm::dot(q, q);
    if (std::abs(length_squared - 1.0) <= kBand) {
        return q;
    }
    // A square that overflows is no reason to lose the direction: zero would be no orientation.
    if (length_squared > std::numeric_limits<double>::max()) {
        const double largest = std::max({std::abs(q.w), std::abs(q.x), std::abs(q.y), std::abs(q.z)});
        const glm::dquat scaled = q * (1.0 / largest);
        return scaled * (1.0 / std::sqrt(glm::dot(scaled, scaled)));
    }
    return q * (1.0 / std::sqrt(length_squared));
}

/// Returns q' = 1/2 omega q.
inline glm::dquat turn_rate(const glm::dvec3& omega, const glm::dquat& q) noexcept {
    const glm::dvec3 half = 0.5 * omega;
    return {-half.x * q.x - half.y * q.y - half.z * q.z, half.x * q.w + half.y * q.z - half.z * q.y,
            half.y * q.w + half.z * q.x - half.x * q.z, half.z * q.w + half.x * q.y - half.y * q.x};
}

/// Returns exp(rotation) q: the orientation turned by a rotation vector (rad, world axes).
glm::dquat turned(const glm::dquat& q, const glm::dvec3& rotation) noexcept;

/// Returns the same to first order in `rotation`, for corrections that an iteration repeats until they vanish.
inline glm::dquat nudged(const glm::dquat& q, const glm::dvec3& rotation) noexcept {
    return normalised(q + turn_rate(rotation, q));
}

/// Returns the orientation after a torque-free time h at angular momentum L: rotations about the principal axes by
/// h L_k / I_k, in the symmetric order x/2 y/2 z y/2 x/2. Second order, symplectic, and exact in L.
/// Source: Dullweber, Leimkuhler & McLachlan, J. Chem. Phys. 107 (1997) 5840, eq. 22.
glm::dquat torque_free_turn(const glm::dquat& q, const glm::dvec3& L, const glm::dvec3& inverse_moments,
                            double h) noexcept;

/// Motion that nothing influences: along a path, or constant velocity and angular velocity since t0; both are zero for
/// a static body.
struct PrescribedMotion {
    glm::dvec3 x0{0.0};
    glm::dquat q0 = detail::quaternion(1.0, 0.0, 0.0, 0.0);
    Twist velocity;
    double t0 = 0.0;
    const BodyPath* path = nullptr; ///< instead of the members above; the body's record owns it
    glm::dvec3 centre{0.0};         ///< m, of mass, in the frame that the path moves
    glm::dquat principal_to_body = detail::quaternion(1.0, 0.0, 0.0, 0.0);

    glm::dvec3 position(double t) const noexcept {
        return path == nullptr ? x0 + velocity.linear * (t - t0) : position_on_path(t);
    }
    glm::dquat orientation(double t) const noexcept {
        return path == nullptr ? turned(q0, velocity.angular * (t - t0)) : orientation_on_path(t);
    }
    Twist velocity_at(double t) const noexcept { return path == nullptr ? velocity : velocity_on_path(t); }
    Twist acceleration_at(double t) const noexcept { return path == nullptr ? Twist{} : acceleration_on_path(t); }
    bool moves() const noexcept;
    bool operator==(const PrescribedMotion&) const = default;

private:
    glm::dvec3 position_on_path(double t) const noexcept;
    glm::dquat orientation_on_path(double t) const noexcept;
    Twist velocity_on_path(double t) const noexcept;
    Twist acceleration_on_path(double t) const noexcept;
};

} // namespace substep::detail
