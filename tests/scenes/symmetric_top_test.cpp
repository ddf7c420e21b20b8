// Lagrange's top in closed form: published digits, its equation of motion, its limits.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <glm/geometric.hpp>

#include "substep/scenes/pendulum_motion.h"
#include "substep/scenes/symmetric_top.h"

using namespace substep;

namespace {

using std::numbers::pi;

// Angular velocity (world axes) by central differences of the orientation: h^2/6 times third derivatives.
glm::dvec3 angular_velocity(const glm::dquat& before, const glm::dquat& after, double h) {
    const glm::dquat turn = after * glm::conjugate(before);
    const glm::dvec3 v{turn.x, turn.y, turn.z};
    const double s = glm::length(v);
    return v * (std::copysign(2.0 * std::atan2(s, std::abs(turn.w)), turn.w) / (s * 2.0 * h));
}

// L = I1 omega + (I3 - I1) (omega . e) e.
glm::dvec3 momentum(const SymmetricTopDesc& desc, const SymmetricTop& top, double t) {
    constexpr double h = 1e-4;
    const glm::dvec3 omega = angular_velocity(top.at(t - h).orientation, top.at(t + h).orientation, h);
    const glm::dvec3 axis = top.at(t).orientation * glm::dvec3{0.0, 1.0, 0.0};
    return desc.transverse_inertia * omega +
           (desc.axial_inertia - desc.transverse_inertia) * glm::dot(omega, axis) * axis;
}

} // namespace

TEST_CASE("a heavy top agrees with published digits: nutation, its period, tilt and precession at t = 10") {
    const SymmetricTop top(
        {.transverse_inertia = 1.0, .axial_inertia = 1.5, .moment = 1.0, .tilt = 0.5, .spin = 5.0, .precession = 0.0});
    // Two units in the last place, and one of the angle where the cosine is compared.
    CHECK(std::abs(std::cos(top.largest_tilt()) - 0.86886908592508537) < 5e-16);
    CHECK(std::abs(std::cos(top.least_tilt()) - 0.87758256189037272) < 5e-16);
    CHECK(std::abs(top.nutation_period() - 0.86497501943640005) < 2e-16);
    CHECK(std::abs(std::cos(top.at(10.0).tilt) - 0.86918552046610034) < 5e-16);
    CHECK(std::abs(top.at(10.0).precession - 1.361356778736704387) < 5e-16);
}

TEST_CASE("the closed form of a symmetric top satisfies L' = torque, and keeps spin and vertical momentum") {
    for (const SymmetricTopDesc& desc :
         {SymmetricTopDesc{1.0, 1.5, 1.0, 0.5, 5.0, 0.0}, SymmetricTopDesc{1.0, 1.5, 1.0, 0.5, 5.0, 3.0},
          SymmetricTopDesc{1.0, 0.4, 2.0, 1.2, -6.0, 0.7}, SymmetricTopDesc{1.0, 0.4, 2.0, 2.4, 0.0, 1.5},
          SymmetricTopDesc{2.0, 0.1, 3.0, 2.9, 1.0, -0.3}, SymmetricTopDesc{1.0, 0.5, 1.0, 0.1, 4.2, 0.0},
          SymmetricTopDesc{1.0, 0.5, 1.0, 0.1, 3.8, 0.0}}) {
        CAPTURE(desc.tilt);
        CAPTURE(desc.spin);
        CAPTURE(desc.precession);
        const SymmetricTop top(desc);
        CHECK(std::abs(top.at(0.0).tilt - desc.tilt) < 1e-15);
        const double vertical = momentum(desc, top, 0.0).y;
        for (double t = 0.0; t < 20.0; t += 0.773) {
            CAPTURE(t);
            const SymmetricTop::State now = top.at(t);
            const glm::dvec3 axis = now.orientation * glm::dvec3{0.0, 1.0, 0.0};
            CHECK(std::abs(glm::length(
                               glm::dvec4{now.orientation.x, now.orientation.y, now.orientation.z, now.orientation.w}) -
                           1.0) < 1e-15);
            CHECK(std::abs(std::cos(now.tilt) - axis.y) < 1e-15);
            // Third derivatives up to 7^3, h = 1e-4: 6e-7; differences of L over 2e-3 add 1e-6 x 7^3/6 = 6e-5 and
            // rounding of 1e-16/1e-7.
            constexpr double h = 1e-3;
            const glm::dvec3 slope = (momentum(desc, top, t + h) - momentum(desc, top, t - h)) / (2.0 * h);
            const glm::dvec3 torque = glm::cross(axis, glm::dvec3{0.0, -desc.moment, 0.0});
            CHECK(glm::length(slope - torque) < 2e-4);
            CHECK(std::abs(momentum(desc, top, t).y - vertical) < 1e-5);
            CHECK(std::abs(glm::dot(momentum(desc, top, t), axis) - desc.axial_inertia * desc.spin) < 1e-5);
        }
        const double period = top.nutation_period();
        CHECK(std::abs(top.at(3.0 * period).tilt - desc.tilt) < 1e-12);
        CHECK(top.least_tilt() <= top.at(0.3 * period).tilt);
        CHECK(top.at(0.3 * period).tilt <= top.largest_tilt());
    }
}

