// Closed forms of spheres in contact: their equations, their impacts, their conservation laws.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <glm/geometric.hpp>

#include "contact_motions.h"
#include "sliding_sphere.h"

using namespace substep::detail;

namespace {

constexpr double kGravity = 9.8;

double momentum_z(const BallDesc& ball, const glm::dvec3& about) {
    const double moment = 0.4 * ball.mass * ball.radius * ball.radius;
    return moment * ball.spin.z + ball.mass * glm::cross(ball.position - about, ball.velocity).z;
}

double energy(const BallDesc& ball) {
    const double moment = 0.4 * ball.mass * ball.radius * ball.radius;
    return 0.5 * ball.mass * glm::dot(ball.velocity, ball.velocity) + 0.5 * moment * glm::dot(ball.spin, ball.spin);
}

} // namespace

TEST_CASE("an elastic ball returns to its height after every two falls, also after a thousand bounces") {
    const BouncingBall ball(0.9, kGravity, 1.0);
    const double fall = std::sqrt(1.8 / kGravity);
    for (const int k : {0, 1, 7, 1000}) {
        CHECK(ball.impact_time(k) == doctest::Approx((2 * k + 1) * fall).epsilon(1e-15));
        CHECK(std::abs(ball.at((2 * k + 2) * fall).height - 0.9) < 1e-12);
        CHECK(std::abs(ball.at(ball.impact_time(k)).height) < 1e-11); // 4 m/s times the rounding of 900 s
    }
    CHECK(std::isinf(ball.rest_time()));
    CHECK(std::isinf(ball.guard_time(0.01)));
}

TEST_CASE("each bounce leaves e times the speed, and all of them end at t0 (1 + e)/(1 - e)") {
    for (const double e : {0.5, 0.8}) {
        const BouncingBall ball(0.9, kGravity, e);
        const double fall = std::sqrt(1.8 / kGravity);
        CHECK(ball.rest_time() == doctest::Approx(fall * (1.0 + e) / (1.0 - e)).epsilon(1e-15));
        CHECK(ball.impact_time(200) == doctest::Approx(ball.rest_time()).epsilon(1e-14));
        for (int k = 0; k < 12; ++k) {
            CAPTURE(k);
            const double t = ball.impact_time(k);
            const double speed = std::sqrt(2.0 * kGravity * 0.9) * std::pow(e, k + 1);
            CHECK(ball.impact_speed(k) == doctest::Approx(speed).epsilon(1e-14));
            CHECK(ball.impact_time(k + 1) - t == doctest::Approx(2.0 * speed / kGravity).epsilon(1e-12));
            const auto apex = ball.at(t + speed / kGravity);
            CHECK(std::abs(apex.rate) < 1e-13);
            CHECK(apex.height == doctest::Approx(0.9 * std::pow(e, 2.0 * (k + 1))).epsilon(1e-12));
            CHECK(apex.impacts == k + 1);
        }
        CHECK(ball.at(ball.rest_time() + 1.0).height == 0.0);
        CHECK(ball.at(ball.rest_time() + 1.0).rate == 0.0);
        // At the guard less than a frame remains, one impact before it more.
        const double guard = ball.guard_time(1.0 / 60.0);
        CHECK(ball.rest_time() - guard < 1.0 / 60.0);
        CHECK(ball.rest_time() - guard > e / 60.0);
    }
    CHECK(BouncingBall(0.9, kGravity, 0.0).at(1.0).height == 0.0);
}

TEST_CASE("a sphere thrown without spin slides for 2 v/(7 mu g) and then rolls at 5/7 of its speed") {
    const double v = 3.0, mu = 0.3;
    const RoundBodyOnSlope ball({.friction = mu, .gravity = kGravity, .speed = v});
    const double end = 2.0 * v / (7.0 * mu * kGravity);
    CHECK(ball.slip_end() == doctest::Approx(end).epsilon(1e-15));
    const auto rolling = ball.at(end + 1.0);
    CHECK(rolling.contact == RoundBodyOnSlope::Contact::Holds);
    CHECK(rolling.speed == doctest::Approx(5.0 / 7.0 * v).epsilon(1e-15));
    CHECK(rolling.rim_speed == rolling.speed);
    // 12 v^2/(49 mu g) of sliding, and 2/7 of the energy lost.
    CHECK(ball.at(end).distance == doctest::Approx(12.0 / 49.0 * v * v / (mu * kGravity)).epsilon(1e-15));
    CHECK(ball.loss(end + 1.0) == doctest::Approx(2.0 / 7.0 * 0.5 * v * v).epsilon(1e-14));
    // Angular momentum about a point of the plane stays: v + (2/5) r w.
    for (double t = 0.0; t < 2.0; t += 0.1) {
        CHECK(ball.at(t).speed + 0.4 * ball.at(t).rim_speed == doctest::Approx(v).epsilon(1e-15));
    }
    // With back spin of 5/2 v it stops; with more it comes back.
    const RoundBodyOnSlope back({.friction = mu, .gravity = kGravity, .speed = v, .rim_speed = -4.0 * v});
    CHECK(back.at(10.0).speed == doctest::Approx(5.0 / 7.0 * (v - 0.4 * 4.0 * v)).epsilon(1e-14));
    CHECK(back.at(10.0).speed < 0.0);
}

