// Stepping allocates nothing once it is warm.
#include <doctest/doctest.h>

#include <array>
#include <memory>

#include "counting_allocator.h"
#include "test_worlds.h"

using namespace engine_tests;

TEST_CASE("the counting allocator counts") {
    const std::size_t before = allocation_count();
    const auto memory = std::make_unique<std::array<double, 100>>();
    CHECK(memory != nullptr);
    CHECK(allocation_count() > before);
}

TEST_CASE("World::advance allocates nothing after the first step, whatever the method and the edits") {
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method->info().name);
            IntegratorSettings settings = fixed(std::string(method->info().name), 2);
            settings.boundary = boundary;
            World world = mixed_world(settings);
            const BodyId body = world.bodies().front();
            world.advance(kFrame);
            const std::size_t before = allocation_count();
            for (int frame = 0; frame < 100; ++frame) {
                if (frame % 20 == 3) {
                    world.body(body).apply_force({0.0, 1.0, 0.0});
                    world.body(body).apply_impulse({0.1, 0.0, 0.0});
                }
                world.advance(kFrame);
                world.sample(body, world.time() - 0.3 * kFrame);
            }
            CHECK(allocation_count() == before);
        }
    }
}

TEST_CASE("BodyIntegrator::advance allocates nothing after the first call") {
    BodyIntegrator integrator(adaptive(1e-8, Boundary::RunAhead));
    std::array<RigidState, 3> states{};
    states[1].position = {1.0, 0.0, 0.0};
    states[2].angular_velocity = {1.0, 2.0, 3.0};
    const std::array<RigidMass, 3> masses{{{1.0, {0.1, 0.2, 0.3}}, {}, {2.0, {1.0, 2.0, 2.5}}}};
    const auto forces = [](double, std::span<const RigidState> s, std::span<Wrench> wrenches) {
        for (std::size_t i = 0; i < s.size(); ++i) {
            wrenches[i] = {-s[i].position, -0.1 * s[i].angular_velocity};
        }
    };
    integrator.advance(states, masses, 0.0, kFrame, forces);
    const std::size_t before = allocation_count();
    for (int frame = 1; frame < 100; ++frame) {
        integrator.advance(states, masses, frame * kFrame, kFrame, forces);
    }
    CHECK(allocation_count() == before);
}
