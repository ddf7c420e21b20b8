// Edits at the step boundary: forces of one frame, impulses, teleports, settings, forces that fail.
#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <string>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

BodyDesc ball_at(const glm::dvec3& position) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = Sphere{0.1};
    desc.pose.position = position;
    return desc;
}

class Broken final : public ForceField {
public:
    Wrench at(double t, const BodyMotion&) const noexcept override {
        return {{t > 0.1 ? std::numeric_limits<double>::quiet_NaN() : 0.0, 0.0, 0.0}, glm::dvec3(0.0)};
    }
};

/// Rises and sinks, and counts who asked.
class Lift final : public BodyPath {
public:
    Point at(double t) const noexcept override {
        ++asked;
        Point point;
        point.pose.position = {0.0, -0.2 + 0.05 * t * t, 0.0};
        point.linear_velocity = {0.0, 0.1 * t, 0.0};
        point.linear_acceleration = {0.0, 0.1, 0.0};
        return point;
    }
    mutable int asked = 0;
};

} // namespace

TEST_CASE("a force acts during exactly one step, whatever the method") {
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method->info().name);
            IntegratorSettings settings = fixed(std::string(method->info().name), 3);
            settings.boundary = boundary;
            World world({.gravity = glm::dvec3(0.0), .integrator = settings});
            const BodyId id = world.create_body(ball_at({0.0, 0.0, 0.0}));
            for (int frame = 0; frame < 20; ++frame) {
                world.advance(kFrame); // long enough for a segment to run ahead
            }
            world.body(id).apply_force({2.0, 0.0, 0.0});
            world.body(id).apply_force({1.0, 0.0, 0.0});
            world.advance(kFrame);
            CHECK(world.body(id).linear_velocity().x == doctest::Approx(3.0 * kFrame).epsilon(1e-13));
            for (int frame = 0; frame < 20; ++frame) {
                world.advance(kFrame);
            }
            CHECK(world.body(id).linear_velocity().x == doctest::Approx(3.0 * kFrame).epsilon(1e-13));
        }
    }
}

TEST_CASE("forces and impulses at a point also turn the body") {
    World world({.gravity = glm::dvec3(0.0), .integrator = fixed("rk4", 1)});
    const BodyId id = world.create_body(ball_at({1.0, 2.0, 3.0}));
    world.body(id).apply_impulse_at({0.0, 1.0, 0.0}, {1.5, 2.0, 3.0});
    CHECK(world.body(id).angular_momentum().z == doctest::Approx(0.5));
    CHECK(world.body(id).linear_velocity().y == doctest::Approx(1.0));
    world.body(id).apply_force_at({0.0, -60.0, 0.0}, {1.5, 2.0, 3.0});
    world.body(id).apply_torque({0.0, 0.0, 60.0});
    world.advance(kFrame);
    CHECK(world.body(id).linear_velocity().y == doctest::Approx(0.0));
    CHECK(world.body(id).angular_momentum().z == doctest::Approx(1.0));
    // Velocity of a point: v + omega x r.
    const glm::dvec3 at = world.body(id).centre_of_mass() + glm::dvec3(0.1, 0.0, 0.0);
    CHECK(world.body(id).velocity_at(at).y == doctest::Approx(0.1 * world.body(id).angular_velocity().z));
}

TEST_CASE("a teleport truncates a segment that ran ahead, and motion goes on from the new place") {
    World world({.integrator = adaptive(1e-8, Boundary::RunAhead)});
    const BodyId id = world.create_body(ball_at({0.0, 0.0, 0.0}));
    for (int frame = 0; frame < 30; ++frame) {
        world.advance(kFrame);
    }
    Body body = world.body(id);
    const glm::dvec3 velocity = body.linear_velocity();
    const glm::dquat turn = glm::angleAxis(1.0, glm::dvec3(0.0, 1.0, 0.0));
    body.set_pose({{7.0, 0.0, 0.0}, turn});
    CHECK(world.pose(id).position == glm::dvec3(7.0, 0.0, 0.0));
    CHECK(body.linear_velocity() == velocity);
    const StepReport report = world.advance(kFrame);
    CHECK(report.restarted);
    CHECK(report.boundary == Boundary::Exact);
    const double fallen = velocity.y * kFrame - 4.9 * kFrame * kFrame;
    CHECK(world.pose(id).position.x == 7.0);
    CHECK(world.pose(id).position.y == doctest::Approx(fallen).epsilon(1e-12));
    CHECK(angle_between(world.pose(id).orientation, turn) < 1e-14);
}

