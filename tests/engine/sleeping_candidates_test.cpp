// Bodies asleep are searched apart: whoever comes near them is met, however he came.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "contact_worlds.h"

namespace {

using namespace engine_tests;

constexpr double kRadius = 0.1;

/// A row of spheres asleep on a plane, 5 mm apart, and far from it a field of as many others as are asked for.
struct Sleepers {
    World world;
    std::vector<BodyId> row;

    explicit Sleepers(int others = 0) : world(settings()) {
        add_ground(world, Material{});
        for (int i = 0; i < others; ++i) {
            const double apart = 2.0 * kRadius + 0.005;
            world.create_body(ball({100.0 + apart * (i % 20), kRadius, apart * (i / 20)}));
        }
        for (int i = 0; i < 6; ++i) {
            row.push_back(world.create_body(ball({i * (2.0 * kRadius + 0.005), kRadius, 0.0})));
        }
        for (int frame = 0; frame < 120; ++frame) {
            world.advance(kFrame);
        }
    }

    static WorldSettings settings() {
        WorldSettings settings;
        settings.integrator.method = "rk4";
        settings.sleep.enabled = true;
        return settings;
    }
    static BodyDesc ball(const glm::dvec3& place) {
        return sphere(place, kRadius, {.friction = 0.5, .restitution = 0.5});
    }
    bool is_asleep(std::size_t i) const {
        for (const IslandView& island : world.islands()) {
            if (std::ranges::find(island.bodies, row[i]) != island.bodies.end()) {
                return island.asleep;
            }
        }
        return false;
    }
    double shift_of_first(double place) const { return world.body(row[0]).pose().position.x - place; }
};

} // namespace

TEST_CASE("sleeping candidates: a fast sphere wakes the row that it hits, which passes the hit on") {
    Sleepers s;
    REQUIRE(s.is_asleep(0));
    REQUIRE(s.is_asleep(5));
    BodyDesc hitter = Sleepers::ball({-5.0, kRadius + 1e-4, 0.0});
    hitter.linear_velocity = {20.0, 0.0, 0.0};
    s.world.create_body(hitter);
    for (int frame = 0; frame < 30; ++frame) {
        s.world.advance(kFrame);
    }
    CHECK_FALSE(s.is_asleep(5));
    CHECK(s.world.body(s.row[5]).pose().position.x > 5.0 * (2.0 * kRadius + 0.005) + 0.5);
    for (std::size_t i = 1; i < s.row.size(); ++i) {
        CHECK(s.world.body(s.row[i]).pose().position.x - s.world.body(s.row[i - 1]).pose().position.x >
              2.0 * kRadius - 1e-6);
    }
}

TEST_CASE(
    "sleeping candidates: a body that is put among them, static ones that are moved, and kinematic ones wake them") {
    SUBCASE("a body created on top") {
        Sleepers s;
        const BodyId more = s.world.create_body(Sleepers::ball({0.0, 3.0 * kRadius + 0.01, 0.0}));
        for (int frame = 0; frame < 10; ++frame) {
            s.world.advance(kFrame);
        }
        CHECK(s.world.body(more).pose().position.y > 2.5 * kRadius); // held, not through
        CHECK_FALSE(s.is_asleep(0));
    }
    SUBCASE("a static sphere that is moved into the first") {
        Sleepers s;
        BodyDesc stone;
        stone.motion = MotionType::Static;
        stone.shape = Sphere{kRadius};
        stone.pose.position = {-5.0, kRadius, 0.0};
        const BodyId id = s.world.create_body(stone);
        s.world.advance(kFrame);
        CHECK(s.is_asleep(0));
        s.world.body(id).set_pose({{-1.9 * kRadius, kRadius, 0.0}});
        for (int frame = 0; frame < 30; ++frame) {
            s.world.advance(kFrame);
        }
        CHECK(s.shift_of_first(0.0) > 0.05 * kRadius);
    }
    // Where the first is when a kinematic sphere has come at that speed (m/s) from a metre away to half a metre beyond
    // its place.
    const auto driven = [](double speed, int others) {
        Sleepers s(others);
        BodyDesc ram;
        ram.motion = MotionType::Kinematic;
        ram.shape = Sphere{kRadius};
        ram.pose.position = {-1.0, kRadius, 0.0};
        ram.linear_velocity = {speed, 0.0, 0.0};
        s.world.create_body(ram);
        for (int frame = 0; frame < static_cast<int>(90.0 / speed); ++frame) {
            s.world.advance(kFrame);
        }
        return s.shift_of_first(0.5);
    };
    SUBCASE("a kinematic sphere that comes") {
        CHECK(driven(1.0, 0) >= 2.0 * kRadius - 1e-6);
        CHECK(driven(10.0, 0) >= 2.0 * kRadius - 1e-6);
    }
    SUBCASE("a kinematic sphere that comes, in a world of a thousand pairs") {
        CHECK(driven(1.0, 400) == driven(1.0, 0));
        CHECK(driven(10.0, 400) == driven(10.0, 0));
    }
    SUBCASE("a sleeper that is put elsewhere") {
        Sleepers s;
        s.world.body(s.row[0]).set_pose({{2.0 * (2.0 * kRadius + 0.005), 4.0 * kRadius, 0.0}});
        for (int frame = 0; frame < 20; ++frame) {
            s.world.advance(kFrame);
        }
        CHECK(s.world.body(s.row[0]).pose().position.y > 2.5 * kRadius);
    }
}

TEST_CASE("sleeping candidates: a restored world has the same pairs and bits") {
    Sleepers s;
    const WorldSnapshot saved = s.world.snapshot();
    Sleepers t;
    t.world.restore(saved);
    for (World* world : {&s.world, &t.world}) {
        BodyDesc hitter = Sleepers::ball({-2.0, kRadius + 1e-4, 0.01});
        hitter.linear_velocity = {12.0, 0.0, 0.0};
        world->create_body(hitter);
    }
    for (int frame = 0; frame < 60; ++frame) {
        s.world.advance(kFrame);
        t.world.advance(kFrame);
        CHECK(s.world.hash() == t.world.hash());
    }
}
