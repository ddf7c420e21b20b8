// Heaps under a budget: what contacts cost is spent from it, and velocity steps finish the frame.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kRadius = 0.1;

/// Spheres set down in a pit of five planes, in layers that touch.
World pit(int spheres, const WorldSettings& settings, double restitution = 0.3) {
    World world(settings);
    constexpr int kWide = 5;
    add_trench(world, kWide * kRadius, {.friction = 0.5, .restitution = restitution});
    for (int i = 0; i < spheres; ++i) {
        BodyDesc ball;
        ball.mass = 1.0;
        ball.shape = Sphere{kRadius};
        ball.material = {.friction = 0.5, .restitution = restitution};
        const int layer = i / (kWide * kWide);
        const int column = i % kWide - kWide / 2;
        const int row = i / kWide % kWide - kWide / 2;
        ball.pose.position = {column * 2.0 * kRadius + 1e-3 * ((i * 7) % 5 - 2),
                              (2 * layer + 1) * kRadius + 1e-3 * layer, row * 2.0 * kRadius + 1e-3 * ((i * 3) % 5 - 2)};
        world.create_body(ball);
    }
    return world;
}

struct Spent {
    std::int64_t most = 0;        ///< evaluations and work of one frame
    std::int64_t evaluations = 0; ///< most of one frame
    double fastest = 0.0;         ///< m/s, at the end
    double lowest = 0.0;          ///< m, of a sphere's centre, ever
};

Spent watch(World& world, int frames) {
    Spent spent{.lowest = 1.0};
    for (int frame = 0; frame < frames; ++frame) {
        world.advance(kFrame);
        for (const IslandView& island : world.islands()) {
            spent.most = std::max(spent.most, island.report.evaluations + island.report.contact_work);
            spent.evaluations = std::max(spent.evaluations, island.report.evaluations);
        }
        for (const BodyId body : world.bodies()) {
            if (world.body(body).motion() == MotionType::Dynamic) {
                spent.lowest = std::min(spent.lowest, world.pose(body).position.y);
            }
        }
    }
    for (const BodyId body : world.bodies()) {
        spent.fastest = std::max(spent.fastest, glm::length(world.body(body).linear_velocity()));
    }
    return spent;
}

} // namespace

TEST_CASE("a heap spends no more than its budget and one velocity step, contacts included") {
    struct Heap {
        int spheres, budget, frames;
    };
    for (const Heap heap : {Heap{80, 200, 40}, Heap{200, 60, 15}, Heap{27, 500, 60}}) {
        CAPTURE(heap.spheres);
        WorldSettings settings;
        settings.integrator.budget = heap.budget;
        World world = pit(heap.spheres, settings);
        const Spent spent = watch(world, heap.frames);
        CAPTURE(spent.most);
        CHECK(spent.evaluations <= heap.budget);
        CHECK(spent.most <= heap.budget + 150); // what one velocity step with all its sweeps costs here
        CHECK(spent.lowest > 0.5 * kRadius);
        CHECK(spent.fastest < 2.0);
    }
}

TEST_CASE("a heap's long frame takes no more sets of contacts than its budget has evaluations, and says so") {
    for (const int budget : {1, 2, 5}) {
        CAPTURE(budget);
        WorldSettings settings;
        settings.integrator.method = "rk4";
        settings.integrator.budget = budget;
        World world = pit(200, settings);
        for (int frame = 0; frame < 3; ++frame) {
            world.advance(0.25);
            for (const IslandView& island : world.islands()) {
                CHECK(island.report.evaluations <= budget);
                CHECK((island.bodies.size() == 1 || island.report.degraded));
            }
        }
    }
}

// All pairs within 2 cm had manifolds, 50 000 of them: the frame took 14 s.
TEST_CASE("balls of a millimetre that fall together in a long frame have manifolds with their neighbours alone") {
    constexpr double kSmall = 1e-3;
    constexpr int kSide = 7;
    World world;
    add_trench(world, 1.3 * kSide * kSmall, {.friction = 0.5, .restitution = 0.3});
    for (int i = 0; i < kSide * kSide * kSide; ++i) {
        const glm::dvec3 place(i % kSide - 3, i / kSide / kSide + 0.6, i / kSide % kSide - 3);
        const glm::dvec3 aside = 1e-5 * glm::dvec3((i * 7) % 5 - 2, 0.0, (i * 3) % 5 - 2);
        world.create_body(sphere(2.1 * kSmall * place + aside, kSmall, {.friction = 0.5, .restitution = 0.3}));
    }
    const StepReport report = world.advance(0.1);
    CHECK(report.status == StepStatus::ReachedTarget);
    MESSAGE("work on contacts: ", report.contact_work);
    CHECK(report.contact_work < 10000); // 70 000 with all of them
}