TEST_CASE("turning a body keeps its angular velocity, moving it keeps its angular momentum bit for bit") {
    World world;
    BodyDesc desc;
    desc.mass = 1.0;
    desc.collides = false;
    desc.shape = Box{{0.1, 0.2, 0.3}};
    desc.angular_velocity = {1.0, 2.0, 3.0};
    const BodyId id = world.create_body(desc);
    Body body = world.body(id);
    const glm::dvec3 momentum = body.angular_momentum();
    Pose pose = body.pose();
    pose.position.x = 4.0;
    body.set_pose(pose);
    CHECK(body.angular_momentum() == momentum);
    pose.orientation = glm::angleAxis(1.3, glm::dvec3(0.0, 0.0, 1.0));
    body.set_pose(pose);
    CHECK(glm::length(body.angular_velocity() - glm::dvec3(1.0, 2.0, 3.0)) < 1e-14);
}

TEST_CASE("sampling never interpolates across an edit, and falls between the ends of the last step") {
    World world({.integrator = fixed("rk4", 1)});
    BodyDesc desc = ball_at({0.0, 0.0, 0.0});
    desc.linear_velocity = {1.0, 0.0, 0.0};
    const BodyId id = world.create_body(desc);
    CHECK(world.sample(id, 0.0).position == glm::dvec3(0.0));
    for (int frame = 0; frame < 6; ++frame) {
        world.advance(kFrame);
    }
    world.body(id).set_pose({{100.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}});
    const double t = world.time() - 0.4 * kFrame;
    CHECK(world.sample(id, t).position.x == doctest::Approx(t).epsilon(1e-12));            // still where it was then
    CHECK(world.sample(id, t).position.y == doctest::Approx(-4.9 * t * t).epsilon(1e-12)); // a cubic holds a parabola
    CHECK(world.sample(id, world.time()).position.x == 100.0);
    world.advance(kFrame);
    CHECK(world.sample(id, world.time() - 0.999 * kFrame).position.x == doctest::Approx(100.0).epsilon(1e-3));
    // Clamped to the last step.
    CHECK(world.sample(id, -5.0).position.x == doctest::Approx(100.0));
    CHECK(world.sample(id, 1e9).position == world.pose(id).position);
}

TEST_CASE(
    "switching methods 1000 times at random never jumps: state bit-equal under Exact, energy as good as the worst") {
    Pendulum pendulum(fixed("rk4", 1));
    std::mt19937 random(3);
    const auto methods = method_catalogue();
    for (int change = 0; change < 1000; ++change) {
        const auto& info = methods[random() % methods.size()]->info();
        const std::uint64_t before = pendulum.world.hash();
        WorldSettings settings = pendulum.world.settings();
        settings.integrator.method = std::string(info.name);
        settings.integrator.substeps = 1 + static_cast<int>(random() % 8);
        pendulum.world.set_settings(settings);
        REQUIRE(pendulum.world.hash() == before);
        REQUIRE(pendulum.world.advance(kFrame).status == StepStatus::ReachedTarget);
        REQUIRE(std::isfinite(pendulum.angle()));
    }
    CHECK(pendulum.world.joint_error(pendulum.joint) < 1e-12);
}

TEST_CASE("switching from a segment that ran ahead keeps the state that was handed out") {
    Pendulum pendulum(adaptive(1e-8, Boundary::RunAhead));
    for (int frame = 0; frame < 100; ++frame) {
        pendulum.world.advance(kFrame);
    }
    const double error_before = angle_between(pendulum.angle(), pendulum_angles()[100]);
    WorldSettings settings = pendulum.world.settings();
    settings.integrator.method = "rk4";
    settings.integrator.substeps = 20;
    const std::uint64_t before = pendulum.world.hash();
    pendulum.world.set_settings(settings);
    CHECK(pendulum.world.hash() == before);
    pendulum.world.advance(kFrame);
    const double error_after = angle_between(pendulum.angle(), pendulum_angles()[101]);
    CHECK(error_after < error_before + 1e-6); // the quartic's error at 1e-8
}

