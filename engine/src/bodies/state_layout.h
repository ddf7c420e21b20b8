// Layout of an island's state: thirteen numbers a body, then the memory of joints, then works.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <glm/gtc/quaternion.hpp>
#include <glm/vec3.hpp>

#include "bodies/rigid_motion.h"

namespace substep::detail {

inline constexpr std::size_t kNumbersPerBody = 13;
inline constexpr std::size_t kPosition = 0;             ///< x
inline constexpr std::size_t kOrientation = 3;          ///< q as w, x, y, z
inline constexpr std::size_t kVelocity = 7;             ///< v
inline constexpr std::size_t kMomentum = 10;            ///< L
inline constexpr std::size_t kPlaceNumbers = kVelocity; ///< the first seven say where a body is

/// Compares bits: 0 and -0 differ, equal NaN do not.
inline bool same_bits(const double* a, const double* b, std::size_t count) noexcept {
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < count; ++i) {
        difference |= std::bit_cast<std::uint64_t>(a[i]) ^ std::bit_cast<std::uint64_t>(b[i]);
    }
    return difference == 0;
}

inline glm::dvec3 load_vector(const double* p) noexcept { return {p[0], p[1], p[2]}; }
inline glm::dquat load_quaternion(const double* p) noexcept { return {p[0], p[1], p[2], p[3]}; }

inline void store(double* p, const glm::dvec3& v) noexcept {
    p[0] = v.x;
    p[1] = v.y;
    p[2] = v.z;
}
inline void store(double* p, const glm::dquat& q) noexcept {
    p[0] = q.w;
    p[1] = q.x;
    p[2] = q.y;
    p[3] = q.z;
}

/// Reads and writes the numbers of one body.
inline BodyState read_body(std::size_t body, std::span<const double> y) noexcept {
    const double* const p = y.data() + body * kNumbersPerBody;
    return {load_vector(p + kPosition), load_quaternion(p + kOrientation), load_vector(p + kVelocity),
            load_vector(p + kMomentum)};
}
inline void write_body(std::size_t body, const BodyState& state, std::span<double> y) noexcept {
    double* const p = y.data() + body * kNumbersPerBody;
    store(p + kPosition, state.x);
    store(p + kOrientation, state.q);
    store(p + kVelocity, state.v);
    store(p + kMomentum, state.L);
}

/// Moves a body, whose numbers begin at `body`, by a small shift (m) and rotation vector (rad, world axes). Returns
/// where its centre of mass and principal axes get to.
inline Pose displace(double* body, const glm::dvec3& shift, const glm::dvec3& rotation) noexcept {
    Pose pose{load_vector(body + kPosition) + shift, load_quaternion(body + kOrientation)};
    store(body + kPosition, pose.position);
    if (rotation != glm::dvec3(0.0)) {
        pose.orientation = nudged(pose.orientation, rotation);
        store(body + kOrientation, pose.orientation);
    }
    return pose;
}

} // namespace substep::detail
