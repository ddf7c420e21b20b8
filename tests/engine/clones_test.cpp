// A clone knows what a snapshot holds, and no more: it must go the same way at the same cost, because budgets and
// bounds are spent by that.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "pile_worlds.h"

using namespace engine_tests;

namespace {

/// Advances a world, and a clone of where it was beside it.
void check_clone(World& world) {
    World clone = world.clone();
    REQUIRE(clone.hash() == world.hash());
    const StepReport report = world.advance(kFrame);
    const StepReport of_clone = clone.advance(kFrame);
    CHECK(clone.hash() == world.hash());
    CHECK(of_clone.evaluations == report.evaluations);
    const std::vector<IslandView> islands = world.islands();
    const std::vector<IslandView> of_clone_too = clone.islands();
    REQUIRE(islands.size() == of_clone_too.size());
    for (std::size_t i = 0; i < islands.size(); ++i) {
        CHECK(of_clone_too[i].report.contact_work == islands[i].report.contact_work);
    }
}

} // namespace

TEST_CASE("the contacts of a pile cost a clone what they cost the world, while it falls and when it has scattered") {
    for (const bool sleeps : {false, true}) {
        WorldSettings settings;
        settings.sleep.enabled = sleeps;
        std::vector<BodyId> bodies;
        World world = mess(170, settings, bodies);
        int soft = 0;
        for (int frame = 0; frame < 60; ++frame) {
            check_clone(world);
            soft += has_regime(world, IslandRegime::Soft) ? 1 : 0;
        }
        CHECK(soft > 20);
        settings.gravity = glm::dvec3(0.0);
        world.set_settings(settings);
        for (std::size_t i = 0; i < bodies.size(); ++i) { // each on a way of its own: what was a pile is free bodies
            Body body = world.body(bodies[i]);
            const auto number = static_cast<double>(i);
            body.set_pose({{0.0, 100.0 + 10.0 * number, 0.0}, body.pose().orientation});
            body.set_linear_velocity({0.0, number, 0.0});
        }
        for (int frame = 0; frame < 5; ++frame) {
            check_clone(world);
        }
        CHECK_FALSE(has_regime(world, IslandRegime::Soft));
    }
}

TEST_CASE("a clone takes over islands that come to rest while bodies elsewhere meet unexpectedly") {
    WorldSettings settings;
    settings.integrator.method = "rk4";
    World world(settings);
    add_ground(world, kRough);
    for (int i = 0; i < 4; ++i) {
        BodyDesc slab = cube({0.02 * i, 0.55 + 1.15 * i, 0.01 * i});
        world.create_body(slab);
    }
    const auto ball = [&](double mass, const glm::dvec3& position) {
        BodyDesc desc = sphere(position, 0.1, {.friction = 0.0, .restitution = 1.0});
        desc.mass = mass;
        desc.gravity_factor = 0.0;
        return world.create_body(desc);
    };
    const glm::dvec3 far(0.0, 50.0, 0.0);
    const BodyId heavy = ball(1000.0, far);
    const BodyId light = ball(0.001, far + glm::dvec3(1.0, 0.0, 0.0));
    const BodyId third = ball(1.0, far + glm::dvec3(4.0, 0.0, 0.0));
    int together = 0;
    for (int frame = 0; frame < 90; ++frame) {
        // The light ball is hit in every frame, and carried on to the third one before the frame ends.
        double x = 0.0;
        for (const BodyId id : {heavy, light, third}) {
            world.body(id).set_pose({far + glm::dvec3(x, 0.0, 0.0)});
            world.body(id).set_linear_velocity({id == heavy ? 150.0 : 0.0, 0.0, 0.0});
            x += id == heavy ? 1.0 : 3.0;
        }
        check_clone(world);
        together += has_regime(world, IslandRegime::ConvexStep) ? 1 : 0;
        CHECK(world.body(third).linear_velocity().x > 0.0);
    }
    CHECK(together > 0);
}

TEST_CASE("contacts in modes cost a clone what they cost the world, whatever the world knows from the step before") {
    int in_modes = 0;
    for (const char* const method : {"auto", "dormand_prince54", "bogacki_shampine32", "rk4"}) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method);
            CAPTURE(boundary);
            WorldSettings settings;
            settings.integrator.method = method;
            settings.integrator.boundary = boundary;
            std::vector<BodyId> bodies;
            World world = mess(40, settings, bodies);
            for (int frame = 0; frame < 60; ++frame) {
                check_clone(world);
                in_modes += has_regime(world, IslandRegime::Modes) && !world.contacts().empty() ? 1 : 0;
            }
        }
    }
    CHECK(in_modes > 20);
}

TEST_CASE("a world made of a snapshot is the clone of then, on another thread while the first one goes on") {
    std::vector<BodyId> bodies;
    World world = mess(60, {}, bodies);
    for (int frame = 0; frame < 40; ++frame) {
        world.advance(kFrame);
    }
    World clone = world.clone();
    const WorldSnapshot then = world.snapshot();
    std::optional<World> made;
    std::jthread other([&] {
        made.emplace(then);
        for (int frame = 0; frame < 20; ++frame) {
            made->advance(kFrame);
        }
    });
    world.destroy_body(bodies[0]);
    for (int frame = 0; frame < 20; ++frame) {
        world.advance(kFrame);
        clone.advance(kFrame);
    }
    other.join();
    CHECK(made->hash() == clone.hash());
    CHECK(made->time() == clone.time());
    CHECK(made->is_valid(bodies[0]));
    CHECK(std::ranges::equal(made->bodies(), clone.bodies()));

    // Each takes snapshots of the other, across the edit too.
    const std::uint64_t end = clone.hash();
    world.restore(made->snapshot());
    CHECK(world.hash() == end);
    made->restore(clone.snapshot());
    CHECK(made->hash() == end);
}

TEST_CASE("bytes without their structure make no world, nor do damaged ones") {
    std::vector<BodyId> bodies;
    const WorldSnapshot whole = mess(4, {}, bodies).snapshot();
    CHECK_THROWS_WITH_AS(World(WorldSnapshot{whole.bytes}),
                         "The snapshot cannot be restored: these are bytes from elsewhere, which restore into a world "
                         "that was built alike.",
                         std::invalid_argument);
    WorldSnapshot damaged = whole;
    damaged.bytes[damaged.bytes.size() / 2] ^= std::byte{1};
    CHECK_THROWS_AS(World{damaged}, std::invalid_argument);
}

TEST_CASE("a world that sleeps wakes nobody where it comes back from an edit, whoever was near while others moved") {
    WorldSettings settings;
    settings.integrator.method = "velocity_verlet";
    settings.integrator.boundary = Boundary::RunAhead;
    settings.sleep.enabled = true;
    constexpr double kLongFrame = 0.1; // s
    std::vector<BodyId> bodies;
    World world = mess(5, settings, bodies);
    for (int frame = 0; frame < 15; ++frame) {
        world.advance(kLongFrame);
    }
    REQUIRE(std::ranges::all_of(world.islands(), [](const IslandView& island) { return island.asleep; }));
    const WorldSnapshot asleep = world.snapshot();
    World clone = world.clone();
    clone.advance(kLongFrame);

    for (const BodyId id : bodies) {
        world.body(id).set_linear_velocity({-6.0, 6.0, -3.0});
    }
    world.advance(kLongFrame);
    world.restore(asleep);
    world.advance(kLongFrame);
    CHECK(world.hash() == clone.hash());
    CHECK(world.islands().size() == clone.islands().size());
}
