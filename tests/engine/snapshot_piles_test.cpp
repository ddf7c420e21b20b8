// What a snapshot does not hold of piles is found again as it was, right behind edits too.
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "counting_allocator.h"
#include "pile_worlds.h"

using namespace engine_tests;

TEST_CASE("piles: what a snapshot leaves out is found again as it was, right behind an edit too") {
    struct Edit {
        const char* name;
        std::function<void(World&, Body)> make;
    };
    const std::vector<Edit> edits = {
        {"none", [](World&, Body) {}},
        {"a shape",
         [](World&, Body body) {
             body.set_shape(Box{{0.499, 0.5, 0.5}}, 1.0);
         }},
        {"a collider's place",
         [](World&, Body body) {
             ColliderDesc moved = body.collider(body.colliders().front());
             moved.offset.position += glm::dvec3(0.001, 0.0, 0.0005);
             body.set_collider(body.colliders().front(), moved);
         }},
        {"a centre of mass",
         [](World&, Body body) {
             MassProperties properties = body.mass_properties();
             properties.centre_of_mass += glm::dvec3(0.0, 0.001, 0.0005);
             body.set_mass_properties(properties);
         }},
        {"a pose",
         [](World&, Body body) {
             Pose pose = body.pose();
             pose.position.x += 0.001;
             body.set_pose(pose);
         }},
        {"the world's length",
         [](World& world, Body) {
             WorldSettings settings = world.settings();
             settings.length = 2.0;
             world.set_settings(settings);
         }},
    };
    for (const char* const method : {"auto", "convex_step"}) {
        IntegratorSettings settings;
        settings.method = method;
        std::vector<BodyId> bodies;
        World world = columns(4, 10, contact_settings(settings), bodies);
        for (int frame = 0; frame < 90; ++frame) { // until few manifolds are found anew
            world.advance(kFrame);
        }
        for (const Edit& edit : edits) {
            CAPTURE(std::string(method));
            CAPTURE(std::string(edit.name));
            for (std::size_t i = 0; i < bodies.size(); i += 3) {
                edit.make(world, world.body(bodies[i]));
            }
            // The world itself is never restored, so that it knows what the snapshot does not hold.
            World restored = world.clone();
            restored.advance(kFrame);
            const WorldSnapshot begin = world.snapshot();
            restored.restore(begin);
            CHECK(restored.snapshot().bytes == begin.bytes);
            for (int frame = 0; frame < 3; ++frame) {
                world.advance(kFrame);
                restored.advance(kFrame);
            }
            CHECK(restored.snapshot().bytes == world.snapshot().bytes);
        }
    }
}

TEST_CASE("piles: a world that goes back and forth has the room for it, and hands nothing on to whom it parts again") {
    WorldSettings settings;
    std::vector<BodyId> bodies;
    World world = mess(200, settings, bodies);
    const WorldSnapshot apart = world.snapshot(); // two hundred bodies on their own
    for (int frame = 0; frame < 60; ++frame) {
        world.advance(kFrame);
    }
    REQUIRE(has_regime(world, IslandRegime::Soft));
    const WorldSnapshot together = world.snapshot();
    const auto bytes_of = [&](const WorldSnapshot& snapshot) {
        const std::size_t before = allocated_bytes();
        world.restore(snapshot);
        return allocated_bytes() - before;
    };
    for (int time = 0; time < 3; ++time) { // lists take turns
        bytes_of(together);
    }
    const std::size_t of_pile = bytes_of(together);
    CHECK(of_pile <
          3 * together.bytes.size()); // one snapshot is taken on the way, in case that the bytes make no sense
    const std::size_t of_parted = bytes_of(apart);
    CHECK(of_parted < 20'000 * bodies.size());
    CAPTURE(together.bytes.size());
    CAPTURE(of_pile);
    CAPTURE(of_parted);
    CHECK(world.hash() == mess(200, settings, bodies).hash());
}
