// Rotation in three dimensions: momentum and rate, exponentials, and the torque-free splitting.
#include "bodies/rigid_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bodies/host_call.h"
#include "substep/numerics/elementary_functions.h"

namespace substep::detail {

BodyInertia::BodyInertia(double mass_, const glm::dvec3& moments_)
    : mass(mass_), inverse_mass(1.0 / mass_), moments(moments_), inverse_moments(1.0 / moments_) {
    for (int k = 0; k < 3; ++k) {
        if (moments[k] == std::numeric_limits<double>::infinity()) {
            moments[k] = 0.0; // its inverse is zero already
        }
    }
    if (turns()) { // else it stays 1 m
        gyration_radius = std::sqrt(std::max({moments.x, moments.y, moments.z}) / mass);
    }
}

BodyInertia BodyInertia::without_rotation(double mass) {
    BodyInertia inertia(mass, glm::dvec3(mass));
    inertia.moments = inertia.inverse_moments = glm::dvec3(0.0);
    return inertia; // radius of gyration 1 m
}

glm::dvec3 angular_velocity(const glm::dquat& q, const glm::dvec3& inverse_moments, const glm::dvec3& L) noexcept {
    const glm::dmat3 rotation = glm::mat3_cast(q);
    return rotation * (inverse_moments * (L * rotation)); // L * R is R^T L
}

glm::dvec3 angular_momentum(const glm::dquat& q, const glm::dvec3& moments, const glm::dvec3& omega) noexcept {
    const glm::dmat3 rotation = glm::mat3_cast(q);
    return rotation * (moments * (omega * rotation));
}

glm::dquat turned(const glm::dquat& q, const glm::dvec3& rotation) noexcept {
    double angle = std::sqrt(glm::dot(rotation, rotation));
    if (angle > std::numeric_limits<double>::max()) { // its square overflows, not the angle
        const double largest = std::max({std::abs(rotation.x), std::abs(rotation.y), std::abs(rotation.z)});
        const glm::dvec3 scaled = rotation / largest;
        angle = largest * std::sqrt(glm::dot(scaled, scaled));
    }
    if (!(angle > 0.0)) {
        return q;
    }
    double s = 0.0;
    double c = 0.0;
    sine_cosine(0.5 * angle, s, c);
    return normalised(detail::quaternion(c, rotation * (s / angle)) * q);
}

glm::dquat torque_free_turn(const glm::dquat& q, const glm::dvec3& L, const glm::dvec3& inverse_moments,
                            double h) noexcept {
    glm::dquat orientation = q;
    glm::dvec3 L_body = L * glm::mat3_cast(q);

    // Turns the body about its own axis k; seen from the body, L turns the other way.
    const auto turn = [&](int k, double time) {
        double s = 0.0;
        double c = 0.0;
        sine_cosine(0.5 * time * L_body[k] * inverse_moments[k], s, c);
        glm::dvec3 axis(0.0);
        axis[k] = s;
        orientation = orientation * detail::quaternion(c, axis);

        const double sine = 2.0 * s * c;
        const double cosine = 1.0 - 2.0 * s * s;
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        const double L_i = L_body[i];
        L_body[i] = cosine * L_i + sine * L_body[j];
        L_body[j] = cosine * L_body[j] - sine * L_i;
    };
    turn(0, 0.5 * h);
    turn(1, 0.5 * h);
    turn(2, h);
    turn(1, 0.5 * h);
    turn(0, 0.5 * h);
    return normalised(orientation);
}

namespace {

BodyPath::Point point_of(const BodyPath& path, double t) noexcept {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return call_host([&] { return path.at(t); },
                     [] {
                         const glm::dvec3 nowhere(kNan);
                         return BodyPath::Point{{nowhere, {1.0, 0.0, 0.0, 0.0}}, nowhere, nowhere, nowhere, nowhere};
                     });
}

} // namespace

// The centre of mass is carried along: x = p + c, v = p' + w x c, a = p'' + w' x c + w x (w x c).
glm::dvec3 PrescribedMotion::position_on_path(double t) const noexcept {
    const Pose pose = point_of(*path, t).pose;
    return pose.position + normalised(pose.orientation) * centre;
}

glm::dquat PrescribedMotion::orientation_on_path(double t) const noexcept {
    return normalised(normalised(point_of(*path, t).pose.orientation) * principal_to_body);
}

Twist PrescribedMotion::velocity_on_path(double t) const noexcept {
    const BodyPath::Point at = point_of(*path, t);
    const glm::dvec3 arm = normalised(at.pose.orientation) * centre;
    return {at.linear_velocity + glm::cross(at.angular_velocity, arm), at.angular_velocity};
}

Twist PrescribedMotion::acceleration_on_path(double t) const noexcept {
    const BodyPath::Point at = point_of(*path, t);
    const glm::dvec3 arm = normalised(at.pose.orientation) * centre;
    return {at.linear_acceleration + glm::cross(at.angular_acceleration, arm) +
                glm::cross(at.angular_velocity, glm::cross(at.angular_velocity, arm)),
            at.angular_acceleration};
}

bool PrescribedMotion::moves() const noexcept {
    return path != nullptr || velocity.linear != glm::dvec3(0.0) || velocity.angular != glm::dvec3(0.0);
}

} // namespace substep::detail
