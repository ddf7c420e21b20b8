// Sleep of bodies that touch: what rests on something sleeps, and wakes when that is hit, moved or gone.
#include <doctest/doctest.h>

#include <functional>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kRadius = 0.1;

// A sphere that has come to rest on a floor, asleep.
struct Resting {
    World world;
    BodyId floor;
    BodyId ball;

    explicit Resting(const IntegratorSettings& integrator, double restitution = 0.3)
        : world([&] {
              WorldSettings settings = contact_settings(integrator);
              settings.sleep.enabled = true;
              return settings;
          }()) {
        BodyDesc ground;
        ground.motion = MotionType::Kinematic;
        ground.shape = Plane{};
        ground.material = {.friction = 0.5};
        floor = world.create_body(ground);
        ball = add_sphere(world, {0.0, 0.3, 0.0}, kRadius, {.friction = 0.5, .restitution = restitution});
        for (int frame = 0; frame < 240 && !asleep(); ++frame) {
            world.advance(kFrame);
        }
    }
    bool asleep() const { return world.islands().front().asleep; }
};

IntegratorSettings method(const char* name) {
    IntegratorSettings settings;
    settings.method = name;
    settings.atol = settings.rtol = 1e-8;
    settings.substeps = 4;
    return settings;
}

} // namespace

TEST_CASE("a sphere that rests on a floor falls asleep under every method, and costs and moves nothing from then on") {
    for (const IntegrationMethod* each : method_catalogue()) {
        CAPTURE(each->info().name);
        Resting scene(method(std::string(each->info().name).c_str()));
        REQUIRE(scene.asleep());
        CHECK(std::abs(scene.world.pose(scene.ball).position.y - kRadius) <= 1e-9);
        const Pose pose = scene.world.pose(scene.ball);
        for (int frame = 0; frame < 60; ++frame) {
            const StepReport report = scene.world.advance(kFrame);
            CHECK(report.status == StepStatus::ReachedTarget);
            CHECK(report.evaluations == 0);
        }
        CHECK(scene.world.pose(scene.ball).position == pose.position);
        REQUIRE(scene.world.contacts().size() == 1); // still known, with its force
        CHECK(scene.world.contacts()[0].force.y == doctest::Approx(kGravity).epsilon(1e-6));
        CHECK(scene.world.impacts().empty());
    }
}

TEST_CASE("a sphere that rolls slowly does not sleep") {
    WorldSettings settings = contact_settings(method("dormand_prince54"));
    settings.sleep.enabled = true;
    World world(settings);
    add_ground(world, {.friction = 0.5});
    BodyDesc desc = sphere({0.0, kRadius, 0.0}, kRadius, {.friction = 0.5});
    desc.linear_velocity = {2.0 * settings.sleep.linear_speed, 0.0, 0.0};
    desc.angular_velocity = {0.0, 0.0, -2.0 * settings.sleep.linear_speed / kRadius};
    world.create_body(desc);
    for (int frame = 0; frame < 240; ++frame) {
        world.advance(kFrame);
        REQUIRE_FALSE(world.islands().front().asleep);
    }
}

