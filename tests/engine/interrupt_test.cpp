// Steps that the host ends from outside, and worlds that go on in its place.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "../sanitized.h"
#include "contact_worlds.h"
#include "pile_worlds.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

// A spring of 1e8 rad/s, which an adaptive method without a budget follows in a million substeps a frame.
std::unique_ptr<ForceField> stiff_spring() {
    return std::make_unique<CustomField>([](double, const BodyMotion& body) {
        return Wrench{-1e16 * body.position, glm::dvec3(0.0)};
    });
}

/// Runs jobs one by one, and raises a flag behind the given batch of them.
class RaisingRunner final : public JobRunner {
public:
    explicit RaisingRunner(int batches) : batches_(batches) {}
    const std::atomic<bool>& flag() const noexcept { return flag_; }
    int batches_left() const noexcept { return batches_; }
    void run(std::size_t count, Job job, void* context) noexcept override {
        for (std::size_t i = 0; i < count; ++i) job(context, i);
        flag_ = flag_ || --batches_ == 0;
    }

private:
    int batches_;
    std::atomic<bool> flag_{false};
};

/// Rows of balls of 5 cm, 0.2 m apart, whose first one comes at 300 m/s: within a frame each hits the next one, which
/// nobody expects. So many rows that they are several jobs.
World rows_that_are_hit() {
    World world(contact_settings(adaptive(1e-9, Boundary::Exact)));
    for (int i = 0; i < 100; ++i) {
        const bool is_first = i % 5 == 0;
        const glm::dvec3 place(0.2 * (i % 5) - (is_first ? 1.0 : 0.0), 100.0, 100.0 * (i / 5));
        BodyDesc ball = sphere(place, 0.05, {.restitution = 1.0});
        ball.linear_velocity.x = is_first ? 300.0 : 0.0;
        world.create_body(ball);
    }
    return world;
}

std::uint64_t future_of(World& world, int frames) {
    for (int frame = 0; frame < frames; ++frame) world.advance(kFrame);
    return world.hash();
}

} // namespace

TEST_CASE("a flag raised from another thread ends a step that would take minutes, and a snapshot takes it back") {
    for (const char* method : {"cash_karp54", "dormand_prince853", "impulse_euler", "velocity_verlet", "rk4"}) {
        CAPTURE(method);
        IntegratorSettings settings = adaptive(1e-9, Boundary::RunAhead);
        settings.method = method;
        settings.substeps = 1'000'000;
        World world = mixed_world(settings);
        future_of(world, 1);
        const WorldSnapshot calm = world.snapshot();
        BodyDesc desc;
        desc.shape = Sphere{0.5};
        desc.mass = 1.0;
        desc.pose.position = {1e-3, 50.0, 0.0};
        desc.collides = false;
        for (int i = 0; i < 100; ++i) world.create_body(desc);
        if (find_method(method)->adaptive) world.add_force_field(stiff_spring());
        const WorldSnapshot before = world.snapshot();
        const std::uint64_t here = world.hash();

        std::atomic<bool> interrupt{false};
        world.set_interrupt(&interrupt);
        std::jthread host([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            interrupt = true;
        });
        const auto begin = std::chrono::steady_clock::now();
        const StepReport report = world.advance(kFrame);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        CHECK(report.status == StepStatus::Interrupted);
        CHECK(report.message == "The host interrupted the step.");
        CHECK(took.count() < (kSanitized ? 20.0 : 2.0)); // s: a substep of this world takes a millisecond at most
        host.join();

        world.restore(before);
        CHECK(world.hash() == here);
        interrupt = false;
        world.restore(calm);
        settings.substeps = 1;
        world.set_settings({.integrator = settings});
        CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
    }
}

