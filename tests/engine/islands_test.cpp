// Islands: which bodies share steps, and what survives when that changes.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

BodyId add_ball(World& world, const glm::dvec3& position, MotionType motion = MotionType::Dynamic) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.motion = motion;
    desc.shape = Sphere{0.1};
    desc.pose.position = position;
    return world.create_body(desc);
}

} // namespace

TEST_CASE("joints between dynamic bodies make islands, joints to the ground and to kinematic bodies do not unite") {
    World world;
    CHECK(world.island_count() == 0);
    const BodyId a = add_ball(world, {0.0, 0.0, 0.0});
    const BodyId b = add_ball(world, {1.0, 0.0, 0.0});
    const BodyId c = add_ball(world, {2.0, 0.0, 0.0});
    const BodyId carrier = add_ball(world, {1.0, 1.0, 0.0}, MotionType::Kinematic);
    CHECK(world.island_count() == 3);
    world.create_joint(ball(world, a, carrier, {0.5, 0.5, 0.0}));
    world.create_joint(ball(world, b, carrier, {1.0, 0.5, 0.0}));
    world.create_joint(ball(world, kGround, c, {2.0, 1.0, 0.0}));
    CHECK(world.island_count() == 3);
    const JointId link = world.create_joint(ball(world, a, b, {0.5, 0.0, 0.0}));
    CHECK(world.island_count() == 2);
    world.create_joint(ball(world, c, b, {1.5, 0.0, 0.0}));
    CHECK(world.island_count() == 1);
    world.destroy_joint(link);
    CHECK(world.island_count() == 2);
    world.destroy_body(b);
    CHECK(world.island_count() == 2);
    CHECK(world.joints().size() == 2);
}

TEST_CASE("an island does not feel what happens in another: the same bits alone and in company") {
    const IntegratorSettings settings = adaptive(1e-7, Boundary::RunAhead);
    Pendulum alone(settings);
    Pendulum together(settings);
    add_ball(together.world, {3.0, 0.0, 0.0});
    std::vector<BodyId> company;
    for (int frame = 0; frame < 300; ++frame) {
        if (frame % 50 == 25) {
            company.push_back(add_ball(together.world, {4.0, 0.1 * frame, 0.0}));
        }
        if (frame % 50 == 40) {
            together.world.destroy_body(company.back());
        }
        alone.world.advance(kFrame);
        together.world.advance(kFrame);
        REQUIRE(alone.world.pose(alone.body).position == together.world.pose(together.body).position);
    }
}

TEST_CASE("a fast island does not make a slow one take small steps") {
    World world({.integrator = adaptive(1e-8, Boundary::RunAhead)});
    const BodyId slow = add_ball(world, {0.0, 0.0, 0.0});
    BodyDesc spinning;
    spinning.mass = 1.0;
    spinning.collides = false;
    spinning.shape = Box{{0.1, 0.2, 0.3}};
    spinning.angular_velocity = {30.0, 20.0, 10.0};
    world.create_body(spinning);
    std::int64_t together = 0;
    for (int frame = 0; frame < 200; ++frame) {
        together += world.advance(kFrame).evaluations;
    }
    world.destroy_body(slow);
    World fast_only({.integrator = adaptive(1e-8, Boundary::RunAhead)});
    fast_only.create_body(spinning);
    std::int64_t alone = 0;
    for (int frame = 0; frame < 200; ++frame) {
        alone += fast_only.advance(kFrame).evaluations;
    }
    CHECK(together < alone + alone / 4); // free fall is exact for the method: steps of half a second
}

TEST_CASE("islands that merge go on with the smaller of their steps") {
    World world({.integrator = adaptive(1e-9, Boundary::RunAhead)});
    const BodyId slow = add_ball(world, {1.0, 0.0, 0.0});
    BodyDesc spinning;
    spinning.mass = 1.0;
    spinning.collides = false;
    spinning.shape = Box{{0.1, 0.2, 0.3}};
    spinning.angular_velocity = {9.0, 6.0, 3.0};
    const BodyId fast = world.create_body(spinning);
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
    }
    world.create_joint(ball(world, slow, fast, {0.5, 0.0, 0.0}));
    const StepReport report = world.advance(kFrame);
    CHECK(report.status == StepStatus::ReachedTarget);
    CHECK(report.rejected <= 2); // a first step chosen blindly would be rejected more often
}

