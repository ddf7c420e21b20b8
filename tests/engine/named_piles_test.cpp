// Soft and convex steps by name: for whoever wants them for all that moves.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <glm/geometric.hpp>

#include "pile_worlds.h"
#include "substep/engine/joint.h"
#include "substep/engine/world.h"
#include "substep/integrators/pile_methods.h"

using namespace substep;
using namespace engine_tests;

namespace {

constexpr double kSide = 1.0; // m, of a pendulum's rod

World tower_by(const IntegratorSettings& integrator, std::vector<BodyId>& bodies, int high = 10, int threads = 1) {
    WorldSettings settings = contact_settings(integrator);
    settings.threads = threads;
    World world(settings);
    add_ground(world, kRough);
    for (int i = 0; i < high; ++i) {
        bodies.push_back(world.create_body(cube({0.0, 0.5 + i, 0.0})));
    }
    return world;
}

/// How far (m) the bob of a pendulum of 1 kg on a hinge is from where it would be after a second, released at 1 rad.
double error_of_pendulum(const IntegratorSettings& integrator, int fps) {
    const auto make = [](const IntegratorSettings& by, BodyId& bob) {
        World world(contact_settings(by));
        BodyDesc desc;
        desc.mass = 1.0;
        desc.shape = Box{{0.1, 0.3, 0.1}};
        desc.pose.position = {kSide * std::sin(1.0), -kSide * std::cos(1.0), 0.0};
        bob = world.create_body(desc);
        world.create_joint(hinge(world, kGround, bob, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
        return world;
    };
    BodyId bob;
    BodyId true_bob;
    World world = make(integrator, bob);
    World exact = make({.method = "dormand_prince853", .atol = 1e-12, .rtol = 1e-12}, true_bob);
    for (int frame = 0; frame < fps; ++frame) {
        REQUIRE(world.advance(1.0 / fps).status == StepStatus::ReachedTarget);
        exact.advance(1.0 / fps);
    }
    CHECK(world.islands()[0].method->name == integrator.method);
    return glm::length(world.body(bob).pose().position - exact.body(true_bob).pose().position);
}

} // namespace

TEST_CASE("named piles: a tower of ten sinks as it does by soft and by convex steps, whatever its size") {
    struct Case {
        IntegratorSettings by;
        IslandRegime regime;
        double sink; // m, of the top
    };
    const double hand = 55.0 * kGravity / (4.0 * 500.0 * 3600.0 / 4.0); // of springs in a row, each under what is above
    for (const Case& each : {Case{{.method = "soft_steps"}, IslandRegime::Soft, 6.4e-3},
                             Case{{.method = "soft_steps", .substeps = 16}, IslandRegime::Soft, 1.6e-3},
                             Case{{.method = "convex_step"}, IslandRegime::ConvexStep, hand}}) {
        CAPTURE(each.by.method);
        CAPTURE(each.by.substeps);
        std::vector<BodyId> bodies;
        World world = tower_by(each.by, bodies);
        StepReport last;
        for (int frame = 0; frame < 300; ++frame) {
            last = world.advance(kFrame);
        }
        CHECK(last.message.empty());
        CHECK_FALSE(last.degraded);
        CHECK(last.order == 1);
        CHECK(last.method == each.by.method);
        CHECK(world.islands()[0].regime == each.regime);
        CHECK_FALSE(world.islands()[0].handed_over);
        const double sunk = 9.5 - world.body(bodies.back()).pose().position.y;
        MESSAGE(each.by.method << ": sinks " << sunk << " m");
        CHECK(sunk == doctest::Approx(each.sink).epsilon(0.05));
        CHECK(fastest(world, bodies) <= 1e-3);
    }
}

TEST_CASE("named piles: a pendulum without any contact is of first order in the step, and a free body flies") {
    for (const IntegratorSettings& by :
         {IntegratorSettings{.method = "soft_steps"}, IntegratorSettings{.method = "convex_step"}}) {
        CAPTURE(by.method);
        const double coarse = error_of_pendulum(by, 60);
        const double fine = error_of_pendulum(by, 240);
        MESSAGE(by.method << ": " << coarse << " and " << fine << " m");
        CHECK(coarse > 1e-6);
        CHECK(fine / coarse == doctest::Approx(0.25).epsilon(0.1));

        World world(contact_settings(by));
        BodyDesc desc = cube({0.0, 10.0, 0.0});
        desc.linear_velocity = {3.0, 0.0, 0.0};
        const BodyId id = world.create_body(desc);
        for (int frame = 0; frame < 60; ++frame) {
            world.advance(kFrame);
        }
        const glm::dvec3 place = world.body(id).pose().position;
        CHECK(place.x == doctest::Approx(3.0));
        CHECK(place.y == doctest::Approx(10.0 - 0.5 * kGravity).epsilon(0.03)); // of first order
    }
}

TEST_CASE("named piles: methods change live, to modes and back, without a jolt") {
    std::vector<BodyId> bodies;
    World world = tower_by({.method = "soft_steps"}, bodies, 3);
    const auto run = [&](const char* method, IslandRegime regime) {
        IntegratorSettings by = world.settings().integrator;
        by.method = method;
        WorldSettings settings = world.settings();
        settings.integrator = by;
        world.set_settings(settings);
        double fast = 0.0;
        for (int frame = 0; frame < 90; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            fast = std::max(fast, fastest(world, bodies));
            if (frame == 0) {
                CHECK(world.islands()[0].regime == regime); // at once
            }
        }
        return fast;
    };
    run("soft_steps", IslandRegime::Soft);
    MESSAGE("speeds " << run("convex_step", IslandRegime::ConvexStep) << ", " << run("soft_steps", IslandRegime::Soft)
                      << ", " << run("impulse_euler", IslandRegime::Impulses));
    CHECK(run("convex_step", IslandRegime::ConvexStep) <= 0.03);
    CHECK(run("soft_steps", IslandRegime::Soft) <= 0.03);
    CHECK(run("convex_step", IslandRegime::ConvexStep) <= 0.03);
    // To a method of modes, which make the contacts of three cubes or hand them over, but not to soft steps.
    run("soft_steps", IslandRegime::Soft);
    WorldSettings settings = world.settings();
    settings.integrator.method = "dormand_prince54";
    world.set_settings(settings);
    world.advance(kFrame);
    CHECK(world.islands()[0].regime != IslandRegime::Soft);
    CHECK(world.islands()[0].method->name == "dormand_prince54");
}

TEST_CASE("named piles: the same bits on two threads, and behind restores while they fall") {
    for (const char* method : {"soft_steps", "convex_step"}) {
        CAPTURE(method);
        const auto make = [&](int threads) {
            WorldSettings settings = contact_settings({.method = method});
            settings.threads = threads;
            std::vector<BodyId> bodies;
            return mess(40, settings, bodies);
        };
        check_same_bits(make(1), make(2), make(1), 90);
    }
}

TEST_CASE("named piles: what they cannot make impulses make, and it is said") {
    for (const char* method : {"soft_steps", "convex_step"}) {
        CAPTURE(method);
        std::vector<BodyId> bodies;
        World world = tower_by({.method = method}, bodies, 2);
        world.add_force_field(std::make_unique<Spring>(SpringDesc{.body_a = bodies[0], .body_b = bodies[1]}));
        const StepReport report = world.advance(kFrame);
        CHECK(report.message.find("impulses made these steps") != std::string::npos);
        CHECK(world.islands()[0].regime == IslandRegime::Impulses);
    }
}

TEST_CASE("named piles: a budget leaves four substeps, and says degraded") {
    std::vector<BodyId> bodies;
    World world = tower_by({.method = "soft_steps", .substeps = 16, .budget = 5}, bodies);
    bool degraded = false;
    for (int frame = 0; frame < 120; ++frame) {
        degraded |= world.advance(kFrame).degraded;
    }
    CHECK(degraded);
    CHECK(lowest(world, bodies) > 0.4);
}
