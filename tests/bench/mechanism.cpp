// The mechanisms that the engines are compared on.
#include "mechanism.h"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>

namespace substep_bench {
namespace {

glm::dvec3 box_moments(double mass, const glm::dvec3& half) {
    return mass / 3.0 *
           glm::dvec3(half.y * half.y + half.z * half.z, half.x * half.x + half.z * half.z,
                      half.x * half.x + half.y * half.y);
}

// Adds boxes of 1 kg end to end from the origin, turned about z from the x axis.
void add_links(Mechanism& mechanism, int count, const glm::dvec3& half, Held held, double angle) {
    const glm::dvec3 along(std::cos(angle), std::sin(angle), 0.0);
    const glm::dquat orientation(std::cos(0.5 * angle), 0.0, 0.0, std::sin(0.5 * angle));
    for (int i = 0; i < count; ++i) {
        mechanism.bodies.push_back({1.0, box_moments(1.0, half), (2.0 * i + 1.0) * half.x * along, orientation, held,
                                    2.0 * i * half.x * along});
    }
}

constexpr double kLinkLength = 0.5; // m
const glm::dvec3 kLink{0.5 * kLinkLength, 0.05, 0.05};

} // namespace

Mechanism make_pendulum() {
    // The effective length d + I / (m d) is 1 m.
    const double moment = 0.001;
    const double d = 0.5 * (1.0 + std::sqrt(1.0 - 4.0 * moment));
    Mechanism mechanism;
    mechanism.bodies.push_back(
        {1.0, glm::dvec3(moment), {0.0, -d, 0.0}, {1.0, 0.0, 0.0, 0.0}, Held::ByHinge, glm::dvec3(0.0)});
    mechanism.first_rates = {0.0, 0.0, -2.0};
    return mechanism;
}

Mechanism make_tumbling_body() {
    Mechanism mechanism;
    mechanism.bodies.push_back({1.0, {1.0, 2.0, 3.0}});
    mechanism.first_rates = {0.01, 5.0, 0.01};
    mechanism.gravity = 0.0;
    return mechanism;
}

Mechanism make_double_pendulum() {
    Mechanism mechanism;
    add_links(mechanism, 2, {0.5, 0.05, 0.05}, Held::ByHinge, 0.0);
    return mechanism;
}

Mechanism make_chain(int links) {
    Mechanism mechanism;
    add_links(mechanism, links, kLink, Held::ByBall, 0.0);
    return mechanism;
}

Mechanism make_loaded_chain() {
    constexpr int kLinks = 10;
    Mechanism mechanism;
    const double angle = -0.25 * 3.14159265358979323846;
    add_links(mechanism, kLinks, kLink, Held::ByBall, angle);
    const glm::dvec3 along(std::cos(angle), std::sin(angle), 0.0);
    const glm::dvec3 end = kLinks * kLinkLength * along;
    mechanism.bodies.push_back({1000.0, glm::dvec3(100.0), end + 0.5 * along, {1.0, 0.0, 0.0, 0.0}, Held::ByBall, end});
    return mechanism;
}

double energy_of(const Mechanism& mechanism, const std::vector<BodyMotionNow>& bodies) {
    double energy = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const MechanismBody& body = mechanism.bodies[i];
        const BodyMotionNow& now = bodies[i];
        const glm::dvec3 rates = glm::conjugate(now.orientation) * now.angular_velocity;
        energy += 0.5 * body.mass * glm::dot(now.velocity, now.velocity);
        energy += 0.5 * glm::dot(rates, body.moments * rates);
        energy += body.mass * mechanism.gravity * now.position.y;
    }
    return energy;
}

double gap_of(const Mechanism& mechanism, const std::vector<BodyMotionNow>& bodies) {
    double worst = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const MechanismBody& body = mechanism.bodies[i];
        if (body.held == Held::Not) {
            continue;
        }
        const auto joint_on = [&](std::size_t k) {
            const MechanismBody& start = mechanism.bodies[k];
            const glm::dvec3 arm = glm::conjugate(start.orientation) * (body.joint - start.position);
            return bodies[k].position + bodies[k].orientation * arm;
        };
        const glm::dvec3 other = i == 0 ? body.joint : joint_on(i - 1);
        worst = std::max(worst, glm::length(joint_on(i) - other));
    }
    return worst;
}

} // namespace substep_bench
