// Piles and many bodies asleep: what they cost, what wakes them, and what they do where nothing does.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <vector>

#include "../sanitized.h"
#include "contact_worlds.h"

using namespace engine_tests;

namespace {

const Material kStone{.friction = 0.5};

double cpu_time() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool all_sleep(const World& world) {
    return std::ranges::all_of(world.islands(), [](const IslandView& island) { return island.asleep; });
}

// The cheapest of many frames (s) beside that many balls that sleep: a pile stands on a platform that creeps.
double frame_beside(int sleepers) {
    WorldSettings settings = contact_settings({});
    settings.sleep.enabled = true;
    settings.sleep.time = 0.05;
    World world(settings);
    add_ground(world, kStone);
    for (int i = 0; i < sleepers; ++i) {
        add_sphere(world, {2.0 * (i % 100), 0.25, 2.0 * (i / 100)}, 0.25, kStone);
    }
    BodyDesc platform;
    platform.motion = MotionType::Kinematic;
    platform.shape = Box{{5.0, 0.5, 5.0}};
    platform.pose.position = {-100.0, 5.0, 0.0};
    platform.linear_velocity = {0.02, 0.0, 0.0};
    world.create_body(platform);
    for (int i = 0; i < 160; ++i) {
        BodyDesc cube;
        cube.mass = 1.0;
        cube.shape = Box{glm::dvec3(0.25)};
        cube.pose.position = {-100.0 + 0.6 * (i % 4), 5.75 + 0.5 * (i / 16), 0.6 * (i / 4 % 4)};
        world.create_body(cube);
    }
    for (int frame = 0; frame < 20; ++frame) {
        world.advance(kFrame);
    }
    REQUIRE(std::ranges::count_if(world.islands(), [](const IslandView& island) { return !island.asleep; }) == 1);
    double best = 1.0;
    for (int frame = 0; frame < 60; ++frame) {
        const double begin = cpu_time();
        world.advance(kFrame);
        best = std::min(best, cpu_time() - begin);
    }
    REQUIRE(world.contacts().size() >= static_cast<std::size_t>(sleepers) + 160); // those of sleepers are told on
    return best;
}

// Cubes and slabs that fell into a trench, and sleep there.
World sleeping_heap(unsigned seed, int& frames) {
    WorldSettings settings = contact_settings({});
    settings.sleep.enabled = true;
    World world(settings);
    add_trench(world, 3.0, kStone);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (int i = 0; i < 160; ++i) {
        BodyDesc desc;
        desc.mass = 1.0;
        desc.material = kStone;
        desc.shape = i % 2 == 0 ? Box{glm::dvec3(0.5)} : Box{{0.5, 0.3, 0.2}};
        desc.pose.position = {1.3 * (i % 4 - 1.5), 0.9 + 1.1 * (i / 16), 1.3 * (i / 4 % 4 - 1.5)};
        desc.pose.orientation =
            glm::normalize(glm::dquat(number(random), number(random), number(random), number(random)));
        world.create_body(desc);
    }
    for (frames = 0; frames < 3600 && !all_sleep(world); ++frames) {
        world.advance(kFrame);
    }
    return world;
}

} // namespace

TEST_CASE("sleepers: a frame beside 10 000 of them costs what it does beside 1000" * doctest::skip(kSanitized)) {
    constexpr double kMost = 2.0;
    double few = 1e6;
    double many = 1e6;
    for (int attempt = 0; attempt < 3 && (attempt == 0 || many > kMost * few); ++attempt) { // others use the caches too
        few = std::min(few, 1e6 * frame_beside(1000));
        many = std::min(many, 1e6 * frame_beside(10'000));
    }
    MESSAGE(few << " us beside 1000, " << many << " beside 10 000");
    CHECK(many <= kMost * few); // measured: 1.10, and up to 1.45 where others use the caches; it was 5
}

TEST_CASE("sleepers: a heap falls asleep, and wakes when it is touched, not when something passes by") {
    int frames = 0;
    World world = sleeping_heap(3, frames);
    REQUIRE(all_sleep(world));
    glm::dvec3 top(0.0);
    std::vector<Pose> poses;
    for (const BodyId id : world.bodies()) {
        poses.push_back(world.body(id).pose());
        top = poses.back().position.y > top.y ? poses.back().position : top;
    }
    const auto is_awake = [&](BodyId but) {
        return std::ranges::any_of(world.islands(), [&](const IslandView& island) {
            return !island.asleep && !(island.bodies.size() == 1 && island.bodies.front() == but);
        });
    };
    BodyDesc passer = sphere(top + glm::dvec3(-2.5, 1.2, 0.0), 0.2, kStone);
    passer.linear_velocity = {20.0, 0.0, 0.0};
    passer.gravity_factor = 0.0;
    const BodyId passing = world.create_body(passer);
    for (int frame = 0; frame < 15; ++frame) {
        world.advance(kFrame);
        REQUIRE_FALSE(is_awake(passing));
    }
    world.destroy_body(passing);
    world.advance(kFrame);
    CHECK_FALSE(is_awake({}));
    for (std::size_t i = 0; i < poses.size(); ++i) { // not a bit
        CHECK(world.body(world.bodies()[i]).pose().position == poses[i].position);
    }

    passer.pose.position = top + glm::dvec3(0.0, 1.5, 0.0);
    passer.linear_velocity = {0.0, -5.0, 0.0};
    const BodyId hitting = world.create_body(passer);
    bool woke = false;
    for (int frame = 0; frame < 30; ++frame) {
        world.advance(kFrame);
        woke |= is_awake(hitting);
    }
    CHECK(woke);
}

TEST_CASE("sleepers: a heap that is woken and not touched moves by less than a tenth of a millimetre, and sleeps on") {
    for (const unsigned seed : {3u, 4u}) {
        CAPTURE(seed);
        if (kSanitized && seed != 3u) {
            continue;
        }
        int frames = 0;
        World world = sleeping_heap(seed, frames);
        REQUIRE(all_sleep(world));
        MESSAGE("slept after " << frames << " frames");
        CHECK(frames <= 1200);
        std::vector<glm::dvec3> places;
        for (const BodyId id : world.bodies()) {
            places.push_back(world.body(id).pose().position);
        }
        world.body(world.bodies().back()).apply_force(glm::dvec3(0.0));
        CHECK_FALSE(all_sleep(world));
        for (int frame = 0; frame < 120; ++frame) {
            world.advance(kFrame);
        }
        double moved = 0.0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            moved = std::max(moved, glm::length(world.body(world.bodies()[i]).pose().position - places[i]));
        }
        MESSAGE("moved by " << moved);
        CHECK(moved <= 1e-4);
        CHECK(all_sleep(world));
    }
}
