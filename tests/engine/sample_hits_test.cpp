// Samples of a step in which something hit: against the parabolas between the hits.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <glm/geometric.hpp>

#include "substep/engine/world.h"

using namespace substep;

namespace {

constexpr double kRadius = 0.1;  // m
constexpr double kGravity = 9.8; // m/s^2

World world_under(const std::string& method, Boundary boundary) {
    WorldSettings settings;
    settings.gravity = {0.0, -kGravity, 0.0};
    settings.integrator.method = method;
    settings.integrator.boundary = boundary;
    World world(settings);
    BodyDesc floor;
    floor.motion = MotionType::Static;
    floor.shape = Plane{};
    floor.material.restitution = 1.0;
    floor.material.friction = 0.0;
    world.create_body(floor);
    return world;
}

BodyDesc bouncing_ball(const glm::dvec3& position, const glm::dvec3& velocity) {
    BodyDesc ball;
    ball.mass = 1.0;
    ball.shape = Sphere{kRadius};
    ball.material.restitution = 1.0;
    ball.material.friction = 0.0;
    ball.pose.position = position;
    ball.linear_velocity = velocity;
    return ball;
}

/// Height of a ball that bounces without loss, from the height of its lowest point and its velocity.
double height_at(double height, double velocity, double t) {
    const double rise = velocity / kGravity;
    const double top = height + 0.5 * velocity * rise;
    const double half = std::sqrt(2.0 * top / kGravity); // s, from the top to the floor
    const double since = std::fmod(t - rise + half, 2.0 * half);
    const double from_top = (since < 0.0 ? since + 2.0 * half : since) - half;
    return kRadius + top - 0.5 * kGravity * from_top * from_top;
}

} // namespace

TEST_CASE("a sample between the frames of a ball that bounces is where it was, whatever its speed") {
    for (const std::string method : {"auto", "rk4", "cash_karp54", "dormand_prince853"}) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            for (const double speed : {1.0, 10.0, 300.0}) {
                for (const double frame : {1.0 / 10.0, 1.0 / 60.0, 1.0 / 240.0}) {
                    CAPTURE(method);
                    CAPTURE(speed);
                    CAPTURE(frame);
                    const double height = 0.37 * speed * frame;
                    World world = world_under(method, boundary);
                    const BodyId ball =
                        world.create_body(bouncing_ball({0.0, kRadius + height, 0.0}, {2.0 * speed, -speed, 0.0}));
                    world.advance(frame);
                    REQUIRE(world.impacts().size() == 1);
                    double worst = 0.0;
                    for (int i = 0; i <= 64; ++i) {
                        const double t = frame * i / 64.0;
                        const glm::dvec3 at = world.sample(ball, t).position;
                        const glm::dvec3 exact(2.0 * speed * t, height_at(height, -speed, t), 0.0);
                        worst = std::max(worst, glm::length(at - exact));
                    }
                    CHECK(worst < 1e-9);
                }
            }
        }
    }
}

TEST_CASE("a sample between frames in which two balls met has both where they were") {
    World world = world_under("cash_karp54", Boundary::Exact);
    const double speed = 20.0;
    const BodyId left = world.create_body(bouncing_ball({-0.2, 5.0, 0.0}, {speed, 0.0, 0.0}));
    const BodyId right = world.create_body(bouncing_ball({0.2, 5.0, 0.0}, {-speed, 0.0, 0.0}));
    world.advance(1.0 / 60.0);
    REQUIRE(world.impacts().size() == 1);
    for (int i = 0; i <= 64; ++i) {
        const double t = i / 64.0 / 60.0;
        const double x = kRadius + std::fabs(0.2 - kRadius - speed * t);
        const glm::dvec3 exact(x, 5.0 - 0.5 * kGravity * t * t, 0.0);
        CHECK(glm::length(world.sample(right, t).position - exact) < 1e-9);
        CHECK(glm::length(world.sample(left, t).position - glm::dvec3(-exact.x, exact.y, 0.0)) < 1e-9);
    }
}

TEST_CASE("samples of a step with a hit know nothing of edits behind it, nor a new body of whom it follows") {
    const auto thrown = [] {
        World world = world_under("cash_karp54", Boundary::Exact);
        world.create_body(bouncing_ball({0.0, kRadius + 0.05, 0.0}, {0.0, -10.0, 0.0}));
        world.advance(1.0 / 60.0);
        return world;
    };
    const double t = 0.004;
    World left_alone = thrown();
    World edited = thrown();
    const BodyId ball = edited.bodies()[1];
    edited.body(ball).set_pose({.position = {50.0, 50.0, 50.0}});
    CHECK(edited.sample(ball, t).position == left_alone.sample(left_alone.bodies()[1], t).position);

    World other = thrown();
    other.destroy_body(other.bodies()[1]);
    const glm::dvec3 place(0.0, 3.0, 0.0);
    const BodyId follower = other.create_body(bouncing_ball(place, {0.0, 0.0, 0.0}));
    CHECK(glm::length(other.sample(follower, t).position - place) < 1e-12);
}
