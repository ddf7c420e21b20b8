// Linkages with one freedom: that their chains close, their derivatives are derivatives, and their energy stays.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <glm/geometric.hpp>

#include "linkage_motion.h"

using namespace substep;
using namespace substep::detail;
using std::numbers::pi;

namespace {

const MassProperties kSolid{2.0, glm::dvec3{0.0}, glm::dmat3{0.1, 0.02, 0.01, 0.02, 0.3, -0.03, 0.01, -0.03, 0.35}};
const MassProperties kLight{0.5, glm::dvec3{0.0}, glm::dmat3{0.05}};
const FourBar kFourBar{0.6, 1.8, 1.5, 2.0};
const BennettLoop kLoop{1.0, 0.7, 1.2};

LinkageMotion linkage(const LinkageMotion::Geometry& geometry, double gravity = 9.8) {
    return LinkageMotion(geometry, {kSolid, kLight, kSolid}, gravity, 0.4, 5.0, 10.0);
}

const LinkageMotion::Geometry kGeometries[] = {slider_crank_geometry(0.5, 1.3), four_bar_geometry(kFourBar),
                                               bennett_geometry(kLoop)};

glm::dvec3 on(const Pose& pose, double x) { return pose.position + pose.orientation * glm::dvec3{x, 0.0, 0.0}; }
double gap(const glm::dvec3& a, const glm::dvec3& b) { return glm::length(a - b); }

constexpr double kRounding = 4e-15; // a few operations on lengths of a metre or two

} // namespace

TEST_CASE("a jet differentiates products, quotients, roots and circular functions") {
    const double x = 0.7;
    const Jet t = Jet::variable(x);
    const Jet f = sqrt(1.0 + t * t) * sin(2.0 * t) / cos(t);
    const auto value = [](double s) { return std::sqrt(1.0 + s * s) * std::sin(2.0 * s) / std::cos(s); };
    CHECK(f.value == doctest::Approx(value(x)).epsilon(1e-15));
    // sin 2t / cos t = 2 sin t, so f = 2 sin t sqrt(1 + t^2), differentiated by hand.
    const double r = std::sqrt(1.0 + x * x);
    CHECK(f.first == doctest::Approx(2.0 * (std::cos(x) * r + std::sin(x) * x / r)).epsilon(1e-14));
    const double second = 2.0 * (-std::sin(x) * r + 2.0 * std::cos(x) * x / r + std::sin(x) / (r * r * r));
    CHECK(f.second == doctest::Approx(second).epsilon(1e-14));
}

TEST_CASE("the slider-crank closes: pin on the crank's circle, slider on its line") {
    const LinkageMotion motion = linkage(kGeometries[0]);
    std::vector<Pose> links(3);
    for (double phi = 0.0; phi < 6.3; phi += 0.1) {
        motion.poses(phi, links);
        CHECK(gap(on(links[0], -0.25), glm::dvec3{0.0}) < kRounding);
        CHECK(gap(on(links[0], 0.25), on(links[1], -0.65)) < kRounding);
        CHECK(gap(on(links[1], 0.65), links[2].position) < kRounding);
        CHECK(links[2].position.y == 0.0);
        CHECK(gap(on(links[0], 0.25), 0.5 * glm::dvec3{std::cos(phi), std::sin(phi), 0.0}) < kRounding);
    }
    motion.poses(0.0, links);
    CHECK(links[2].position.x == doctest::Approx(1.8).epsilon(1e-15)); // r + l
    motion.poses(pi, links);
    CHECK(links[2].position.x == doctest::Approx(0.8).epsilon(1e-15)); // l - r
}

TEST_CASE("the four-bar linkage closes at both fixed pivots and both pins, all the way round") {
    const LinkageMotion motion = linkage(kGeometries[1]);
    std::vector<Pose> links(3);
    for (double phi = 0.0; phi < 6.3; phi += 0.1) {
        motion.poses(phi, links);
        CHECK(gap(on(links[0], -0.3), glm::dvec3{0.0}) < kRounding);
        CHECK(gap(on(links[0], 0.3), on(links[1], -0.9)) < kRounding);
        CHECK(gap(on(links[1], 0.9), on(links[2], 0.75)) < kRounding);
        CHECK(gap(on(links[2], -0.75), {2.0, 0.0, 0.0}) < kRounding);
        CHECK(links[1].orientation.x == 0.0);
        CHECK(on(links[2], 0.75).y > 0.0); // the upper intersection
    }
}

TEST_CASE("Bennett's loop closes at every angle: the fourth hinge stays where the fixed link holds it") {
    const double b = kLoop.second_length();
    CHECK(std::sin(kLoop.first_twist) / 1.0 == doctest::Approx(std::sin(kLoop.second_twist) / b).epsilon(1e-15));
    const auto start = bennett_hinges(kLoop, 0.3);
    for (double phi = 0.0; phi < 6.3; phi += 0.1) {
        CAPTURE(phi);
        const auto hinges = bennett_hinges(kLoop, phi);
        // Lengths and twists of all four links; the fixed one is between the fourth and the first hinge.
        for (std::size_t i = 0; i < 4; ++i) {
            const HingeLine& from = hinges[i];
            const HingeLine& to = hinges[(i + 1) % 4];
            const double length = i % 2 == 0 ? 1.0 : b;
            const double twist = i % 2 == 0 ? kLoop.first_twist : kLoop.second_twist;
            CHECK(std::abs(gap(from.point, to.point) - length) < kRounding);
            CHECK(std::abs(glm::dot(from.axis, to.axis) - std::cos(twist)) < kRounding);
            CHECK(std::abs(glm::dot(to.point - from.point, from.axis)) < kRounding);
            CHECK(std::abs(glm::dot(to.point - from.point, to.axis)) < kRounding);
        }
        CHECK(gap(hinges[0].point, start[0].point) == 0.0);
        CHECK(gap(hinges[3].point, start[3].point) < kRounding);
        CHECK(gap(hinges[3].axis, start[3].axis) < kRounding);
    }
    // A twist that breaks sin(alpha)/a = sin(beta)/b does not close: the condition is Bennett's, not a habit.
    CHECK(gap(bennett_hinges(kLoop, 1.0)[1].point, start[1].point) > 0.5);
}

