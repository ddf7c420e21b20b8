// Force fields between bodies.
#include "substep/engine/springs.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include "bodies/validation.h"
#include "substep/numerics/elementary_functions.h"

namespace substep {
namespace {

// A line between two anchors: where they are, how long it is, and how fast that changes.
struct Line {
    glm::dvec3 a, b;
    glm::dvec3 direction{0.0}; ///< from a to b, of unit length; zero where they meet
    double length = 0.0;
    double rate = 0.0; ///< m/s

    Line(const SpringDesc& desc, std::span<const BodyMotion> bodies) noexcept
        : a(bodies[0].point(desc.anchor_a)), b(bodies[1].point(desc.anchor_b)), length(glm::length(b - a)) {
        if (length > 0.0) {
            direction = (b - a) / length;
            rate = glm::dot(direction, bodies[1].velocity_at(b) - bodies[0].velocity_at(a));
        }
    }
};

} // namespace

Spring::Spring(const SpringDesc& desc) : desc_(desc), bodies_{desc.body_a, desc.body_b} {
    detail::require_finite("An anchor of the spring", desc.anchor_a);
    detail::require_finite("An anchor of the spring", desc.anchor_b);
    detail::require_not_negative("The stiffness of the spring", desc.stiffness, "N/m");
    detail::require_not_negative("The rest length of the spring", desc.rest_length, "m");
    detail::require_not_negative("The damping of the spring", desc.damping, "N s/m");
}

void Spring::write_wrenches(double, std::span<const BodyMotion> bodies, std::span<Wrench> wrenches) const noexcept {
    const Line line(desc_, bodies);
    const double pull = desc_.stiffness * (line.length - desc_.rest_length) + desc_.damping * line.rate;
    const glm::dvec3 force = pull * line.direction; // on a; the opposite on b
    wrenches[0] = {force, glm::cross(line.a - bodies[0].position, force)};
    wrenches[1] = {-force, glm::cross(line.b - bodies[1].position, -force)};
}

double Spring::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    const double stretch = Line(desc_, bodies).length - desc_.rest_length;
    return 0.5 * desc_.stiffness * stretch * stretch;
}

double Spring::power_beyond_potential(double, std::span<const BodyMotion> bodies,
                                      std::span<const Wrench> wrenches) const noexcept {
    if (desc_.damping == 0.0) {
        return 0.0;
    }
    const Line line(desc_, bodies);
    return power(wrenches[0], bodies[0]) + power(wrenches[1], bodies[1]) +
           desc_.stiffness * (line.length - desc_.rest_length) * line.rate;
}

// Along the line stiffness and damping are the spring's own. Across it the pull turns with the line: a stretched spring
// has stiffness pull / length there, one of no rest length as much as along it; one that pushes has none.
void Spring::write_stiffness(double, std::span<const BodyMotion> bodies, std::span<Stiffness> elements) const noexcept {
    const Line line(desc_, bodies);
    const bool has_direction = line.length > 0.0;
    const glm::dvec3 u = has_direction ? line.direction : glm::dvec3(1.0, 0.0, 0.0);
    const glm::dvec3 helper = std::abs(u.x) < 0.6 ? glm::dvec3(1.0, 0.0, 0.0) : glm::dvec3(0.0, 1.0, 0.0);
    const glm::dvec3 v = glm::normalize(glm::cross(u, helper));
    const std::array<glm::dvec3, 3> axes{u, v, glm::cross(u, v)};
    const double pull = desc_.stiffness * (line.length - desc_.rest_length);
    const double across = has_direction ? pull / line.length : desc_.rest_length == 0.0 ? desc_.stiffness : 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
        Stiffness::Direction& direction = elements[0].directions[k];
        const glm::dvec3& axis = axes[k];
        direction.unit = {Wrench{-axis, glm::cross(line.a - bodies[0].position, -axis)},
                          Wrench{axis, glm::cross(line.b - bodies[1].position, axis)}};
        direction.stiffness = k > 0 ? std::max(across, 0.0) : has_direction ? desc_.stiffness : across;
        direction.damping = k == 0 && has_direction ? desc_.damping : 0.0;
    }
}

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// Twist about the first frame's z beyond the rest angle, the short way round; its gradient by rotations of the second
// body (world axes), and its rate.
struct Twisting {
    double beyond = 0.0;
    glm::dvec3 gradient{0.0};
    double rate = 0.0;

