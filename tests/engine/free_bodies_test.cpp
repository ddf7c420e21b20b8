// Bodies that nothing ties are advanced in lanes: to the bit as islands of their own would be, in whatever registers.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "counting_allocator.h"
#include "free_bodies/lane_block.h"
#include "loose_bodies.h"
#include "substep/numerics/simd_level.h"

using namespace engine_tests;

namespace {

std::vector<IntegratorSettings> settings_of_lanes() {
    std::vector<IntegratorSettings> all{fixed("explicit_euler", 4), fixed("heun2", 1), fixed("rk4", 3),
                                        fixed("rk4", 1)};
    for (const double tolerance : {1e-3, 1e-8, 1e-13}) {
        all.push_back(of("cash_karp54", tolerance));
    }
    all.push_back(of("cash_karp54", 1e-9));
    all.back().h_max = 0.004;
    all.push_back(of("cash_karp54", 1e-9));
    all.back().h_initial = 0.1;
    all.back().controller.clip_last = true;
    all.back().controller.kind = ControllerKind::PI;
    return all;
}

} // namespace

TEST_CASE("free bodies have the bits, reports and snapshots of islands of their own") {
    for (const IntegratorSettings& settings : settings_of_lanes()) {
        CAPTURE(settings.method);
        CAPTURE(settings.atol);
        World lanes = loose_bodies(settings, false);
        World islands = loose_bodies(settings, true);
        const WorldSnapshot at_first = lanes.snapshot();
        for (int frame = 0; frame < 30; ++frame) {
            CAPTURE(frame);
            disturb(lanes, frame);
            disturb(islands, frame);
            const double dt = kFrame * (frame < 24 ? 1.0 : 0.3 + 0.2 * (frame % 4));
            check_same(lanes.advance(dt), islands.advance(dt));
            check_same_worlds(lanes, islands);
        }
        CHECK(lanes.snapshot().bytes.size() == islands.snapshot().bytes.size());

        // Back to a moment in their motion, to the start, and on from there.
        const WorldSnapshot later = lanes.snapshot();
        const std::uint64_t hash = lanes.hash();
        lanes.advance(kFrame);
        const std::uint64_t next = lanes.hash();
        lanes.restore(at_first);
        lanes.advance(kFrame);
        lanes.restore(later);
        CHECK(lanes.hash() == hash);
        CHECK(lanes.snapshot().hash() == later.hash());
        lanes.advance(kFrame);
        CHECK(lanes.hash() == next);
    }
}

TEST_CASE("free bodies have the bits of islands of their own in worlds of other lengths") {
    for (const double length : {1e-3, 100.0}) {
        CAPTURE(length);
        World lanes = loose_bodies(of("cash_karp54", 1e-9), false, 1, length);
        World islands = loose_bodies(of("cash_karp54", 1e-9), true, 1, length);
        for (int frame = 0; frame < 10; ++frame) {
            check_same(lanes.advance(kFrame), islands.advance(kFrame));
            check_same_worlds(lanes, islands);
        }
    }
}

TEST_CASE("free bodies that a torque sets in motion take the first substep that islands of their own would") {
    // Nothing but the change of their angular momenta tells how long it may be.
    const auto pushed = [](bool by_islands) {
        World world = loose_bodies(of("cash_karp54", 1e-9), by_islands);
        WorldSettings settings = world.settings();
        settings.gravity = glm::dvec3(0.0);
        world.set_settings(settings);
        for (int i = 0; i < kBodies; ++i) {
            Body body = world.body(world.bodies()[static_cast<std::size_t>(i)]);
            const double mass = body.mass_properties().mass;
            MassProperties needle{mass, {}, glm::dmat3(mass)};
            needle.inertia[i % 3][i % 3] *= 1e-3;
            body.set_mass_properties(needle);
            body.set_linear_velocity(glm::dvec3(0.0));
            body.set_angular_velocity(glm::dvec3(0.0));
            body.set_pose(
                {body.pose().position, glm::normalize(detail::quaternion(0.5, drawn(i, 1), drawn(i, 2), 0.3))});
            body.apply_torque(mass * glm::dvec3(drawn(i, 3), drawn(i, 4), drawn(i, 5)));
        }
        return world;
    };
    World lanes = pushed(false);
    World islands = pushed(true);
    check_same(lanes.advance(kFrame), islands.advance(kFrame));
    check_same_worlds(lanes, islands);
}

TEST_CASE("free bodies that a contact comes near go on as they did, and are free again behind it") {
    for (const std::string method : {"rk4", "cash_karp54"}) {
        CAPTURE(method);
        World world({.integrator = of(method, 1e-9)});
        BodyDesc floor;
        floor.motion = MotionType::Static;
        floor.shape = Plane{};
        floor.material.restitution = 1.0;
        world.create_body(floor);
        for (int i = 0; i < 100; ++i) {
            BodyDesc ball;
            ball.shape = Sphere{0.1};
            ball.mass = 1.0;
            ball.material.restitution = 1.0;
            ball.pose.position = {1.0 * i, 0.6 + 0.01 * i, 0.0};
            world.create_body(ball);
        }
        double off = 0.0;
        for (int frame = 0; frame < 240; ++frame) {
            CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
            for (int i = 0; i < 100; ++i) {
                // Falls h, and returns to it after twice the time.
                const double h = 0.5 + 0.01 * i, half = std::sqrt(2.0 * h / 9.8);
                const double t = std::remainder(world.time(), 2.0 * half);
                const double y = 0.1 + h - 0.5 * 9.8 * t * t;
                off =
                    std::max(off, std::abs(world.pose(world.bodies()[static_cast<std::size_t>(i) + 1]).position.y - y));
            }
        }
        CHECK(off < 1e-9);
    }
}

