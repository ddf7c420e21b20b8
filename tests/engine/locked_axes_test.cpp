// Bodies that do not turn about some of their axes, whose moments are infinite: closed forms, and what is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include <glm/gtc/quaternion.hpp>

#include "solid_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

MassProperties with_moments(double mass, double x, double y, double z) {
    glm::dmat3 inertia(0.0);
    inertia[0][0] = x;
    inertia[1][1] = y;
    inertia[2][2] = z;
    return {mass, glm::dvec3(0.0), inertia};
}

glm::dvec3 spin(const World& world, BodyId id) { return world.body(id).angular_velocity(); }

} // namespace

TEST_CASE("locked axes: torque about each axis turns a body about the free one alone, under every method") {
    for (const IntegrationMethod* each : method_catalogue()) {
        const std::string name(each->info().name);
        CAPTURE(name);
        for (int free = 0; free < 3; ++free) {
            World world({.gravity = glm::dvec3(0.0), .integrator = to_tolerance(name, 1e-10), .energy_ledger = true});
            glm::dvec3 moments(kInfinite);
            moments[free] = 0.5;
            BodyDesc desc;
            desc.mass_properties = with_moments(2.0, moments.x, moments.y, moments.z);
            desc.shape = Box{{0.2, 0.3, 0.4}};
            const BodyId body = world.create_body(desc);
            for (int frame = 0; frame < 30; ++frame) {
                world.body(body).apply_torque({3.0, 3.0, 3.0});
                world.advance(kFrame);
            }
            glm::dvec3 expected(0.0);
            expected[free] = 3.0;
            CHECK(glm::length(spin(world, body) - expected) < 1e-9);
            glm::dvec3 axis(0.0);
            axis[free] = 1.0;
            CHECK(glm::length(world.pose(body).orientation * axis - axis) < 1e-12);
            CHECK(std::fabs(world.energy().kinetic - 0.25 * 9.0) < 1e-8);
        }
    }
}

TEST_CASE("locked axes: with one of them locked, energy and momentum stay, and nothing turns about it") {
    World world({.gravity = glm::dvec3(0.0), .integrator = to_tolerance("dormand_prince853", 1e-12)});
    BodyDesc desc;
    desc.mass_properties = with_moments(1.0, kInfinite, 0.3, 0.7);
    desc.pose.orientation = glm::normalize(glm::dquat(0.4, 0.1, -0.7, 0.3));
    desc.angular_velocity = desc.pose.orientation * glm::dvec3(0.0, 2.0, -1.0);
    const BodyId body = world.create_body(desc);
    const double energy = 0.5 * (0.3 * 4.0 + 0.7);
    const glm::dvec3 momentum = world.body(body).angular_momentum();
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
        const glm::dvec3 in_body = glm::conjugate(world.pose(body).orientation) * spin(world, body);
        CHECK(std::fabs(in_body.x) < 1e-14);
    }
    CHECK(std::fabs(world.energy().kinetic - energy) < 1e-10);
    CHECK(glm::length(world.body(body).angular_momentum() - momentum) < 1e-14);
    CHECK(glm::length(spin(world, body)) > 1.0);
}

TEST_CASE("locked axes: a ball rolls down a slope about the one axis that it turns about, and slides across it") {
    constexpr double kTilt = 0.2;
    constexpr double kMoment = 0.016; // kg m^2, of 1 kg at a radius of 0.2 m: 2/5 m r^2
    const double along = kGravity * std::sin(kTilt);
    const double load = kGravity * std::cos(kTilt);
    for (const bool rolls : {true, false}) {
        CAPTURE(rolls);
        World world(contact_settings(to_tolerance("dormand_prince853", 1e-12)));
        const Material surface{.friction = rolls ? 0.5 : 0.1};
        add_ground(world, surface, -kTilt); // falls towards +x
        BodyDesc desc = sphere(0.2 * glm::dvec3(std::sin(kTilt), std::cos(kTilt), 0.0), 0.2, surface);
        desc.mass.reset();
        desc.mass_properties =
            rolls ? with_moments(1.0, kInfinite, kInfinite, kMoment) : with_moments(1.0, kMoment, kMoment, kInfinite);
        const BodyId body = world.create_body(desc);
        const glm::dvec3 from = world.pose(body).position;
        for (int frame = 0; frame < 60; ++frame) {
            const StepReport report = world.advance(kFrame);
            CHECK(report.order > 1);
        }
        const double a = rolls ? along / (1.0 + kMoment / 0.04) : along - 0.1 * load;
        CHECK(std::fabs(glm::length(world.pose(body).position - from) - 0.5 * a) < 1e-9);
        CHECK(std::fabs(spin(world, body).z + (rolls ? a / 0.2 : 0.0)) < 1e-9);
    }
}

