// Sustained contact: sliding, rolling, sticking, and the transitions between them.
#include <doctest/doctest.h>

#include <cmath>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

IntegratorSettings method(const char* name, double tolerance = 1e-12, int substeps = 1) {
    IntegratorSettings settings;
    settings.method = name;
    settings.atol = settings.rtol = tolerance;
    settings.substeps = substeps;
    return settings;
}

constexpr double kRadius = 0.1;

} // namespace

TEST_CASE("a sphere thrown without spin rolls at 5/7 of its speed, from the right moment, for the right energy") {
    constexpr double kSpeed = 2.0;
    constexpr double kFriction = 0.3;
    World world(contact_settings(method("dormand_prince54")));
    add_ground(world, {.friction = kFriction});
    BodyDesc desc = sphere({0.0, kRadius, 0.0}, kRadius, {.friction = kFriction});
    desc.linear_velocity = {kSpeed, 0.0, 0.0};
    const BodyId ball = world.create_body(desc);
    const double energy = world.energy().total();
    const double rolls_at = 2.0 * kSpeed / (7.0 * kFriction * kGravity);
    for (int frame = 0; frame < 120; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        const double t = world.time();
        const bool rolls = t > rolls_at;
        const double sliding = std::min(t, rolls_at);
        const double x = kSpeed * sliding - 0.5 * kFriction * kGravity * sliding * sliding +
                         5.0 / 7.0 * kSpeed * std::max(0.0, t - rolls_at);
        // The moment of rolling is in x: 1e-9 s of it would be 1e-9 m/s times what is left, but x'' jumps; the slip
        // tells.
        CHECK(world.contacts()[0].mode == (rolls ? ContactMode::Stick : ContactMode::Slide));
        CHECK(std::abs(world.pose(ball).position.x - x) <= 1e-9);
        CHECK(std::abs(world.pose(ball).position.y - kRadius) <= 1e-12);
        const double v = world.body(ball).linear_velocity().x;
        CHECK(std::abs(v - (rolls ? 5.0 / 7.0 * kSpeed : kSpeed - kFriction * kGravity * t)) <= 1e-9);
    }
    // Slip energy: half of v^2 times the reduced mass 2/7.
    CHECK(std::abs(energy - world.energy().total() - kSpeed * kSpeed / 7.0) <= 1e-9);
}

TEST_CASE("on an incline a sphere rolls while tan a < 7/2 mu, and slips above") {
    for (const char* name : {"dormand_prince54", "dormand_prince853", "rk4", "heun2", "cash_karp54"}) {
        for (const double tilt : {0.2, 0.5, 0.9, 1.2}) {
            for (const double mu : {0.1, 0.3, 0.6}) {
                CAPTURE(name);
                CAPTURE(tilt);
                CAPTURE(mu);
                World world(contact_settings(method(name)));
                add_ground(world, {.friction = mu}, -tilt);
                const glm::dvec3 normal(std::sin(tilt), std::cos(tilt), 0.0);
                const glm::dvec3 downhill(std::cos(tilt), -std::sin(tilt), 0.0);
                const BodyId ball = add_sphere(world, kRadius * normal, kRadius, {.friction = mu});
                for (int frame = 0; frame < 60; ++frame) {
                    REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
                }
                const bool rolls = std::tan(tilt) < 3.5 * mu;
                const double a =
                    rolls ? 5.0 / 7.0 * kGravity * std::sin(tilt) : kGravity * (std::sin(tilt) - mu * std::cos(tilt));
                CHECK(world.contacts()[0].mode == (rolls ? ContactMode::Stick : ContactMode::Slide));
                // Constant acceleration is exact for every method; sums of round-off remain.
                CHECK(std::abs(glm::dot(world.pose(ball).position, downhill) - 0.5 * a) <= 1e-11);
            }
        }
    }
}

TEST_CASE("with rotation locked a sphere sticks just below tan a = mu and slides just above") {
    for (const double beside : {-1e-6, 1e-6}) {
        constexpr double kFriction = 0.4;
        const double tilt = std::atan(kFriction) + beside;
        World world(contact_settings(method("dormand_prince54")));
        add_ground(world, {.friction = kFriction}, -tilt);
        BodyDesc desc =
            sphere(kRadius * glm::dvec3(std::sin(tilt), std::cos(tilt), 0.0), kRadius, {.friction = kFriction});
        desc.locks_rotation = true;
        const BodyId block = world.create_body(desc);
        const glm::dvec3 start = world.pose(block).position;
        for (int frame = 0; frame < 600; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        const double moved = glm::length(world.pose(block).position - start);
        const double expected =
            beside < 0.0 ? 0.0 : 0.5 * kGravity * (std::sin(tilt) - kFriction * std::cos(tilt)) * 100.0;
        CHECK(std::abs(moved - expected) <= 1e-9);
        CHECK(world.body(block).angular_velocity() == glm::dvec3(0.0));
    }
}

TEST_CASE("a sphere between two planes that form a groove comes to rest on both") {
    for (const double e : {0.0, 0.4}) {
        World world(contact_settings(method("dormand_prince853", 1e-9)));
        add_ground(world, {.friction = 0.5}, 0.7);
        add_ground(world, {.friction = 0.5}, -0.6);
        const BodyId ball = add_sphere(world, {0.05, 0.5, 0.0}, kRadius, {.friction = 0.5, .restitution = e});
        for (int frame = 0; frame < 600; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        const glm::dvec3 rest = world.pose(ball).position;
        for (int frame = 0; frame < 3600; ++frame) {
            world.advance(kFrame);
        }
        CHECK(glm::length(world.pose(ball).position - rest) <= 1e-9);
        REQUIRE(world.contacts().size() == 2);
        glm::dvec3 force(0.0);
        for (const Contact& contact : world.contacts()) {
            CHECK(contact.mode != ContactMode::Separate); // how the load is shared is not unique, and neither are modes
            CHECK(std::abs(contact.gap) <= 1e-12);
            force += contact.force;
        }
        CHECK(glm::length(force - glm::dvec3(0.0, kGravity, 0.0)) <= 1e-9);
    }
}