TEST_CASE("on a slope a sphere rolls at (5/7) g sin a below tan a = 7/2 mu and slips at g (sin a - mu cos a) above") {
    const double mu = 0.2, limit = std::atan(3.5 * mu);
    for (const double a : {0.5 * limit, 0.99 * limit}) {
        const RoundBodyOnSlope ball({.slope = a, .friction = mu, .gravity = kGravity});
        CHECK(ball.at(2.0).speed == doctest::Approx(2.0 * 5.0 / 7.0 * kGravity * std::sin(a)).epsilon(1e-15));
        CHECK(ball.at(2.0).rim_speed == ball.at(2.0).speed);
        CHECK(ball.at(2.0).contact == RoundBodyOnSlope::Contact::Holds);
        CHECK(std::abs(ball.loss(2.0)) < 1e-14);
    }
    for (const double a : {1.01 * limit, 1.2}) {
        const RoundBodyOnSlope ball({.slope = a, .friction = mu, .gravity = kGravity});
        const double pull = kGravity * (std::sin(a) - mu * std::cos(a));
        CHECK(ball.at(2.0).speed == doctest::Approx(2.0 * pull).epsilon(1e-14));
        CHECK(ball.at(2.0).rim_speed == doctest::Approx(2.0 * 2.5 * mu * kGravity * std::cos(a)).epsilon(1e-14));
        CHECK(ball.at(2.0).contact == RoundBodyOnSlope::Contact::Slips);
        CHECK(std::isinf(ball.slip_end()));
        CHECK(ball.loss(2.0) > 0.0);
    }
}

TEST_CASE("with rotation locked it sticks just below tan a = mu and slides just above; thrown, it stops") {
    const double mu = 0.5, limit = std::atan(mu);
    const RoundBodyOnSlope below({.slope = limit - 1e-6, .friction = mu, .gravity = kGravity, .lightness = 0.0});
    CHECK(below.at(100.0).distance == 0.0);
    const RoundBodyOnSlope above({.slope = limit + 1e-6, .friction = mu, .gravity = kGravity, .lightness = 0.0});
    CHECK(above.at(100.0).distance > 0.0);
    const RoundBodyOnSlope thrown({.friction = mu, .gravity = kGravity, .lightness = 0.0, .speed = 2.0});
    CHECK(thrown.slip_end() == doctest::Approx(2.0 / (mu * kGravity)).epsilon(1e-15));
    CHECK(thrown.at(9.0).distance == doctest::Approx(4.0 / (2.0 * mu * kGravity)).epsilon(1e-15)); // v^2/(2 mu g)
    CHECK(thrown.at(9.0).speed == 0.0);
}

TEST_CASE(
    "thrown up a slope, a sphere slips, then rolls or slips back down; it satisfies Newton and Coulomb throughout") {
    const double mu = 0.2;
    for (const double a : {0.3, 0.9}) {
        CAPTURE(a);
        const RoundBodyOnSlope ball({.slope = a, .friction = mu, .gravity = kGravity, .speed = -4.0, .rim_speed = 2.0});
        for (double t = 0.005; t < 3.0; t += 0.05) {
            constexpr double h = 1e-4; // accelerations are constant: differences are exact up to 1e-15/h
            const auto before = ball.at(t - h), now = ball.at(t), after = ball.at(t + h);
            if (before.contact != after.contact ||
                (before.speed - before.rim_speed) * (after.speed - after.rim_speed) < 0) {
                continue;
            }
            const double f = (after.speed - before.speed) / (2.0 * h) - kGravity * std::sin(a);
            const double spin = (after.rim_speed - before.rim_speed) / (2.0 * h);
            CHECK(std::abs(spin + 2.5 * f) < 1e-9);
            CHECK(std::abs((after.distance - before.distance) / (2.0 * h) - now.speed) < 1e-9);
            const double slip = now.speed - now.rim_speed;
            const double grip = mu * kGravity * std::cos(a);
            if (now.contact == RoundBodyOnSlope::Contact::Slips) {
                CHECK(std::abs(f + std::copysign(grip, slip)) < 1e-9);
            } else {
                CHECK(std::abs(f) <= grip + 1e-9);
                CHECK(std::abs(slip) < 1e-14);
            }
        }
    }
}