TEST_CASE("islands stay what they are while nothing new connects them, and where something does only those change") {
    World world({.integrator = adaptive(1e-8, Boundary::RunAhead)});
    const BodyId first = add_chain(world, 3).back();
    std::vector<BodyId> loose;
    for (int i = 0; i < 4; ++i) {
        loose.push_back(add_ball(world, {5.0 + 2.0 * i, 0.0, 0.0}));
    }
    world.advance(kFrame);
    // An island's settings lie within it.
    const auto island_of = [&](BodyId body) {
        for (const IslandView& island : world.islands()) {
            if (std::ranges::find(island.bodies, body) != island.bodies.end()) {
                return island.settings;
            }
        }
        return static_cast<const IntegratorSettings*>(nullptr);
    };
    const std::vector<const IntegratorSettings*> before{island_of(first), island_of(loose[0]), island_of(loose[3])};
    for (int frame = 0; frame < 60; ++frame) { // motion, pushes and new velocities couple nothing
        world.body(loose[0]).apply_force({1.0, 0.0, 0.0});
        world.body(first).apply_impulse({0.0, 0.0, 0.01});
        world.advance(kFrame);
    }
    CHECK(std::vector{island_of(first), island_of(loose[0]), island_of(loose[3])} == before);
    world.create_joint(ball(world, loose[1], loose[2], world.pose(loose[1]).position));
    world.advance(kFrame);
    CHECK(island_of(loose[1]) == island_of(loose[2]));
    CHECK(std::vector{island_of(first), island_of(loose[0]), island_of(loose[3])} == before);
}

TEST_CASE("a kinematic body carries what hangs on it along its prescribed motion") {
    World world({.gravity = glm::dvec3(0.0), .integrator = adaptive(1e-10, Boundary::Exact)});
    BodyDesc desc;
    desc.motion = MotionType::Kinematic;
    desc.angular_velocity = {0.0, 0.0, 2.0};
    desc.linear_velocity = {0.5, 0.0, 0.0};
    const BodyId carrier = world.create_body(desc);
    BodyDesc carried;
    carried.shape = Sphere{0.5};
    carried.mass = 1.0;
    carried.pose.position = {1.0, 0.0, 0.0};
    carried.angular_velocity = {0.0, 0.0, 2.0};
    carried.linear_velocity = {0.5, 2.0, 0.0}; // at rest on the carrier
    const BodyId body = world.create_body(carried);
    // Two hinges across one another lock everything; four of the ten rows are redundant.
    world.create_joint(hinge(world, carrier, body, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    world.create_joint(hinge(world, carrier, body, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}));
    for (int frame = 0; frame < 120; ++frame) {
        CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
    }
    const double t = world.time();
    const glm::dvec3 exact(0.5 * t + std::cos(2.0 * t), std::sin(2.0 * t), 0.0);
    CHECK(glm::length(world.pose(body).position - exact) < 1e-12); // closed by projection, not by the method
    CHECK(worst_joint_error(world) < 1e-12);
}

TEST_CASE("what limits the substeps of a body that only spins is its orientation; a fixed method has no such thing") {
    World world;
    WorldSettings settings = world.settings();
    settings.gravity = glm::dvec3{0.0};
    settings.integrator = adaptive(1e-9, Boundary::Exact);
    world.set_settings(settings);
    CHECK_FALSE(world.limiting_quantity()); // nobody is there
    BodyDesc desc;
    desc.mass = 1.0;
    desc.collides = false;
    desc.shape = Box{{0.1, 0.2, 0.3}};
    desc.angular_velocity = {3.0, 0.1, 4.0};
    const BodyId body = world.create_body(desc);
    CHECK_FALSE(world.limiting_quantity()); // and nothing was advanced
    world.advance(1.0 / 60.0);
    const std::optional<LimitingQuantity> limit = world.limiting_quantity();
    REQUIRE(limit);
    CHECK(limit->body == body);
    CHECK(limit->quantity == "orientation");
    settings.integrator.method = "rk4";
    world.set_settings(settings);
    world.advance(1.0 / 60.0);
    CHECK_FALSE(world.limiting_quantity());
}