TEST_CASE("a sphere asleep on a floor wakes when it is hit, and when its floor moves, is moved or is gone") {
    struct Alarm {
        const char* name;
        std::function<void(Resting&)> ring;
        std::function<bool(const Resting&)> has_answered; ///< half a second later
    };
    const auto fell = [](const Resting& s) { return s.world.pose(s.ball).position.y < -0.5; };
    const Alarm alarms[] = {
        {"a sphere falls on it",
         [](Resting& s) {
             add_sphere(s.world, {0.02, 1.0, 0.0}, kRadius, {.restitution = 0.5});
         },
         [](const Resting& s) { return std::abs(s.world.pose(s.ball).position.x) > 0.01; }},
        {"a sphere is put into it",
         [](Resting& s) {
             const BodyId other = add_sphere(s.world, {5.0, kRadius, 0.0}, kRadius, {});
             s.world.advance(kFrame);
             REQUIRE(s.asleep());
             s.world.body(other).set_pose({{0.1999, kRadius, 0.0}, {1.0, 0.0, 0.0, 0.0}});
             s.world.body(other).set_linear_velocity({-1.0, 0.0, 0.0});
         },
         [](const Resting& s) { return s.world.pose(s.ball).position.x < -0.01; }},
        {"the floor begins to rise",
         [](Resting& s) {
             s.world.body(s.floor).set_linear_velocity({0.0, 0.5, 0.0});
         },
         [](const Resting& s) { return s.world.pose(s.ball).position.y > 0.3; }},
        {"the floor begins to move sideways",
         [](Resting& s) {
             s.world.body(s.floor).set_linear_velocity({1.0, 0.0, 0.0});
         },
         [](const Resting& s) { return s.world.body(s.ball).linear_velocity().x > 0.2; }},
        {"the floor is lowered",
         [](Resting& s) {
             s.world.body(s.floor).set_pose({{0.0, -3.0, 0.0}, {1.0, 0.0, 0.0, 0.0}});
         },
         [](const Resting& s) { // for half a second, from 0.1 m, and not at once
             const double y = s.world.pose(s.ball).position.y;
             return std::abs(y - (kRadius - 0.5 * kGravity * 0.25)) < 0.2;
         }},
        {"the sphere is lifted",
         [](Resting& s) {
             s.world.body(s.ball).set_pose({{0.0, 3.0, 0.0}, {1.0, 0.0, 0.0, 0.0}});
         },
         [](const Resting& s) {
             return std::abs(s.world.pose(s.ball).position.y - (3.0 - 0.5 * kGravity * 0.25)) < 0.2;
         }},
        {"the floor is tilted",
         [](Resting& s) {
             s.world.body(s.floor).set_pose({{0.0, 0.0, 0.0}, glm::angleAxis(-0.2, glm::dvec3(0.0, 0.0, 1.0))});
         },
         [](const Resting& s) { return s.world.body(s.ball).linear_velocity().x > 0.2; }},
        {"the floor is destroyed", [](Resting& s) { s.world.destroy_body(s.floor); }, fell},
        {"gravity is turned",
         [](Resting& s) {
             WorldSettings settings = s.world.settings();
             settings.gravity = {2.0, -kGravity, 0.0};
             s.world.set_settings(settings);
         },
         [](const Resting& s) { return s.world.body(s.ball).linear_velocity().x > 0.2; }},
    };
    for (const char* name : {"dormand_prince54", "impulse_euler"}) {
        for (const Alarm& alarm : alarms) {
            CAPTURE(std::string(name));
            CAPTURE(std::string(alarm.name));
            Resting scene(method(name));
            REQUIRE(scene.asleep());
            alarm.ring(scene);
            for (int frame = 0; frame < 30; ++frame) {
                scene.world.advance(kFrame);
            }
            CHECK_FALSE(scene.asleep());
            CHECK(alarm.has_answered(scene));
        }
    }
}

TEST_CASE("who sleeps on a slope slides when it is made smooth, whoever's surface that is") {
    for (const bool floors : {true, false}) {
        CAPTURE(floors);
        constexpr double kSlope = 0.2; // rad
        WorldSettings settings;
        settings.gravity = 9.8 * glm::dvec3(std::sin(kSlope), -std::cos(kSlope), 0.0);
        settings.sleep.enabled = true;
        World world(settings);
        BodyDesc desc;
        desc.motion = MotionType::Static;
        desc.shape = Plane{};
        desc.material = {.friction = 1.0, .friction_combine = CombineRule::Minimum};
        const BodyId floor = world.create_body(desc);
        desc.motion = MotionType::Dynamic;
        desc.shape = Sphere{0.2};
        desc.mass = 1.0;
        desc.pose.position.y = 0.2;
        desc.locks_rotation = true;
        const BodyId block = world.create_body(desc);
        for (int frame = 0; frame < 120; ++frame) {
            world.advance(kFrame);
        }
        REQUIRE(world.islands().front().asleep);
        const double x = world.pose(block).position.x;
        world.body(floors ? floor : block).set_material({.friction = 0.0, .friction_combine = CombineRule::Minimum});
        for (int frame = 0; frame < 60; ++frame) {
            world.advance(kFrame);
        }
        // Half of g sin a, a parabola that every method makes exactly.
        CHECK(world.pose(block).position.x - x == doctest::Approx(4.9 * std::sin(kSlope)).epsilon(1e-9));
    }
}

TEST_CASE("a snapshot of a sphere asleep on a floor restores it asleep, and both wake alike") {
    Resting scene(method("dormand_prince54"));
    REQUIRE(scene.asleep());
    const WorldSnapshot snapshot = scene.world.snapshot();
    Resting other(method("dormand_prince54"), 0.3);
    other.world.restore({snapshot.bytes, nullptr});
    CHECK(other.asleep());
    for (Resting* each : {&scene, &other}) {
        each->world.advance(kFrame);
        CHECK(each->asleep());
        each->world.body(each->ball).apply_impulse({0.5, 0.0, 0.0});
        for (int frame = 0; frame < 60; ++frame) {
            each->world.advance(kFrame);
        }
        CHECK(each->world.pose(each->ball).position.x > 0.1);
    }
    CHECK(scene.world.hash() == other.world.hash());
}
