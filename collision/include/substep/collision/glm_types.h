// GLM's vectors, matrices and quaternions, as the library was compiled with them.
//
// They are what a host already computes with, so they are part of our calls rather than types of our own that every
// host would convert to and back. What they look like in memory is therefore part of the library's binary interface,
// and GLM's configuration macros can change it. One layout is accepted, that of GLM 0.9.9.8 and of the releases 1.0;
// under any macro that gives another, the compiler says which it is.
#pragma once

#include <cstddef>
#include <type_traits>

#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>

#include "substep/version.h"

static_assert(std::is_same_v<glm::dvec3::length_type, int>,
              "Substep is compiled with GLM's lengths as int: do not define GLM_FORCE_SIZE_T_LENGTH.");
static_assert(sizeof(glm::dvec3) == 3 * sizeof(double) && alignof(glm::dvec3) == alignof(double) &&
                  sizeof(glm::dmat3) == 9 * sizeof(double) && sizeof(glm::dquat) == 4 * sizeof(double) &&
                  alignof(glm::dquat) == alignof(double),
              "Substep is compiled with GLM's packed types: do not define GLM_FORCE_DEFAULT_ALIGNED_GENTYPES.");
static_assert(offsetof(glm::dquat, x) == 0 && offsetof(glm::dquat, w) == 3 * sizeof(double),
              "Substep is compiled with GLM's quaternions as x, y, z, w in memory: do not define "
              "GLM_FORCE_QUAT_DATA_WXYZ.");

#pragma GCC visibility push(default)

namespace substep::detail {

/// The quaternion w + xi + yj + zk. Its members are named: the order of GLM's own constructors depends on its version
/// and macros.
template <class T>
constexpr glm::qua<T> quaternion(T w, T x, T y, T z) {
    glm::qua<T> q{};
    q.w = w;
    q.x = x;
    q.y = y;
    q.z = z;
    return q;
}
template <class T>
constexpr glm::qua<T> quaternion(T w, const glm::vec<3, T>& v) {
    return quaternion(w, v.x, v.y, v.z);
}

} // namespace substep::detail

#pragma GCC visibility pop