TEST_CASE("the links' orientations are rotations, and carry the hinges they are joined at") {
    const LinkageMotion motion = linkage(kGeometries[2]);
    std::vector<Pose> links(3);
    for (double phi = 0.0; phi < 6.3; phi += 0.3) {
        motion.poses(phi, links);
        const auto hinges = bennett_hinges(kLoop, phi);
        const double half[] = {0.5, 0.5 * kLoop.second_length(), 0.5};
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(gap(on(links[i], -half[i]), hinges[i].point) < kRounding);
            CHECK(gap(on(links[i], half[i]), hinges[i + 1].point) < kRounding);
            CHECK(gap(links[i].orientation * glm::dvec3{0.0, 0.0, 1.0}, hinges[i].axis) < kRounding);
        }
    }
}

TEST_CASE("velocities of the links are the slopes of their poses") {
    for (const LinkageMotion::Geometry& geometry : kGeometries) {
        const LinkageMotion motion = linkage(geometry);
        std::vector<Pose> before(3), after(3);
        std::vector<LinkageMotion::LinkVelocity> rates(3);
        for (double phi = 0.05; phi < 6.3; phi += 0.5) {
            // Central differences over 2e-5 rad: h^2 times third derivatives of some 10, and 1e-16 x 2/h.
            constexpr double h = 1e-5;
            motion.poses(phi - h, before);
            motion.poses(phi + h, after);
            motion.velocities({phi, 1.0}, rates);
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(gap((after[i].position - before[i].position) / (2.0 * h), rates[i].linear) < 1e-8);
                const glm::dquat turn = after[i].orientation * glm::conjugate(before[i].orientation);
                const double sign = turn.w < 0.0 ? -1.0 : 1.0;
                CHECK(gap(sign * glm::dvec3{turn.x, turn.y, turn.z} / h, rates[i].angular) < 1e-8);
            }
        }
    }
}

TEST_CASE("the linkages' energy is that of their links, and stays; two solutions agree to 12 digits") {
    for (const LinkageMotion::Geometry& geometry : kGeometries) {
        const LinkageMotion motion = linkage(geometry);
        double slowest = 1e9, fastest = 0.0;
        std::vector<Pose> links(3);
        std::vector<LinkageMotion::LinkVelocity> rates(3);
        for (double t = 0.0; t <= 10.0; t += 0.25) {
            const LinkageMotion::State now = motion.at(t);
            motion.poses(now.angle, links);
            motion.velocities(now, rates);
            double energy = 0.0;
            for (std::size_t i = 0; i < 3; ++i) {
                const MassProperties& mass = i == 1 ? kLight : kSolid;
                const glm::dvec3 body_rate = glm::conjugate(links[i].orientation) * rates[i].angular;
                energy += 0.5 * mass.mass * glm::dot(rates[i].linear, rates[i].linear) +
                          0.5 * glm::dot(body_rate, mass.inertia * body_rate) + mass.mass * 9.8 * links[i].position.y;
            }
            CHECK(energy == doctest::Approx(motion.energy(now)).epsilon(1e-13));
            CHECK(std::abs(energy - motion.energy({0.4, 5.0})) < 1e-10); // of some 50 J
            slowest = std::min(slowest, now.rate);
            fastest = std::max(fastest, now.rate);
        }
        CHECK(fastest - slowest > 0.5); // the pace does vary
        CHECK(motion.reference().disagreement() < 1e-12);
    }
}

TEST_CASE("the fast slider-crank of the scene is known to 11 digits over 20 seconds, in which it turns thirty times") {
    const std::vector<MassProperties> links{mass_properties(ThinRod{0.5 * 0.5, 0.03}, 2.0),
                                            mass_properties(ThinRod{0.5 * 1.3, 0.03}, 1.0),
                                            mass_properties(Box{{0.15, 0.1, 0.1}}, 1.5)};
    const LinkageMotion motion(slider_crank_geometry(0.5, 1.3), links, 9.8, 0.7, 8.0, 20.0);
    CHECK(motion.at(20.0).angle > 60.0 * std::numbers::pi);
    CHECK(motion.reference().disagreement() < 1e-11); // 6e-12 was measured; 2.7e-10 with substeps of twice the length
}

TEST_CASE("a four-bar linkage that cannot turn all the way round says so") {
    // Non-Grashof: the crank jams before a turn is over.
    CHECK_THROWS_AS(linkage(four_bar_geometry({1.5, 1.0, 1.0, 2.0}), 0.0), std::runtime_error);
}