TEST_CASE("a flag that is raised between the attempts of a step ends it, though each attempt was whole") {
    int ended = 0;
    bool was_whole = false;
    for (int batches = 1; !was_whole; ++batches) {
        CAPTURE(batches);
        REQUIRE(batches < 20);
        World world = rows_that_are_hit();
        const WorldSnapshot before = world.snapshot();
        RaisingRunner runner(batches);
        world.set_job_runner(&runner);
        world.set_interrupt(&runner.flag());
        const StepReport report = world.advance(kFrame);
        was_whole = runner.batches_left() > 0 || report.status == StepStatus::ReachedTarget;
        ended += report.status == StepStatus::Interrupted ? 1 : 0;
        world.set_interrupt(nullptr);
        world.set_job_runner(nullptr);
        if (!was_whole) {
            CHECK(report.status == StepStatus::Interrupted);
            CHECK(report.message == "The host interrupted the step.");
            world.restore(before);
            CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        World same = rows_that_are_hit();
        same.advance(kFrame);
        CHECK(world.hash() == same.hash());
    }
    CHECK(ended >= 1);
}

TEST_CASE("a step of edited bodies that ends at once leaves a world that can be saved, run on and taken back") {
    std::vector<BodyId> bodies;
    World world = mess(60, {}, bodies);
    future_of(world, 40);
    const WorldSnapshot before = world.snapshot();
    const std::uint64_t end = future_of(world, 20);
    world.restore(before);
    for (int batches = 1; batches < 4; ++batches) {
        RaisingRunner runner(batches);
        world.set_job_runner(&runner);
        world.set_interrupt(&runner.flag());
        for (int frame = 0; frame < 4; ++frame) {
            for (const BodyId body : bodies) {
                world.body(body).set_linear_velocity({0.1 * frame, 1.0, 0.0});
            }
            world.advance(kFrame);
            const WorldSnapshot odd = world.snapshot(); // means nothing, and goes round
            world.restore(odd);
            CHECK(world.hash() == World(odd).hash());
        }
        world.set_interrupt(nullptr);
        world.set_job_runner(nullptr);
        world.restore(before);
        CHECK(future_of(world, 20) == end);
        world.restore(before);
    }
}

TEST_CASE("a flag ends a step of a pile between its substeps, each of which takes long where bodies whirl") {
    std::vector<BodyId> bodies;
    World world = mess(kSanitized ? 200 : 300, {}, bodies);
    future_of(world, 60);
    REQUIRE(has_regime(world, IslandRegime::Soft));
    for (const BodyId body : bodies) world.body(body).set_angular_velocity({2e5, 1e5, -3e5});
    const WorldSnapshot before = world.snapshot();
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t end = future_of(world, 1);
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
    CAPTURE(whole.count());
    REQUIRE(has_regime(world, IslandRegime::Soft));

    // The flag is raised at a twentieth of the step: half of it is not made any more. A thread may be late.
    double shortest = whole.count();
    for (int time = 0; time < 5; ++time) {
        world.restore(before);
        std::atomic<bool> interrupt{false};
        world.set_interrupt(&interrupt);
        std::jthread host([&] {
            std::this_thread::sleep_for(0.05 * whole);
            interrupt = true;
        });
        const auto start = std::chrono::steady_clock::now();
        CHECK(world.advance(kFrame).status == StepStatus::Interrupted);
        shortest = std::min(shortest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        host.join();
        world.set_interrupt(nullptr);
    }
    CHECK(shortest < 0.5 * whole.count());
    world.restore(before);
    CHECK(future_of(world, 1) == end);
}

TEST_CASE("a flag that is not raised changes no bit") {
    World free = mixed_world(adaptive(1e-7, Boundary::RunAhead));
    World heeding = mixed_world(adaptive(1e-7, Boundary::RunAhead));
    const std::atomic<bool> interrupt{false};
    heeding.set_interrupt(&interrupt);
    CHECK(future_of(heeding, 60) == future_of(free, 60));
    heeding.set_interrupt(nullptr);
    CHECK(future_of(heeding, 1) == future_of(free, 1));
}

TEST_CASE("a clone has the same future to the bit, and each takes the other's snapshots across edits") {
    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        World world = mixed_world(adaptive(1e-7, boundary));
        future_of(world, 41);
        world.destroy_body(world.bodies()[4]);
        world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1}));
        future_of(world, 7);

        World clone = world.clone();
        CHECK(clone.hash() == world.hash());
        CHECK(clone.time() == world.time());
        CHECK(std::ranges::equal(clone.bodies(), world.bodies()));
        for (const BodyId body : world.bodies()) {
            const double t = world.time() - 0.4 * kFrame;
            CHECK(clone.sample(body, t).position == world.sample(body, t).position);
        }
        CHECK(future_of(clone, 30) == future_of(world, 30));

        // Each goes its own way; the handles of the clone's way come back with its snapshot.
        const BodyId fresh = clone.create_body({.shape = Sphere{0.5}, .mass = 1.0});
        clone.destroy_joint(clone.joints()[0]);
        const WorldSnapshot there = clone.snapshot();
        const std::uint64_t end = future_of(clone, 20);
        CHECK(!world.is_valid(fresh));
        world.restore(there);
        CHECK(world.is_valid(fresh));
        CHECK(future_of(world, 20) == end);
    }
}
