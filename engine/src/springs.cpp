// Force fields between bodies.
#include "substep/engine/springs.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "validation.h"

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
                                      std::span<const Wrench>) const noexcept {
    const double rate = Line(desc_, bodies).rate;
    return -desc_.damping * rate * rate;
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
