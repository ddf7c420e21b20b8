// Rebounds in velocity steps: however many bodies are hit at once, none gives energy.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kBall = 0.05; // m, radius

World made_of_velocity_steps(const glm::dvec3& gravity = glm::dvec3(0.0)) {
    IntegratorSettings settings;
    settings.method = "impulse_euler";
    return World({.gravity = gravity, .integrator = settings});
}

BodyId add(World& world, const glm::dvec3& place, const glm::dvec3& velocity, double mass, double friction) {
    return world.create_body({.pose = {.position = place},
                              .linear_velocity = velocity,
                              .shape = Sphere{kBall},
                              .mass = mass,
                              .material = {.friction = friction, .restitution = 1.0}});
}

// The most that the energy is above that of the start, as a part of it.
double most_gained(World world, double seconds, double dt) {
    const double start = world.energy().total();
    double most = 0.0;
    for (double t = 0.0; t < seconds; t += dt) {
        world.advance(dt);
        most = std::max(most, world.energy().total() - start);
    }
    return most / start;
}

} // namespace

TEST_CASE("a row of balls that is hit keeps its energy in velocity steps, touching or apart, slow or fast") {
    for (const int count : {2, 7, 20}) {
        for (const double gap : {0.0, 0.001, 0.01, 0.2}) {
            for (const double speed : {1.0, 10.0, 300.0}) {
                for (const double dt : {1.0 / 10.0, kFrame, 1.0 / 240.0}) {
                    CAPTURE(count);
                    CAPTURE(gap);
                    CAPTURE(speed);
                    CAPTURE(dt);
                    World world = made_of_velocity_steps();
                    for (int i = 0; i < count; ++i) {
                        const double x = (2.0 * kBall + gap) * i + (i > 0 ? 0.03 : 0.0);
                        add(world, {x, 0.0, 0.0}, {i == 0 ? speed : 0.0, 0.0, 0.0}, 1.0, 0.0);
                    }
                    CHECK(most_gained(std::move(world), 60.0 * dt, dt) < 1e-9);
                }
            }
        }
    }
}

TEST_CASE("clusters of unequal, rough balls that fly into one another gain nothing in velocity steps") {
    std::mt19937_64 random(5);
    const auto between = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    for (int trial = 0; trial < 40; ++trial) {
        CAPTURE(trial);
        World world = made_of_velocity_steps();
        const double friction = trial % 2 == 0 ? 0.0 : between(0.1, 1.0);
        for (int i = 0; i < 18; ++i) {
            const glm::dvec3 place(0.13 * (i % 3), 0.13 * (i / 3 % 3), 0.13 * (i / 9));
            const glm::dvec3 velocity(between(-9.0, 9.0), between(-9.0, 9.0), between(-9.0, 9.0));
            add(world, place, velocity, std::pow(10.0, between(-1.0, 1.0)), friction);
        }
        CHECK(most_gained(std::move(world), 1.0, kFrame) < 1e-9);
    }
}

TEST_CASE("two equal balls still exchange their velocities in a velocity step, and one still bounces off a wall") {
    World world = made_of_velocity_steps();
    const BodyId hitting = add(world, {0.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, 1.0, 0.3);
    const BodyId hit = add(world, {0.12, 0.0, 0.0}, {0.0, 0.0, 0.0}, 1.0, 0.3);
    for (int i = 0; i < 10; ++i) {
        world.advance(kFrame);
    }
    CHECK(std::fabs(world.body(hitting).linear_velocity().x) < 1e-9);
    CHECK(world.body(hit).linear_velocity().x == doctest::Approx(3.0).epsilon(1e-9));
}

TEST_CASE("a paddle that moves gives its energy to a ball in a velocity step") {
    World world = made_of_velocity_steps();
    BodyDesc paddle;
    paddle.motion = MotionType::Kinematic;
    paddle.shape = Sphere{0.2};
    paddle.linear_velocity = {2.0, 0.0, 0.0};
    paddle.material.restitution = 1.0;
    world.create_body(paddle);
    const BodyId ball = add(world, {0.3, 0.0, 0.0}, glm::dvec3(0.0), 1.0, 0.0);
    for (int i = 0; i < 10; ++i) {
        world.advance(kFrame);
    }
    CHECK(world.body(ball).linear_velocity().x == doctest::Approx(4.0).epsilon(1e-9));
}

TEST_CASE("a budget that ends a frame at a hit gains no energy, whatever the phase") {
    // Bodies come down on a floor within one frame, from anywhere above it; at a budget of a few evaluations the frame
    // is ended by a velocity step, and rk4 goes on from there.
    const BodyDesc ball{.shape = Sphere{kBall}, .mass = 1.0, .material = {.friction = 0.0, .restitution = 1.0}};
    BodyDesc cube = ball;
    cube.shape = Box{glm::dvec3(kBall)};
    cube.pose.orientation = glm::angleAxis(0.6, glm::normalize(glm::dvec3(1.0, 2.0, -0.5)));
    cube.angular_velocity = {1.0, -2.0, 3.0};
    for (const BodyDesc& falling : {ball, cube}) {
        for (const double dt : {1.0 / 60.0, 1.0 / 240.0}) {
            for (const int budget : {4, 8, 12}) {
                for (int phase = 0; phase < 20; ++phase) {
                    CAPTURE(falling.angular_velocity.x);
                    CAPTURE(dt);
                    CAPTURE(budget);
                    CAPTURE(phase);
                    IntegratorSettings settings;
                    settings.method = "rk4";
                    settings.budget = budget;
                    World world({.gravity = {0.0, -10.0, 0.0}, .integrator = settings, .energy_ledger = true});
                    world.create_body({.motion = MotionType::Static, .shape = Plane{}, .material = ball.material});
                    BodyDesc desc = falling;
                    desc.pose.position.y = 0.1 + dt * 4.0 * phase / 20.0;
                    desc.linear_velocity = {2.0, -4.0, 1.0};
                    world.create_body(desc);
                    const double start = world.energy().total();
                    bool degraded = false;
                    bool has_risen = false;
                    for (int frame = 0; frame < 12; ++frame) {
                        degraded |= world.advance(dt).degraded;
                        has_risen |= world.body(world.bodies().back()).linear_velocity().y > 0.0;
                    }
                    CHECK(degraded);
                    CHECK(has_risen);
                    // A ball has one hit, and each velocity step loses 50 h^2 J. Corners of a cube that is sent
                    // spinning hit again within the same steps, all at once.
                    const bool is_ball = falling.angular_velocity.x == 0.0;
                    const double gained = world.energy().total() - start - world.energy_ledger().overlap;
                    CHECK(gained < (is_ball ? 1e-9 : 0.02 * start));
                    CHECK(gained > (is_ball ? -600.0 * dt * dt : -0.2 * start));
                }
            }
        }
    }
}
