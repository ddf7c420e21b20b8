// Islands on threads: the same bits and reports on any number of them, by the pool or by the host's own runner.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "../sanitized.h"
#include "contact_worlds.h"
#include "counting_allocator.h"
#include "same_reports.h"

using namespace engine_tests;

namespace {

/// Three hundred islands of one to four bodies, so that there are many jobs, with fields and an edit now and then.
World many_islands(const IntegratorSettings& integrator, int threads) {
    World world({.integrator = integrator, .threads = threads});
    for (int i = 0; i < 100; ++i) {
        add_chain(world, 1 + i % 4);
        BodyDesc loose;
        loose.collides = false;
        loose.shape = Box{{0.1, 0.2, 0.3}};
        loose.mass = 1.0;
        loose.pose.position = {1.0 * i, 3.0, 0.0};
        loose.angular_velocity = {0.1 * i, 5.0, 0.5};
        world.create_body(loose);
        loose.motion = MotionType::Kinematic;
        const BodyId carrier = world.create_body(loose);
        loose.motion = MotionType::Dynamic;
        loose.pose.position.y = 2.0;
        world.create_joint(hinge(world, carrier, world.create_body(loose), {1.0 * i, 2.5, 0.0}, {0.0, 0.0, 1.0}));
    }
    world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1}));
    return world;
}

void push(World& world, int frame) {
    world.body(world.bodies()[static_cast<std::size_t>(frame) % 2]).apply_force({1.0, 0.0, 0.5});
}

/// Runs jobs one by one, last first: an order that no pool would choose.
class Backwards final : public JobRunner {
public:
    void run(std::size_t count, Job job, void* context) noexcept override {
        jobs += count;
        while (count-- > 0) {
            job(context, count);
        }
    }
    std::size_t jobs = 0;
};

} // namespace

TEST_CASE("1, 2 and 8 threads and a host's own runner give the same bits and the same reports") {
    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        IntegratorSettings settings = adaptive(1e-7, boundary);
        settings.budget = 40; // the fastest islands exhaust it
        World one = many_islands(settings, 1);
        World two = many_islands(settings, 2);
        World eight = many_islands(settings, 8);
        World hosted = many_islands(settings, 1);
        Backwards runner;
        hosted.set_job_runner(&runner);
        for (int frame = 0; frame < 30; ++frame) {
            for (World* world : {&one, &two, &eight, &hosted}) {
                push(*world, frame);
            }
            const StepReport report = one.advance(kFrame);
            for (World* world : {&two, &eight, &hosted}) {
                check_same(world->advance(kFrame), report);
                REQUIRE(world->hash() == one.hash());
            }
        }
        CHECK(runner.jobs >= 30 * 10);
        runner.jobs = 0;
        hosted.set_job_runner(nullptr);
        hosted.advance(kFrame);
        CHECK(runner.jobs == 0);
    }
}

TEST_CASE("1, 2 and 8 threads give the same bits through impacts, slides, limits and dry friction, in the ledger too") {
    for (const char* method : {"dormand_prince54", "rk4", "impulse_euler"}) {
        CAPTURE(method);
        IntegratorSettings settings = fixed(method, 2);
        settings.boundary = Boundary::RunAhead;
        World one = eventful_world(settings, 1);
        World two = eventful_world(settings, 2);
        World eight = eventful_world(settings, 8);
        std::size_t impacts = 0;
        for (int frame = 0; frame < 60; ++frame) {
            const StepReport report = one.advance(kFrame);
            impacts += one.impacts().size();
            for (World* world : {&two, &eight}) {
                check_same(world->advance(kFrame), report);
                REQUIRE(world->hash() == one.hash());
            }
        }
        const EnergyLedger ledger = one.energy_ledger();
        CHECK((impacts >= 12 || settings.method == "impulse_euler")); // each sphere once at least
        CHECK(ledger.friction < -0.1);
        CHECK(ledger.restitution < -0.1);
        for (const World* world : {&two, &eight}) {
            const EnergyLedger other = world->energy_ledger();
            CHECK(other.total() == ledger.total());
            CHECK(other.joint_springs == ledger.joint_springs);
            CHECK(other.friction == ledger.friction);
            CHECK(other.restitution == ledger.restitution);
            CHECK(other.drives == ledger.drives);
            CHECK(other.joints == ledger.joints);
            CHECK(other.remainder() == ledger.remainder());
        }
    }
}

TEST_CASE("every method gives the same bits on four threads as on one" * doctest::skip(kSanitized)) {
    for (const IntegrationMethod* method : method_catalogue()) {
        CAPTURE(method->info().name);
        World one = many_islands(fixed(std::string(method->info().name), 1), 1);
        World four = many_islands(fixed(std::string(method->info().name), 1), 4);
        for (int frame = 0; frame < 5; ++frame) {
            one.advance(kFrame);
            four.advance(kFrame);
        }
        CHECK(one.hash() == four.hash());
    }
}

TEST_CASE("the number of threads may change at any time and is no part of a snapshot") {
    World world = many_islands(adaptive(1e-7, Boundary::RunAhead), 3);
    World reference = many_islands(adaptive(1e-7, Boundary::RunAhead), 1);
    for (int frame = 0; frame < 20; ++frame) {
        WorldSettings settings = world.settings();
        settings.threads = 1 + frame % 5;
        world.set_settings(settings);
        world.advance(kFrame);
        reference.advance(kFrame);
    }
    CHECK(world.hash() == reference.hash());
    CHECK(world.snapshot().bytes == reference.snapshot().bytes);
    reference.restore(world.snapshot());
    CHECK(reference.settings().threads == 1);

    // Threads stay with a world that is moved, and with one that is restored.
    world.restore(world.snapshot());
    World moved = std::move(world);
    moved.advance(kFrame);
    reference.advance(kFrame);
    CHECK(moved.hash() == reference.hash());
}

TEST_CASE("on threads World::advance allocates nothing once it is warm") {
    World world = many_islands(adaptive(1e-7, Boundary::RunAhead), 4);
    world.advance(kFrame);
    world.advance(kFrame);
    const std::size_t before = allocation_count();
    for (int frame = 0; frame < 20; ++frame) {
        push(world, frame);
        world.advance(kFrame);
    }
    CHECK(allocation_count() == before);
}

TEST_CASE("a number of threads that is out of range is refused, and the settings stay") {
    World world;
    for (const int threads : {0, -1, 257}) {
        WorldSettings settings;
        settings.gravity = glm::dvec3(0.0);
        settings.threads = threads;
        CHECK_THROWS_AS(world.set_settings(settings), std::invalid_argument);
        CHECK_THROWS_AS(World{settings}, std::invalid_argument);
        CHECK(world.settings().gravity != glm::dvec3(0.0));
    }
}
