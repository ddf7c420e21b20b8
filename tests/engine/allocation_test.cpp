// Stepping allocates nothing once it is warm.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>

#include "../sanitized.h"
#include "contact_worlds.h"
#include "counting_allocator.h"

using namespace engine_tests;

TEST_CASE("the counting allocator counts") {
    const std::size_t before = allocation_count();
    const auto memory = std::make_unique<std::array<double, 100>>();
    CHECK(memory != nullptr);
    CHECK(allocation_count() > before);
}

TEST_CASE("World::advance allocates nothing after the first step, whatever the method and the edits" *
          doctest::skip(kSanitized)) {
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

namespace {

// What touches only after the first step, and not before.
struct ContactScene {
    const char* name;
    std::function<void(World&)> build;
    std::function<bool(const World&, const StepReport&)> has_happened; ///< what the scene is for
};

BodyId throw_sphere(World& world, const glm::dvec3& position, const glm::dvec3& velocity, double restitution = 0.5) {
    BodyDesc desc = sphere(position, 0.1, {.friction = 0.3, .restitution = restitution});
    desc.linear_velocity = velocity;
    return world.create_body(desc);
}

const ContactScene kContactScenes[] = {
    {"a sphere falls, bounces and comes to rest",
     [](World& world) {
         add_ground(world, {.friction = 0.3});
         throw_sphere(world, {0.0, 0.5, 0.0}, {});
     },
     [](const World& world, const StepReport&) {
         const bool presses = !world.contacts().empty() && world.contacts()[0].force.y > 1.0;
         return presses || !world.impacts().empty(); // velocity steps report none
     }},
    {"a sphere slides, then rolls, then meets a slope",
     [](World& world) {
         add_ground(world, {.friction = 0.3});
         BodyDesc slope;
         slope.motion = MotionType::Static;
         slope.shape = Plane{};
         slope.pose = {{2.0, 0.0, 0.0}, glm::angleAxis(0.5, glm::dvec3(0.0, 0.0, 1.0))};
         world.create_body(slope);
         throw_sphere(world, {0.0, 0.1, 0.0}, {2.0, 0.0, 0.0});
     },
     [](const World& world, const StepReport&) { return world.contacts().size() == 2; }},
    {"spheres that were islands of their own meet, part and meet others",
     [](World& world) {
         for (int i = 0; i < 3; ++i) {
             throw_sphere(world, {1.0 * i, 5.0, 0.0}, {i == 0 ? 5.0 : 0.0, 0.0, 0.0}, 1.0);
         }
     },
     [](const World& world, const StepReport&) { return world.island_count() == 2; }},
    {"a heap falls together and is handed over to velocity steps",
     [](World& world) {
         add_trench(world, 0.25, {.friction = 0.3}); // in which they stay together
         for (int i = 0; i < 12; ++i) {
             const int layer = i / 4;
             const int row = i / 2 % 2;
             throw_sphere(world, {0.21 * (i % 2) - 0.1, 0.4 + 0.3 * layer, 0.21 * row - 0.1 + 0.002 * i},
                          {0.0, -1.0, 0.0}, 0.2);
         }
     },
     [](const World&, const StepReport& report) { return report.order == 1 && report.velocity_steps.contacts > 12; }},
};

} // namespace

TEST_CASE("World::advance allocates nothing where spheres meet for the first time, whatever holds their contacts" *
          doctest::skip(kSanitized)) {
    // The solver of convex steps is lent by the thread, which makes room for it once: as much as the largest heap
    // needs.
    for (const char* method : {"cash_karp54", "symplectic_euler"}) {
        World world(contact_settings(fixed(method, 2)));
        std::end(kContactScenes)[-1].build(world);
        for (int frame = 0; frame < 120; ++frame) {
            world.advance(kFrame);
        }
    }
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const ContactScene& scene : kContactScenes) {
            CAPTURE(method->info().name);
            CAPTURE(std::string(scene.name));
            WorldSettings settings = contact_settings(fixed(std::string(method->info().name), 2));
            settings.integrator.boundary = Boundary::RunAhead;
            settings.integrator.atol = settings.integrator.rtol = 1e-6;
            settings.energy_ledger = true;
            World world(settings);
            scene.build(world);
            world.advance(kFrame);
            bool happened = false;
            std::size_t allocations = 0;
            for (int frame = 0; frame < 120; ++frame) {
                const std::size_t before = allocation_count();
                const StepReport report = world.advance(kFrame);
                allocations += allocation_count() - before;
                CHECK(report.status == StepStatus::ReachedTarget);
                happened |= scene.has_happened(world, report);
            }
            CHECK(allocations == 0);
            CHECK(happened);
        }
    }
}

TEST_CASE("a first frame, and the first one behind a change of method, take memory in proportion to loose bodies") {
    // What takes time in such a frame is to touch memory for the first time: 5 MB are some 2 ms. The most is 5.9,
    // at 16.
    for (const int spheres : {16, 30, 100}) {
        CAPTURE(spheres);
        World world;
        for (int i = 0; i < spheres; ++i) {
            const int row = i / 10;
            add_sphere(world, {3.0 * (i % 10), 3.0 * row, 0.0}, 0.5, {});
        }
        for (const char* method : {"cash_karp54", "rk4"}) {
            WorldSettings settings = world.settings();
            settings.integrator.method = method;
            world.set_settings(settings);
            const std::size_t before = allocated_bytes();
            world.advance(kFrame);
            CHECK(allocated_bytes() - before <= 6'000'000u * static_cast<std::size_t>(std::max(spheres, 30)) / 30u);
        }
    }
}