TEST_CASE("a top started at its rate of steady precession keeps its tilt and precesses evenly") {
    const SymmetricTopDesc fast{1.0, 1.5, 1.0, 0.5, 5.0, 0.0};
    for (const double sign : {1.0, -1.0}) {
        // phi' = (I3 w3 +- sqrt(I3^2 w3^2 - 4 I1 M cos tilt)) / (2 I1 cos tilt).
        SymmetricTopDesc desc = fast;
        const double moment = desc.axial_inertia * desc.spin;
        desc.precession =
            (moment + sign * std::sqrt(moment * moment - 4.0 * std::cos(desc.tilt))) / (2.0 * std::cos(desc.tilt));
        const SymmetricTop top(desc);
        // The rate is rounded by 1e-15, and the nutation that this leaves is as small.
        CHECK(top.largest_tilt() - top.least_tilt() < 1e-14);
        CHECK(std::abs(top.at(10.0).precession - 10.0 * desc.precession) < 1e-13);
    }
}

TEST_CASE("a spherical pendulum that hardly leaves its plane swings as the plane pendulum does") {
    // One radian from hanging; 1e-4 rad/s sideways pass the bottom at 2e-5 rad, and change the period by its square.
    const SymmetricTop top({.transverse_inertia = 1.0,
                            .axial_inertia = 0.1,
                            .moment = 9.8,
                            .tilt = pi - 1.0,
                            .spin = 0.0,
                            .precession = 1e-4});
    const PendulumMotion plane(std::sqrt(9.8L), 1.0, 0.0);
    for (double t = 0.0; t < 10.0; t += 0.37) {
        CAPTURE(t);
        CHECK(std::abs(pi - top.at(t).tilt - std::abs(plane.at(t).angle)) < 5e-5);
    }
}

TEST_CASE("a sleeping top stays near the vertical above the critical spin and falls away below it") {
    // Stable when I3^2 w3^2 > 4 I1 M.
    const double critical = std::sqrt(4.0 * 1.0 * 2.0) / 0.5;
    const auto largest = [&](double spin) {
        return SymmetricTop({.transverse_inertia = 1.0,
                             .axial_inertia = 0.5,
                             .moment = 2.0,
                             .tilt = 1e-3,
                             .spin = spin,
                             .precession = 0.0})
            .largest_tilt();
    };
    CHECK(largest(1.01 * critical) < 0.02); // 1e-3 / (1 - 1/1.01^2) to the half, and so on
    CHECK(largest(0.99 * critical) > 0.2);
}

TEST_CASE("a free symmetric body turns about its momentum and about its own axis") {
    const glm::dquat start = glm::normalize(glm::dquat{0.9, 0.1, -0.3, 0.2});
    const glm::dvec3 omega{1.0, 4.0, -2.0};
    const double i1 = 1.0, i3 = 1.7;
    const auto at = [&](double t) { return free_symmetric_top(i1, i3, start, omega, t); };
    constexpr double h = 1e-4;
    const auto momentum_at = [&](double t) {
        const glm::dvec3 w = angular_velocity(at(t - h), at(t + h), h);
        const glm::dvec3 axis = at(t) * glm::dvec3{0.0, 1.0, 0.0};
        return i1 * w + (i3 - i1) * glm::dot(w, axis) * axis;
    };
    CHECK(glm::length(angular_velocity(at(-h), at(h), h) - omega) < 1e-6); // h^2/6 times 7^3
    for (double t = 0.0; t < 10.0; t += 0.61) {
        CAPTURE(t);
        CHECK(glm::length(momentum_at(t) - momentum_at(0.0)) < 2e-6);
    }
}

TEST_CASE("a top that would pass through the vertical, or is none, is refused") {
    CHECK_THROWS_AS(SymmetricTop({1.0, 0.5, 1.0, 2.0, 0.0, 0.0}), std::invalid_argument); // a plane pendulum
    CHECK_THROWS_AS(SymmetricTop({1.0, 0.5, 1.0, 0.0, 1.0, 0.0}), std::invalid_argument);
    CHECK_THROWS_AS(SymmetricTop({1.0, 0.5, 1.0, 4.0, 1.0, 0.0}), std::invalid_argument);
    CHECK_THROWS_AS(SymmetricTop({0.0, 0.5, 1.0, 1.0, 1.0, 0.0}), std::invalid_argument);
    CHECK_THROWS_AS(SymmetricTop({1.0, 0.5, -1.0, 1.0, 1.0, 0.0}), std::invalid_argument);
    CHECK_THROWS_AS(SymmetricTop({1.0, 0.5, 1.0, 1.0, std::nan(""), 0.0}), std::invalid_argument);
}