TEST_CASE("locked axes: a hit of a box's corner gives the velocities of the point-impact formula") {
    // Turns about z alone: of the corner's arm only the part in the plane of x and y counts.
    World world({.gravity = glm::dvec3(0.0), .integrator = to_tolerance("dormand_prince853", 1e-12)});
    const Material smooth{.friction = 0.0, .restitution = 0.8};
    add_ground(world, smooth);
    BodyDesc desc;
    desc.shape = Box{{0.3, 0.2, 0.25}};
    desc.material = smooth;
    desc.mass_properties = with_moments(2.0, kInfinite, kInfinite, 0.09);
    desc.pose = {{0.0, 1.0, 0.0}, glm::angleAxis(0.5, glm::normalize(glm::dvec3(0.0, 0.0, 1.0)))};
    desc.linear_velocity = {0.4, -3.0, 0.1};
    const BodyId body = world.create_body(desc);
    while (world.impacts().empty() && world.time() < 1.0) {
        world.advance(kFrame);
    }
    REQUIRE_FALSE(world.impacts().empty());
    const glm::dvec3 corner = glm::angleAxis(0.5, glm::dvec3(0.0, 0.0, 1.0)) * glm::dvec3(-0.3, -0.2, 0.0);
    const double impulse = (1.0 + 0.8) * 3.0 / (1.0 / 2.0 + corner.x * corner.x / 0.09);
    CHECK(std::fabs(world.body(body).linear_velocity().y - (-3.0 + impulse / 2.0)) < 1e-9);
    CHECK(glm::length(spin(world, body) - glm::dvec3(0.0, 0.0, corner.x * impulse / 0.09)) < 1e-9);
}

TEST_CASE("locked axes: on a ball joint a body that turns about one axis swings as on a hinge, pushed aside or not") {
    const auto angle_after = [](bool on_ball) {
        World world(contact_settings(to_tolerance("dormand_prince853", 1e-12)));
        BodyDesc desc;
        desc.mass_properties =
            on_ball ? with_moments(1.0, kInfinite, kInfinite, 0.05) : with_moments(1.0, 0.04, 0.03, 0.05);
        desc.pose.position = {0.6, 0.0, 0.0};
        const BodyId body = world.create_body(desc);
        world.create_joint(on_ball ? ball(world, kGround, body, glm::dvec3(0.0))
                                   : hinge(world, kGround, body, glm::dvec3(0.0), {0.0, 0.0, 1.0}));
        for (int frame = 0; frame < 90; ++frame) {
            world.body(body).apply_force({0.0, 0.0, on_ball ? 5.0 : 0.0});
            world.advance(kFrame);
        }
        return world.pose(body).position;
    };
    CHECK(glm::length(angle_after(true) - angle_after(false)) < 1e-9);
}

TEST_CASE("locked axes: where velocities are turned, as in a rotating frame, nothing but the free axis turns") {
    for (const char* name : {"velocity_verlet", "symplectic_euler", "impulse_euler", "theta", "rk4"}) {
        CAPTURE(name);
        World world({.gravity = glm::dvec3(0.0), .integrator = to_tolerance(name, 1e-10)});
        BodyDesc desc;
        desc.mass_properties = with_moments(1.0, kInfinite, 0.4, kInfinite);
        desc.linear_velocity = {1.0, 0.0, 0.5};
        desc.angular_velocity = {0.0, 3.0, 0.0};
        const BodyId body = world.create_body(desc);
        RotatingFrameDesc frame;
        frame.rate = {0.7, 0.5, -0.3};
        world.add_force_field(std::make_unique<RotatingFrame>(frame));
        for (int i = 0; i < 60; ++i) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        const glm::dvec3 rate = spin(world, body);
        CHECK(std::isfinite(rate.y));
        CHECK(std::fabs(rate.x) + std::fabs(rate.z) < 1e-12);
        CHECK(std::fabs(world.energy().kinetic) < 1e3);
    }
}