TEST_CASE("balls of equal mass that meet head on exchange velocities; unequal ones as Newton has it") {
    const BallDesc first{1.0, 0.25, {-1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, glm::dvec3{0.0}};
    const BallDesc second{1.0, 0.25, {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, glm::dvec3{0.0}};
    const BallCollision equal(first, second, 1.0, 0.5);
    CHECK(equal.time() == doctest::Approx(0.5).epsilon(1e-15));
    CHECK(equal.first_at(2.0).velocity.x == doctest::Approx(-1.0).epsilon(1e-15));
    CHECK(equal.second_at(2.0).velocity.x == doctest::Approx(2.0).epsilon(1e-15));
    CHECK(equal.first_at(0.5).position.x == 0.0);
    CHECK(equal.second_at(1.5).position.x == doctest::Approx(0.5 + 2.0).epsilon(1e-15));
    CHECK(std::abs(equal.loss()) < 1e-15);

    BallDesc heavy = second;
    heavy.mass = 3.0;
    const BallCollision unequal(first, heavy, 0.5, 0.0);
    // v1' = (m1 v1 + m2 v2 - m2 e (v1 - v2))/(m1 + m2), and likewise the other.
    CHECK(unequal.first_at(1.0).velocity.x == doctest::Approx((2.0 - 3.0 - 3.0 * 0.5 * 3.0) / 4.0).epsilon(1e-15));
    CHECK(unequal.second_at(1.0).velocity.x == doctest::Approx((2.0 - 3.0 + 1.0 * 0.5 * 3.0) / 4.0).epsilon(1e-15));
    CHECK(unequal.loss() == doctest::Approx(0.5 * 0.75 * 9.0 * (1.0 - 0.25)).epsilon(1e-15)); // M u^2 (1 - e^2)/2
}

TEST_CASE("an oblique collision keeps momentum and angular momentum; its friction stays in the cone and never gains") {
    const BallDesc first{1.0, 0.3, {-2.0, 0.25, 0.0}, {3.0, 0.0, 0.0}, {0.0, 0.0, 4.0}};
    const BallDesc second{2.0, 0.2, {0.0, 0.0, 0.0}, {-0.5, 0.2, 0.0}, {0.0, 0.0, -1.0}};
    double previous_loss = -1.0;
    for (const double mu : {0.0, 0.03, 0.06, 5.0}) {
        CAPTURE(mu);
        const BallCollision hit(first, second, 0.7, mu);
        const double t = hit.time() + 0.5;
        const BallDesc a = hit.first_at(t), b = hit.second_at(t);
        CHECK(glm::length(a.position + a.velocity * (hit.time() - t) - hit.first_at(hit.time()).position) < 1e-15);
        const glm::dvec3 momentum = first.mass * first.velocity + second.mass * second.velocity;
        CHECK(glm::length(first.mass * a.velocity + second.mass * b.velocity - momentum) < 1e-14);
        const double spin = momentum_z(first, glm::dvec3{0.0}) + momentum_z(second, glm::dvec3{0.0});
        CHECK(std::abs(momentum_z(a, glm::dvec3{0.0}) + momentum_z(b, glm::dvec3{0.0}) - spin) < 1e-14);
        CHECK(std::abs(energy(first) + energy(second) - energy(a) - energy(b) - hit.loss()) < 1e-14);
        CHECK(hit.loss() > 0.0);

        // Newton's law along the normal, Coulomb's across it.
        const glm::dvec3 n = hit.normal();
        CHECK(glm::dot(b.velocity - a.velocity, n) ==
              doctest::Approx(-0.7 * glm::dot(second.velocity - first.velocity, n)).epsilon(1e-13));
        const glm::dvec3 impulse = first.mass * (a.velocity - first.velocity);
        const double normal = -glm::dot(impulse, n);
        const double tangential = glm::length(impulse + normal * n);
        CHECK(tangential <= mu * normal + 1e-14);
        const glm::dvec3 relative =
            a.velocity + glm::cross(a.spin, a.radius * n) - b.velocity - glm::cross(b.spin, -b.radius * n);
        const glm::dvec3 slip = relative - glm::dot(relative, n) * n;
        if (mu == 5.0) {
            CHECK(glm::length(slip) < 1e-14); // it stopped
        } else if (mu > 0.0) {
            CHECK(tangential == doctest::Approx(mu * normal).epsilon(1e-13));
            CHECK(glm::dot(slip, impulse) < 0.0); // still slipping, and friction against it
        }
        CHECK(hit.loss() > previous_loss);
        previous_loss = hit.loss();
    }
}

TEST_CASE("motions that make no sense are refused") {
    CHECK_THROWS_AS(BouncingBall(0.0, 9.8, 0.5), std::invalid_argument);
    CHECK_THROWS_AS(BouncingBall(1.0, 9.8, 1.1), std::invalid_argument);
    const BallDesc at_rest{};
    BallDesc leaving{1.0, 0.5, {2.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, glm::dvec3{0.0}};
    CHECK_THROWS_AS(BallCollision(at_rest, leaving, 1.0, 0.0), std::invalid_argument);
    leaving.position.x = 0.5;
    leaving.velocity.x = -1.0;
    CHECK_THROWS_AS(BallCollision(at_rest, leaving, 1.0, 0.0), std::invalid_argument);
}

TEST_CASE("an oblique slide obeys its equations, and keeps what friction cannot change") {
    // u' = a cos phi - k and u phi' = -a sin phi, by central differences.
    for (const double friction : {0.05, 0.2, 0.5}) {
        const ObliqueSlide::Desc desc{.slope = 0.4, .friction = friction, .velocity = {0.3, -0.2}, .slip = {-0.4, 0.7}};
        const ObliqueSlide slide(desc);
        const double pull = kGravity * std::sin(0.4);
        const double grip = 3.5 * friction * kGravity * std::cos(0.4);
        CHECK((slide.slip_end() < 100.0) == (grip > pull));
        for (const double part : {0.1, 0.5, 0.9}) {
            CAPTURE(friction);
            CAPTURE(part);
            constexpr double kStep = 1e-5; // s
            const double t = part * std::min(1.0, slide.slip_end());
            const auto before = slide.at(t - kStep), now = slide.at(t), after = slide.at(t + kStep);
            const glm::dvec2 friction_part = -grip * now.slip / glm::length(now.slip);
            const glm::dvec2 slip_rate = (after.slip - before.slip) / (2.0 * kStep);
            CHECK(glm::length(slip_rate - (glm::dvec2(pull, 0.0) + friction_part)) < 1e-5);
            const glm::dvec2 acceleration = (after.velocity - before.velocity) / (2.0 * kStep);
            CHECK(glm::length(acceleration - (glm::dvec2(pull, 0.0) + friction_part / 3.5)) < 1e-5);
            CHECK(glm::length((after.place - before.place) / (2.0 * kStep) - now.velocity) < 1e-8);
        }
        CHECK(glm::length(slide.at(0.0).slip - desc.slip) < 1e-14);
        CHECK(glm::length(slide.at(0.0).velocity - desc.velocity) < 1e-14);
    }
    CHECK_THROWS_AS(ObliqueSlide({.slip = {0.0, 0.0}}), std::invalid_argument);
    CHECK_THROWS_AS(ObliqueSlide({.slope = 0.3, .slip = {1.0, 0.0}}), std::invalid_argument);
}

TEST_CASE("the reference of a sliding sphere is known to twelve digits, and is the closed form where there is one") {
    const glm::dvec2 slip = 3.0 * glm::dvec2(std::cos(2.967), std::sin(2.967));
    const ObliqueSlide exact(
        {.slope = 0.4, .friction = 0.1, .gravity = kGravity, .velocity = {-3.0, 1.5}, .slip = slip});
    const SlidingSphere sphere{.radius = 0.5,
                               .friction_deceleration = 0.1 * kGravity * std::cos(0.4),
                               .pull = {kGravity * std::sin(0.4), 0.0},
                               .velocity = {-3.0, 1.5},
                               .slip = slip};
    const substep::ReferenceMotion motion = sphere.motion(4.0);
    CHECK(motion.disagreement() < 1e-12);
    for (const double t : {0.1, 0.4, 0.5, 1.0, 4.0}) {
        CAPTURE(t);
        const SlidingSphere::State state = SlidingSphere::state_of(motion.at(t));
        const ObliqueSlide::State closed = exact.at(t);
        CHECK(glm::length(state.way - closed.place) < 1e-12 * (1.0 + glm::length(closed.place)));
        CHECK(glm::length(state.velocity - closed.velocity) < 1e-12 * (1.0 + glm::length(closed.velocity)));
        CHECK(glm::length(state.slip - closed.slip) < 1e-12 * (1.0 + glm::length(closed.slip)));
    }
    // Shaken, the slip ends up going round with the plate, as fast as 7/2 mu g leaves of its acceleration.
    const SlidingSphere shaken{.radius = 0.5,
                               .friction_deceleration = 0.2 * kGravity,
                               .shake_radius = 0.3,
                               .shake_rate = 6.0,
                               .slip = {0.0, -1.8}};
    const substep::ReferenceMotion round = shaken.motion(20.0);
    CHECK(round.disagreement() < 1e-12);
    const double left = std::sqrt(std::pow(0.3 * 36.0, 2.0) - std::pow(0.7 * kGravity, 2.0));
    CHECK(glm::length(SlidingSphere::state_of(round.at(20.0)).slip) == doctest::Approx(left / 6.0).epsilon(1e-6));
}
