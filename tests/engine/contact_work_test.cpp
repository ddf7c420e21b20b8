// What contacts cost besides evaluations: counted by fixed weights, each part of it.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>

#include "bodies/tolerances.h"
#include "contact_worlds.h"

using namespace engine_tests;

TEST_CASE("each pair that is near costs an evaluation a step, and its gap a part of one at each look") {
    // A ball flies towards planes that lie upon one another: 1.7 mm in a step, but drag stops it on its way, 1 mm long.
    const auto work = [](int planes) {
        WorldSettings settings = contact_settings(fixed("rk4", 1));
        settings.gravity = glm::dvec3(0.0);
        World world(settings);
        for (int i = 0; i < planes; ++i) {
            add_ground(world, {});
        }
        BodyDesc ball = sphere({0.0, 0.101, 0.0}, 0.1, {});
        ball.mass.reset();
        ball.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(0.004)};
        ball.linear_velocity = {0.0, -0.1, 0.0};
        world.create_body(ball);
        world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 100.0}));
        const StepReport report = world.advance(kFrame);
        CHECK(report.events == 0);
        return report.contact_work;
    };
    constexpr std::int64_t kLooks = 6; // along a substep, where nothing happens
    constexpr int kPlanes = 8 * detail::kWorkOfBody / detail::kWorkOfGap;
    const std::int64_t pairs = kPlanes * detail::kWorkOfPair / detail::kWorkOfBody;
    const std::int64_t gaps = kPlanes * kLooks * detail::kWorkOfGap / detail::kWorkOfBody;
    const std::int64_t more = work(2 * kPlanes) - work(kPlanes);
    CHECK(more >= pairs + gaps);
    CHECK(more <= pairs + 2 * gaps);
}

TEST_CASE("each contact costs half an evaluation in each sweep of a velocity step") {
    WorldSettings settings = contact_settings(fixed("impulse_euler", 1));
    World world(settings);
    add_ground(world, {.friction = 0.5});
    constexpr int kHigh = 12;
    for (int i = 0; i < kHigh; ++i) {
        add_sphere(world, {0.0, 0.1 + 0.2 * i, 0.0}, 0.1, {.friction = 0.5});
    }
    for (int frame = 0; frame < 5; ++frame) {
        const StepReport report = world.advance(kFrame);
        const auto contacts = static_cast<std::int64_t>(world.contacts().size());
        REQUIRE(contacts == kHigh);
        REQUIRE(report.velocity_steps.iterations >= 20); // the rest costs less than eight sweeps
        const std::int64_t sweeps = detail::kWorkOfSweep * contacts * report.velocity_steps.iterations;
        CHECK(report.contact_work >= sweeps / (detail::kWorkOfBody * kHigh));
        CHECK(report.contact_work <= 3 * sweeps / (2 * detail::kWorkOfBody * kHigh));
    }
}
