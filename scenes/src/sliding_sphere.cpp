// The reference holds way, velocity and slip, two numbers each, and an orientation.
#include "sliding_sphere.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <glm/geometric.hpp>

namespace substep::detail {
namespace {

constexpr double kInterval = 1.0 / 1024.0; // s: a slip of 0.05 m/s that is pulled by 5 m/s^2 turns in ten of them

} // namespace

glm::dvec3 SlidingSphere::angular_velocity(const glm::dvec2& v, const glm::dvec2& u, const glm::dvec2& plane) const {
    const glm::dvec2 roll = v - u - plane; // n x (x, z) is (z, -x)
    return {roll.y / radius, spin, -roll.x / radius};
}

glm::dvec2 SlidingSphere::plane_velocity(long double t) const {
    const long double speed = static_cast<long double>(shake_radius) * shake_rate;
    const long double phase = shake_rate * t;
    return {static_cast<double>(-speed * std::sin(phase)), static_cast<double>(speed * std::cos(phase))};
}

ReferenceMotion SlidingSphere::motion(double until) const {
    const bool is_straight = pull == glm::dvec2(0.0) && shake_radius * shake_rate == 0.0;
    const glm::dvec2 start = slip / glm::length(slip);
    const auto rates = [=, sphere = *this](long double t, std::span<const double> y, std::span<double> dydt) {
        const State now = state_of(y);
        const glm::dvec2 direction = is_straight ? start : now.slip / glm::length(now.slip);
        const glm::dvec2 plane = sphere.plane_velocity(t);
        const glm::dvec2 plane_acceleration(-sphere.shake_rate * plane.y, sphere.shake_rate * plane.x);
        const glm::dvec2 friction = -sphere.friction_deceleration * direction;
        const glm::dvec2 acceleration = sphere.pull + friction;
        const glm::dvec2 slip_rate = sphere.pull - plane_acceleration + 3.5 * friction;
        const glm::dvec3 w = sphere.angular_velocity(now.velocity, now.slip, plane);
        const glm::dquat turn = 0.5 * (detail::quaternion(0.0, w.x, w.y, w.z) * now.orientation);
        const double to[] = {now.velocity.x, now.velocity.y, acceleration.x, acceleration.y, slip_rate.x,
                             slip_rate.y,    turn.w,         turn.x,         turn.y,         turn.z};
        std::copy(std::begin(to), std::end(to), dydt.begin());
    };
    return ReferenceMotion(rates, {0.0, 0.0, velocity.x, velocity.y, slip.x, slip.y, 1.0, 0.0, 0.0, 0.0}, until,
                           is_straight ? until / std::ceil(until / kInterval) : kInterval);
}

SlidingSphere::State SlidingSphere::state_of(std::span<const double> y) {
    return {{y[0], y[1]}, {y[2], y[3]}, {y[4], y[5]}, glm::normalize(detail::quaternion(y[6], y[7], y[8], y[9]))};
}

} // namespace substep::detail