TEST_CASE("locked axes: lives of such bodies have the same bits on two threads and behind restores, and stay finite") {
    const auto make = [](int threads) {
        WorldSettings settings = contact_settings(to_tolerance("auto", 1e-6));
        settings.threads = threads;
        settings.energy_ledger = true;
        World world(settings);
        const Material rough{.friction = 0.5, .restitution = 0.3};
        add_ground(world, rough);
        for (int i = 0; i < 6; ++i) {
            BodyDesc desc;
            desc.shape = i % 2 == 0 ? Shape(Box{{0.3, 0.2, 0.25}}) : Shape(Capsule{0.2, 0.2});
            desc.material = rough;
            desc.mass_properties = with_moments(1.0, i % 3 == 0 ? 0.05 : kInfinite, i % 3 == 1 ? 0.05 : kInfinite,
                                                i < 4 ? 0.05 : kInfinite);
            desc.pose = {{0.8 * i, 1.0 + 0.1 * i, 0.0}, glm::normalize(glm::dquat(0.9, 0.1 * i, 0.2, -0.1))};
            world.create_body(desc);
        }
        return world;
    };
    check_same_bits(make(1), make(2), make(1), 90);
    World world = make(1);
    for (int frame = 0; frame < 240; ++frame) {
        CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
    }
    CHECK(std::isfinite(world.energy().total()));
    CHECK(std::fabs(world.energy_ledger().remainder()) < 0.5);
}

TEST_CASE("locked axes: what no body can have is refused in one sentence") {
    World world;
    const auto refused = [&](const MassProperties& properties, const glm::dvec3& spin_wanted, const char* words) {
        BodyDesc desc;
        desc.mass_properties = properties;
        desc.angular_velocity = spin_wanted;
        try {
            world.create_body(desc);
        } catch (const std::invalid_argument& refusal) {
            CHECK(std::string(refusal.what()).find(words) != std::string::npos);
            return;
        }
        FAIL("not refused: ", words);
    };
    MassProperties crooked = with_moments(1.0, kInfinite, 1.0, 1.0);
    crooked.inertia[0][1] = crooked.inertia[1][0] = 0.1;
    refused(crooked, glm::dvec3(0.0), "beside an infinite moment its entries must be zero");
    refused(with_moments(1.0, -kInfinite, 1.0, 1.0), glm::dvec3(0.0), "must be finite");
    refused(with_moments(1.0, kInfinite, 0.0, 1.0), glm::dvec3(0.0), "must be positive");
    refused(with_moments(kInfinite, 1.0, 1.0, 1.0), glm::dvec3(0.0), "The mass");
    refused(with_moments(1.0, kInfinite, 1.0, 1.0), {0.1, 1.0, 0.0}, "must be zero where rotation is locked");
    CHECK(world.bodies().empty());
    BodyDesc fine;
    fine.mass_properties = with_moments(1.0, kInfinite, 1.0, 1.0);
    fine.angular_velocity = {0.0, 1.0, 1.0};
    const BodyId body = world.create_body(fine);
    CHECK_THROWS_AS(world.body(body).set_angular_velocity({1.0, 0.0, 0.0}), std::invalid_argument);
    CHECK_NOTHROW(world.body(body).set_angular_velocity({0.0, 2.0, 0.0}));
    fine.mass_properties = with_moments(1.0, kInfinite, kInfinite, kInfinite); // as locks_rotation
    fine.angular_velocity = {0.0, 0.0, 0.0};
    CHECK_NOTHROW(world.create_body(fine));
}