namespace {

BodyId add_box(World& world, const glm::dvec3& position, const glm::dvec3& half_sizes, MotionType motion) {
    BodyDesc desc;
    desc.shape = Box{half_sizes};
    desc.pose.position = position;
    desc.motion = motion;
    if (motion == MotionType::Dynamic) {
        desc.mass = 1.0;
    }
    return world.create_body(desc);
}

} // namespace

TEST_CASE("a first frame of few boxes takes memory for the points that pairs of them may have, and no more") {
    World world;
    add_box(world, {0.0, -1.0, 0.0}, glm::dvec3(10.0, 1.0, 10.0), MotionType::Static);
    for (int i = 0; i < 10; ++i) {
        add_box(world, {0.0, 0.5 + i, 0.0}, glm::dvec3(0.5), MotionType::Dynamic);
    }
    const std::size_t before = allocated_bytes();
    world.advance(kFrame);
    CHECK(allocated_bytes() - before <= 7'000'000u); // with room for six neighbours of each corner it took 16 MB
}

namespace {

// A ball bounces on a sphere that slides up and down in a carrier, on a drive that it makes give way at times. The
// carrier is the first body.
World trampoline() {
    WorldSettings settings = contact_settings(fixed("dormand_prince54", 1));
    settings.integrator.atol = settings.integrator.rtol = 1e-6;
    settings.energy_ledger = true;
    World world(settings);
    BodyDesc carrier;
    carrier.motion = MotionType::Kinematic;
    carrier.collides = false;
    const BodyId carries = world.create_body(carrier);
    const BodyId carried = add_sphere(world, {}, 0.2, {.restitution = 0.9});
    JointDesc joint = slider(world, carries, carried, {}, {0.0, 1.0, 0.0});
    joint.limits = {{.axis = JointAxis::Z, .lower = -0.3, .upper = 0.3}};
    joint.drives = {{.axis = JointAxis::Z, .stiffness = 4e4, .damping = 10.0, .maximum_force = 2e3}};
    world.create_joint(joint);
    throw_sphere(world, {0.0, 0.8, 0.0}, {}, 0.9);
    return world;
}

} // namespace

TEST_CASE(
    "spheres that meet what joints hold make new islands the first time, and allocate nothing when they meet again") {
    World world = trampoline();
    int islands = world.island_count();
    int changes = 0;
    int free_changes = 0;
    for (int frame = 0; frame < 240; ++frame) {
        const std::size_t before = allocation_count();
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        const std::size_t allocations = allocation_count() - before;
        changes += world.island_count() != islands ? 1 : 0;
        islands = world.island_count();
        if (changes > 2) { // together once, and apart again
            CHECK(allocations == 0);
            free_changes = changes - 2;
        }
    }
    CHECK(free_changes >= 6);
}

TEST_CASE("an island that is made again goes on with the bits of one that is made for the first time") {
    World world = trampoline();
    int islands = world.island_count();
    int changes = 0;
    int compared = 0;
    for (int frame = 0; frame < 240; ++frame) {
        if (frame % 7 == 3) { // an island that is kept does not see that
            world.body(world.bodies().front()).set_linear_velocity({0.0, frame % 2 == 0 ? 0.05 : -0.05, 0.0});
        }
        const WorldSnapshot before = world.snapshot();
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        changes += world.island_count() != islands ? 1 : 0;
        if (world.island_count() != islands && changes > 2) {
            World fresh = trampoline();
            fresh.restore(before);
            for (int i = 0; i < 3; ++i) {
                fresh.advance(kFrame);
                REQUIRE(world.hash() == fresh.hash());
                world.advance(kFrame);
            }
            ++compared;
        }
        islands = world.island_count();
    }
    CHECK(compared >= 4);
}

TEST_CASE("a motion of 1000 spheres that meet and part allocates nothing when it is run a second time" *
          doctest::skip(kSanitized)) {
    for (const char* method :
         {"rk4", "cash_karp54", "impulse_euler", "soft_steps", "convex_step", kAutoMethod.data()}) {
        for (const bool on_floor : {false, true}) {
            CAPTURE(std::string(method));
            CAPTURE(on_floor);
            WorldSettings settings;
            settings.integrator.method = method;
            settings.gravity = glm::dvec3(0.0, on_floor ? -9.8 : 0.0, 0.0);
            World world(settings);
            const Material material{.friction = on_floor ? 0.2 : 0.0, .restitution = on_floor ? 0.9 : 1.0};
            if (on_floor) {
                add_ground(world, material);
            }
            std::mt19937_64 random(3);
            const auto draw = [&] { return std::ldexp(static_cast<double>(random() >> 11), -52) - 1.0; };
            for (int i = 0; i < 1000; ++i) {
                const int row = i / 10 % 10;
                const double x = draw(), y = draw(), z = draw();
                const double apart = on_floor ? 2.0 : 1.5; // they gather there, and heaps grow
                BodyDesc desc = sphere(apart * glm::dvec3(i % 10, row + 0.7, i / 100), 0.5, material);
                desc.linear_velocity = 5.0 * glm::dvec3(x, y, z);
                world.create_body(desc);
            }
            const WorldSnapshot start = world.snapshot();
            const auto run = [&] {
                int fewest = 1000;
                std::size_t on_others = 0;
                std::size_t allocations = 0;
                for (int frame = 0; frame < 60; ++frame) {
                    const std::size_t before = allocation_count();
                    world.advance(kFrame);
                    allocations += allocation_count() - before;
                    fewest = std::min(fewest, world.island_count());
                    on_others = std::max(on_others, world.contacts().size());
                }
                CHECK(on_others > 50);
                CHECK((on_floor || world.island_count() > fewest + 50)); // most have parted
                return allocations;
            };
            CHECK(run() > 0);
            const std::uint64_t hash = world.hash();
            world.restore(start);
            CHECK(run() == 0);
            CHECK(world.hash() == hash);
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