TEST_CASE("free bodies that lanes cannot advance are left to islands") {
    IntegratorSettings settings = of("cash_karp54", 1e-9);
    World lanes = loose_bodies(settings, false);
    World islands = loose_bodies(settings, true);
    for (World* const world : {&lanes, &islands}) {
        world->advance(kFrame);
        world->body(world->bodies()[3]).set_angular_velocity({1e60, 1e80, 0.0});
        world->body(world->bodies()[20]).apply_force({1e200, 1e200, 1e200});
    }
    for (int frame = 0; frame < 4; ++frame) {
        check_same(lanes.advance(kFrame), islands.advance(kFrame));
        CHECK(lanes.hash() == islands.hash());
    }
}

TEST_CASE("free bodies have the same bits for any number of threads and any width of registers") {
    const IntegratorSettings settings = of("cash_karp54", 1e-10);
    World one = loose_bodies(settings, false);
    World eight = loose_bodies(settings, false, 8);
    for (int frame = 0; frame < 20; ++frame) {
        check_same(one.advance(kFrame), eight.advance(kFrame));
        REQUIRE(one.hash() == eight.hash());
    }

    using substep::detail::LaneBlock;
    const auto widest = substep::detail::lane_kernels();
    const auto narrow = substep::detail::baseline_lane_kernels();
    REQUIRE(widest.size() == narrow.size());
    for (std::size_t method = 0; method < narrow.size(); ++method) {
        CAPTURE(narrow[method].method);
        CHECK(narrow[method].method == widest[method].method);
        LaneBlock a{};
        for (std::size_t i = 0; i < substep::detail::kLanes; ++i) {
            int k = 0;
            const auto draw = [&] { return drawn(static_cast<int>(i), k++); };
            for (auto& number : a.y) {
                number[i] = draw();
            }
            for (int c = 0; c < 3; ++c) {
                a.inverse_moments[static_cast<std::size_t>(c)][i] = 1.5 + draw();
                a.acceleration[static_cast<std::size_t>(c)][i] = 9.0 * draw();
                a.torque[static_cast<std::size_t>(c)][i] = draw();
            }
            a.gyration[i] = 2.0 + draw();
            a.h[i] = 0.02 + 0.01 * draw();
        }
        LaneBlock b = a;
        narrow[method].attempt(a, substep::detail::kLanes, {1e-9, 1e-9, 0.1});
        widest[method].attempt(b, substep::detail::kLanes, {1e-9, 1e-9, 0.1});
        for (std::size_t c = 0; c < a.y1.size(); ++c) {
            CHECK(a.y1[c] == b.y1[c]);
        }
        CHECK(a.error == b.error);
        CHECK(a.frequency == b.frequency);
        CHECK(a.doubt == b.doubt);
    }
}

TEST_CASE("a loose body takes 2.5 kB all told, whatever advances it, and nothing more from step to step") {
    constexpr int kMany = 10'000;
    constexpr int kWarm = 4; // frames, until segments run ahead
    struct Way {
        IntegratorSettings integrator;
        bool sleeps = false;
        bool has_ledger = false;
        int shared_budget = 0;
    };
    IntegratorSettings ahead = of("rk4_doubling", 1e-8);
    ahead.boundary = Boundary::RunAhead;
    const std::array ways{Way{of("rk4", 1e-8)},
                          Way{of("cash_karp54", 1e-8)},
                          Way{of("dormand_prince853", 1e-8)},
                          Way{of("tsitouras54", 1e-8), true},
                          Way{of("rk4", 1e-8), false, true},
                          Way{of("rk4", 1e-8), false, false, 1'000'000},
                          Way{ahead},
                          Way{of("soft_steps", 1e-8)},
                          Way{}};
    for (std::size_t which = 0; which < ways.size(); which += kSanitized ? 3 : 1) {
        const Way& way = ways[which];
        CAPTURE(way.integrator.method);
        WorldSettings settings;
        settings.integrator = way.integrator;
        settings.sleep.enabled = way.sleeps;
        settings.energy_ledger = way.has_ledger;
        settings.shared_budget = way.shared_budget;
        World world(settings);
        const std::size_t before = allocated_bytes();
        for (int i = 0; i < kMany; ++i) {
            BodyDesc body;
            body.shape = i % 2 == 0 ? Shape{Sphere{0.5}} : Shape{Box{{0.3, 0.2, 0.1}}};
            body.mass = 1.0;
            body.pose.position = {3.0 * (i % 22), 3.0 * (i / 22 % 22), 3.0 * (i / 484)};
            body.angular_velocity = {0.1, 0.2 * (i % 4), 0.3};
            world.create_body(body);
        }
        for (int i = 0; i < kWarm; ++i) {
            world.advance(kFrame);
        }
        const std::size_t advanced = allocated_bytes();
        world.advance(kFrame);
        CHECK(allocated_bytes() == advanced);
        // What is asked for. Most is taken where segments run ahead.
        const std::size_t of_body = (advanced - before) / kMany;
        CAPTURE(of_body);
        CHECK(of_body < 2500);
    }
}