TEST_CASE("NaN from a user's force gives NonFinite and leaves the last good state") {
    World world({.integrator = fixed("rk4", 1)});
    const BodyId id = world.create_body(ball_at({0.0, 0.0, 0.0}));
    const ForceFieldId field = world.add_force_field(std::make_unique<Broken>());
    StepReport report;
    glm::dvec3 last(0.0);
    for (int frame = 0; frame < 10; ++frame) {
        last = world.pose(id).position;
        report = world.advance(kFrame);
        if (report.status != StepStatus::ReachedTarget) {
            break;
        }
    }
    CHECK(report.status == StepStatus::NonFinite);
    CHECK(world.pose(id).position == last);
    CHECK(report.simulated == 0.0);
    // Without the field the world goes on.
    world.remove_force_field(field);
    CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
    CHECK(world.pose(id).position.y < last.y);
}

TEST_CASE("gravity changed between steps acts from the next step on, also under RunAhead") {
    World world({.gravity = glm::dvec3(0.0), .integrator = adaptive(1e-8, Boundary::RunAhead)});
    const BodyId id = world.create_body(ball_at({0.0, 0.0, 0.0}));
    for (int frame = 0; frame < 30; ++frame) {
        world.advance(kFrame);
    }
    WorldSettings settings = world.settings();
    settings.gravity = {0.0, -6.0, 0.0};
    world.set_settings(settings);
    world.advance(kFrame);
    CHECK(world.body(id).linear_velocity().y == doctest::Approx(-6.0 * kFrame).epsilon(1e-12));
}

TEST_CASE("time is a count of steps: after a thousand of them it is the product, and dt may change") {
    World world;
    for (int step = 0; step < 1000; ++step) {
        world.advance(0.1);
    }
    CHECK(world.time() == 1000 * 0.1); // the sum of 1000 times 0.1 is 99.9999999999986
    world.advance(0.25);
    CHECK(world.time() == 1000 * 0.1 + 0.25);
    for (const double dt : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(world.advance(dt).status == StepStatus::InvalidInput);
        CHECK(world.time() == 1000 * 0.1 + 0.25);
    }
}

TEST_CASE("what lay on a body with a path falls when that is destroyed, and the path is asked no more") {
    for (const std::string method : {"cash_karp54", "impulse_euler"}) {
        CAPTURE(method);
        WorldSettings settings;
        settings.integrator.method = method;
        World world(settings);
        const auto path = std::make_shared<Lift>();
        BodyDesc lift = ball_at({0.0, -0.2, 0.0});
        lift.motion = MotionType::Kinematic;
        lift.path = path;
        const BodyId below = world.create_body(lift);
        const BodyId ball = world.create_body(ball_at({0.0, 0.0, 0.0}));
        // The ball stays in contact with the wall, so that its island keeps a constraint.
        BodyDesc wall;
        wall.motion = MotionType::Static;
        wall.shape = Plane{};
        wall.pose.position = {-0.1, 0.0, 0.0};
        wall.pose.orientation = glm::angleAxis(-0.5 * std::numbers::pi, glm::dvec3(0.0, 0.0, 1.0));
        world.create_body(wall);
        for (int frame = 0; frame < 10; ++frame) {
            world.advance(kFrame);
        }
        CHECK(world.body(ball).pose().position.y > 0.0);
        CHECK(path->asked > 0);

        const double height = world.body(ball).pose().position.y;
        path->asked = 0;
        world.destroy_body(below);
        const WorldSnapshot snapshot = world.snapshot();
        for (int frame = 0; frame < 6; ++frame) {
            world.advance(kFrame);
        }
        CHECK(world.body(ball).pose().position.y == doctest::Approx(height - 0.5 * 9.8 * 0.01).epsilon(0.2));
        world.restore(snapshot);
        world.advance(kFrame);
        CHECK(path->asked == 0);
    }
}
