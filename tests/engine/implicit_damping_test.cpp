// Drag and dampers that no step resolves, in steps that take them at their end: velocity steps and theta.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kMass = 1.3;
constexpr double kRadius = 0.2;

World dragged(const char* method, const DragDesc& drag, const glm::dvec3& gravity) {
    IntegratorSettings settings;
    settings.method = method;
    World world({.gravity = gravity, .integrator = settings, .energy_ledger = true});
    world.add_force_field(std::make_unique<Drag>(drag));
    return world;
}

BodyId add_ball(World& world, const glm::dvec3& place) {
    return world.create_body({.pose = {.position = place},
                              .linear_velocity = {1.0, 0.0, -0.5},
                              .angular_velocity = {0.5, -2.0, 1.0},
                              .shape = Sphere{kRadius},
                              .mass = kMass});
}

} // namespace

TEST_CASE("a sphere rolls to rest through drag of any strength: nothing gained, and the ledger closes") {
    for (const char* method : {"auto", "cash_karp54", "dormand_prince853", "impulse_euler", "impulse_euler_doubling",
                               "theta", "velocity_verlet", "symplectic_euler"}) {
        for (const double drag : {30.0, 1e3, 1e5, 1e9}) {
            for (const double dt : {0.1, 1.0 / 60.0, 1.0 / 240.0}) {
                CAPTURE(std::string(method));
                CAPTURE(drag);
                CAPTURE(dt);
                const bool is_explicit = find_method(method)->needs == MethodNeeds::Derivative;
                if (is_explicit && drag > 1e4 && dt != kFrame) {
                    continue; // they spend their bound on every one of these frames
                }
                World world = dragged(method, {.linear = drag}, {0.0, -9.81, 0.0});
                world.create_body({.motion = MotionType::Static, .shape = Plane{}});
                const BodyId ball = add_ball(world, {0.0, kRadius, 0.0});
                double before = world.energy().total();
                const double tiny = 1e-9 * before;
                bool rises = false;
                bool arrived = true;
                bool unstable = false;
                bool degraded = false;
                const double seconds = is_explicit && drag > 1e4 ? 0.1 : 0.6;
                for (double t = 0.0; t < seconds; t += dt) {
                    const StepReport report = world.advance(dt);
                    arrived &= report.status == StepStatus::ReachedTarget;
                    unstable |= report.unstable;
                    degraded |=
                        report.degraded; // at its bound an explicit method has spent it on what it cannot resolve
                    rises |= !(world.energy().total() <= before + tiny);
                    before = world.energy().total();
                }
                CHECK(arrived);
                CHECK_FALSE(unstable);
                CHECK_FALSE(rises);
                // Drag alone stops a body of mass m after m v / drag; friction spends the spin to push it on by as
                // much.
                const glm::dvec3 way = world.body(ball).pose().position - glm::dvec3(0.0, kRadius, 0.0);
                CHECK(glm::length(way) < 2.0 * kMass * 1.12 / drag + 1e-7);
                CHECK(glm::length(world.body(ball).linear_velocity()) < 0.02);
                CHECK(std::fabs(world.energy_ledger().remainder()) < (degraded ? 0.2 : 1e-6));
            }
        }
    }
}

TEST_CASE("a velocity step divides the velocity of a dragged body by 1 + h c / m, and its spin likewise") {
    constexpr double kAngular = 0.7; // kg m^2/s
    for (const double drag : {0.4, 50.0, 1e9}) {
        CAPTURE(drag);
        World world = dragged("impulse_euler", {.linear = 0.75 * drag, .angular_linear = kAngular}, glm::dvec3(0.0));
        world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.25 * drag})); // two fields are one
        const BodyId ball = add_ball(world, {3.0, -1.0, 2.0});
        const double moment = 0.4 * kMass * kRadius * kRadius;
        glm::dvec3 v = world.body(ball).linear_velocity();
        glm::dvec3 w = world.body(ball).angular_velocity();
        for (int i = 0; i < 5; ++i) {
            world.advance(kFrame);
            v /= 1.0 + kFrame * drag / kMass;
            w /= 1.0 + kFrame * kAngular / moment;
            // The change is nearly all of the velocity: what is left has the round-off of what was.
            const double before = 1.0 + kFrame * drag / kMass;
            CHECK(glm::length(world.body(ball).linear_velocity() - v) < 1e-14 * before * glm::length(v));
            CHECK(glm::length(world.body(ball).angular_velocity() - w) < 1e-12 * glm::length(w));
        }
        CHECK(std::fabs(world.energy_ledger().remainder()) < 1e-8);
    }
}

TEST_CASE("a damper to the ground is taken at a velocity step's end, whatever its strength") {
    for (const double damping : {10.0, 1e4, 1e9}) {
        CAPTURE(damping);
        World world = dragged("impulse_euler", {}, glm::dvec3(0.0));
        const BodyId ball = add_ball(world, {1.0, 0.0, 0.0});
        world.body(ball).set_linear_velocity({2.0, 0.0, 0.0});
        world.add_force_field(std::make_unique<Spring>(SpringDesc{
            .body_a = kGround, .body_b = ball, .anchor_a = {-1.0, 0.0, 0.0}, .stiffness = 0.0, .damping = damping}));
        double v = 2.0;
        for (int i = 0; i < 5; ++i) {
            world.advance(kFrame);
            v /= 1.0 + kFrame * damping / kMass;
            CHECK(std::fabs(world.body(ball).linear_velocity().x - v) < 1e-14 * (1.0 + kFrame * damping / kMass) * v);
        }
    }
}

TEST_CASE("theta and velocity steps book drag where they take it: the ledger closes without gravity") {
    for (const char* method : {"theta", "impulse_euler"}) {
        for (const double drag : {0.5, 40.0, 1e3, 1e9}) {
            for (const bool quadratic : {false, true}) {
                CAPTURE(std::string(method));
                CAPTURE(drag);
                CAPTURE(quadratic);
                World world = dragged(method, quadratic ? DragDesc{.quadratic = drag} : DragDesc{.linear = drag},
                                      glm::dvec3(0.0));
                add_ball(world, {});
                double most = 0.0;
                for (int i = 0; i < 60; ++i) {
                    world.advance(kFrame);
                    most = std::max(most, std::fabs(world.energy_ledger().remainder()));
                }
                CHECK(most < 1e-8);
            }
        }
    }
}

TEST_CASE("a motor that no step resolves is not called unstable in velocity steps, which take it at their end") {
    for (const char* method : {"impulse_euler", "rk4"}) {
        CAPTURE(std::string(method));
        World world = dragged(method, {}, {0.0, -9.81, 0.0});
        const BodyId ball =
            world.create_body({.pose = {.position = {1.0, 0.0, 0.0}}, .shape = Sphere{0.1}, .mass = 1.0});
        JointDesc motor = hinge(world, kGround, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0});
        motor.drives = {{.target_rate = 2.0, .damping = 1e5}};
        world.create_joint(motor);
        bool unstable = false;
        for (int i = 0; i < 30; ++i) {
            unstable |= world.advance(kFrame).unstable;
        }
        CHECK(unstable == (std::string(method) == "rk4"));
        if (!unstable) {
            // The motor answers to what gravity did one step before.
            CHECK(std::fabs(world.body(ball).angular_velocity().z - 2.0) < 9.81 * kFrame);
        }
    }
}
