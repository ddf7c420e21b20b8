// What a heap remembers when others come near or leave: its forces, and that velocity steps hold it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "contact_worlds.h"

namespace {

using namespace engine_tests;

constexpr double kRadius = 0.1;

/// Spheres at rest in a trench, more than modes hold.
struct Heap {
    World world;
    std::vector<BodyId> spheres;

    Heap(const std::string& method, int count) : world(settings(method)) {
        add_trench(world, 0.42, {.friction = 0.5});
        for (int i = 0; i < count; ++i) {
            const int row = i / 4 % 4;
            const int layer = i / 16;
            spheres.push_back(add_sphere({0.205 * (i % 4) - 0.3, 0.11 + 0.21 * layer, 0.205 * row - 0.3 + 0.003 * i}));
        }
        for (int frame = 0; frame < 600; ++frame) {
            world.advance(kFrame);
        }
    }

    static WorldSettings settings(const std::string& method) {
        WorldSettings settings;
        settings.integrator.method = method;
        return settings;
    }
    BodyId add_sphere(const glm::dvec3& place) {
        return engine_tests::add_sphere(world, place, kRadius, {.friction = 0.5, .restitution = 0.1});
    }
    double fastest() const {
        double speed = 0.0;
        for (const BodyId id : spheres) {
            speed = std::max(speed, glm::length(world.body(id).linear_velocity()));
        }
        return speed;
    }
    glm::dvec3 above_top() const {
        glm::dvec3 top(0.0);
        for (const BodyId id : spheres) {
            const glm::dvec3 place = world.body(id).pose().position;
            top = place.y > top.y ? place : top;
        }
        return top + glm::dvec3(0.0, 2.0 * kRadius + 0.005, 0.0);
    }
    bool handed_over() const {
        return std::ranges::any_of(world.islands(), [](const IslandView& island) { return island.handed_over; });
    }
};

} // namespace

TEST_CASE("a heap at rest keeps its forces where a body comes near, and where one leaves") {
    // Begun without forces the heap would sag in the first frame, at 0.1 mm/s under rk4 and 4 mm/s under impulse_euler.
    // From forty on it is a pile.
    struct Case {
        const char* method;
        int spheres;
        double rest; // m/s
    };
    for (const auto& [method, spheres, rest] :
         {Case{"rk4", 36, 1e-6}, Case{"impulse_euler", 48, 2e-7}, Case{"rk4", 48, 1e-4}}) {
        CAPTURE(method);
        CAPTURE(spheres);
        Heap heap(method, spheres);
        const bool own_steps = std::string(method) == "impulse_euler";
        REQUIRE(heap.fastest() < rest);
        CHECK(heap.handed_over() == !own_steps);
        const std::size_t islands = heap.world.island_count();

        const BodyId guest = heap.add_sphere(heap.above_top());
        const StepReport joined = heap.world.advance(kFrame);
        CHECK(heap.world.island_count() == islands); // 5 mm above the topmost: one of the heap now
        CHECK(heap.fastest() < rest);
        CHECK(heap.handed_over() == !own_steps);
        CHECK(joined.evaluations <= 4);

        heap.world.body(guest).set_pose({{50.0, 50.0, 50.0}});
        heap.world.advance(kFrame);
        CHECK(heap.world.island_count() == islands + 1);
        CHECK(heap.fastest() < rest);
        CHECK(heap.handed_over() == !own_steps);
    }
}

TEST_CASE("what velocity steps hold stays theirs until it is calm, whoever joins it") {
    // A budget of two evaluations cannot hold a sphere that slides; without one modes could, but wait for calm steps.
    WorldSettings settings = Heap::settings("rk4");
    settings.integrator.budget = 2;
    World world(settings);
    const Material material{.friction = 0.3};
    add_ground(world, material);
    BodyDesc slides = sphere({0.0, kRadius, 0.0}, kRadius, material);
    slides.linear_velocity = {1.0, 0.0, 0.0};
    world.create_body(slides);
    world.advance(kFrame);
    REQUIRE(world.islands()[0].handed_over);
    settings.integrator.budget = 0;
    world.set_settings(settings);

    slides.pose.position = {1.0 * kFrame, kRadius, 2.0 * kRadius + 0.005};
    world.create_body(slides);
    int frames = 0;
    while (frames < 20 && world.advance(kFrame).order == 1) {
        REQUIRE(world.island_count() == 1);
        CHECK(world.islands()[0].handed_over);
        ++frames;
    }
    CHECK(frames >= 5);
    CHECK_FALSE(world.islands()[0].handed_over);
}