    Twisting(const TorsionSpringDesc& desc, std::span<const BodyMotion> bodies) noexcept {
        const glm::dquat a = bodies[0].orientation * desc.frame_a;
        glm::dquat q = glm::conjugate(a) * bodies[1].orientation * desc.frame_b;
        q = q.w < 0.0 ? -q : q; // the same orientation, with the angle within half a turn
        const glm::dvec3 v(q.x, q.y, q.z);
        const glm::dvec3 z(0.0, 0.0, 1.0);
        const double size = q.w * q.w + q.z * q.z;
        beyond = 2.0 * arctangent(q.z, q.w) - desc.rest_angle;
        beyond -= beyond > std::numbers::pi ? kTurn : beyond < -std::numbers::pi ? -kTurn : 0.0;
        // From q' = 1/2 (0, omega) q: phi' = omega . (w^2 z + w v x z + q_z v) / (w^2 + q_z^2).
        gradient = a * ((q.w * q.w * z + q.w * glm::cross(v, z) + q.z * v) / size);
        rate = glm::dot(gradient, bodies[1].angular_velocity - bodies[0].angular_velocity);
    }
};

} // namespace

TorsionSpring::TorsionSpring(const TorsionSpringDesc& desc) : desc_(desc), bodies_{desc.body_a, desc.body_b} {
    desc_.frame_a = detail::require_orientation("A frame of the torsion spring", desc.frame_a);
    desc_.frame_b = detail::require_orientation("A frame of the torsion spring", desc.frame_b);
    detail::require_not_negative("The stiffness of the torsion spring", desc.stiffness, "N m/rad");
    detail::require_not_negative("The damping of the torsion spring", desc.damping, "N m s/rad");
    if (!(std::abs(desc.rest_angle) < std::numbers::pi)) {
        throw std::invalid_argument("The rest angle of the torsion spring is " + std::to_string(desc.rest_angle) +
                                    " rad; it must be within (-pi, pi).");
    }
}

void TorsionSpring::write_wrenches(double, std::span<const BodyMotion> bodies,
                                   std::span<Wrench> wrenches) const noexcept {
    const Twisting twist(desc_, bodies);
    const double strength = desc_.stiffness * twist.beyond + desc_.damping * twist.rate;
    wrenches[0].torque = strength * twist.gradient;
    wrenches[1].torque = -strength * twist.gradient;
}

double TorsionSpring::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    const double beyond = Twisting(desc_, bodies).beyond;
    return 0.5 * desc_.stiffness * beyond * beyond;
}

double TorsionSpring::power_beyond_potential(double, std::span<const BodyMotion> bodies,
                                             std::span<const Wrench> wrenches) const noexcept {
    if (desc_.damping == 0.0) {
        return 0.0;
    }
    const Twisting twist(desc_, bodies);
    return power(wrenches[0], bodies[0]) + power(wrenches[1], bodies[1]) + desc_.stiffness * twist.beyond * twist.rate;
}

void TorsionSpring::write_stiffness(double, std::span<const BodyMotion> bodies,
                                    std::span<Stiffness> elements) const noexcept {
    const glm::dvec3 gradient = Twisting(desc_, bodies).gradient;
    Stiffness::Direction& direction = elements[0].directions[0];
    direction.unit = {Wrench{glm::dvec3(0.0), -gradient}, Wrench{glm::dvec3(0.0), gradient}};
    direction.stiffness = desc_.stiffness;
    direction.damping = desc_.damping;
}

MutualGravity::MutualGravity(MutualGravityDesc desc) : desc_(std::move(desc)) {
    if (desc_.bodies.size() < 2) {
        throw std::invalid_argument("Mutual gravity was given " + std::to_string(desc_.bodies.size()) +
                                    " bodies; there must be two or more.");
    }
    detail::require_not_negative("The gravitational constant", desc_.gravitational_constant, "m^3/(kg s^2)");
    detail::require_not_negative("The softening length", desc_.softening, "m");
}

void MutualGravity::write_wrenches(double, std::span<const BodyMotion> bodies,
                                   std::span<Wrench> wrenches) const noexcept {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const glm::dvec3 d = bodies[i].position - bodies[j].position;
            const double r2 = glm::dot(d, d) + desc_.softening * desc_.softening;
            const double strength = desc_.gravitational_constant * bodies[i].mass * bodies[j].mass;
            const glm::dvec3 force = strength / (r2 * std::sqrt(r2)) * d; // on j; the opposite on i
            wrenches[j].force += force;
            wrenches[i].force -= force;
        }
    }
}

double MutualGravity::potential(double, std::span<const BodyMotion> bodies) const noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const glm::dvec3 d = bodies[i].position - bodies[j].position;
            sum -= desc_.gravitational_constant * bodies[i].mass * bodies[j].mass /
                   std::sqrt(glm::dot(d, d) + desc_.softening * desc_.softening);
        }
    }
    return sum;
}

} // namespace substep
