// Sleep: what is at rest costs nothing and stays to the bit; what would move never sleeps; whatever concerns it wakes
// it.
#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

/// A weak steady damper that counts how often it is asked.
class CountingDamper final : public ForceField {
public:
    CountingDamper(double c, std::atomic<int>& calls) : c_(c), calls_(calls) {}
    bool is_steady() const noexcept override { return true; }
    Wrench at(double, const BodyMotion& body) const noexcept override {
        ++calls_;
        return {-c_ * body.velocity, -c_ * body.angular_velocity};
    }

private:
    double c_;
    std::atomic<int>& calls_;
};

WorldSettings sleepy(double gravity = 9.8) {
    WorldSettings settings;
    settings.gravity = {0.0, -gravity, 0.0};
    settings.sleep.enabled = true;
    return settings;
}

/// A rod of 1 m on a hinge, turned by `angle` (rad) from hanging straight down.
BodyId add_pendulum(World& world, double angle, BodyId carrier = kGround, double x = 0.0) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.collides = false;
    desc.shape = Box{{0.05, 0.5, 0.05}};
    desc.pose.position = {x + 0.5 * std::sin(angle), -0.5 * std::cos(angle), 0.0};
    desc.pose.orientation = glm::angleAxis(angle, glm::dvec3(0.0, 0.0, 1.0));
    const BodyId body = world.create_body(desc);
    world.create_joint(hinge(world, carrier, body, {x, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    return body;
}

bool asleep(const World& world) { return world.islands().front().asleep; }

StepReport run(World& world, int frames) {
    StepReport last;
    for (int frame = 0; frame < frames; ++frame) {
        last = world.advance(kFrame);
    }
    return last;
}

} // namespace

TEST_CASE("a damped pendulum falls asleep: no evaluations, no calls of its forces, not a bit of motion") {
    World world(sleepy());
    std::atomic<int> calls{0};
    const BodyId body = add_pendulum(world, 1.0);
    world.add_force_field(std::make_unique<CountingDamper>(2.0, calls));
    int frames = 0;
    while (!asleep(world) && frames < 3000) {
        run(world, 1);
        ++frames;
    }
    REQUIRE(frames < 3000);
    CHECK(std::abs(world.pose(body).position.x) < 1e-3); // it hangs
    const int before = calls;
    const Pose pose = world.pose(body);
    const double time = world.time();
    const StepReport report = run(world, 100);
    CHECK(calls == before);
    CHECK(report.evaluations == 0);
    CHECK(report.status == StepStatus::ReachedTarget);
    CHECK(report.simulated == doctest::Approx(kFrame)); // rounding of t1 - t0
    CHECK(world.time() > time);
    CHECK(world.pose(body).position == pose.position);
    CHECK(world.pose(body).orientation == pose.orientation);
    CHECK(world.sample(body, world.time() - 0.3 * kFrame).position == pose.position);
}

TEST_CASE("sleep is off by default") {
    World world;
    add_pendulum(world, 0.0);
    run(world, 120);
    CHECK_FALSE(asleep(world));
}

TEST_CASE("a slow pendulum does not sleep at its turning point") {
    // g = 0.01: the period is about 50 s, the speed is below the limit for seconds around the turning point, and 0.05
    // m/s at the bottom.
    World world(sleepy(0.01));
    const BodyId body = add_pendulum(world, 0.6);
    for (int frame = 0; frame < 60 * 30; ++frame) {
        run(world, 1);
        REQUIRE_FALSE(asleep(world));
    }
    CHECK(world.pose(body).position.x < -0.2); // on the other side by now
}

TEST_CASE("a pendulum that leaves its unstable balance does not sleep on the way") {
    World world(sleepy());
    const BodyId body = add_pendulum(world, 3.14159265358979 - 1e-7);
    double lowest = 1.0;
    for (int frame = 0; frame < 60 * 6; ++frame) {
        run(world, 1);
        REQUIRE_FALSE(asleep(world));
        lowest = std::min(lowest, world.pose(body).position.y);
    }
    CHECK(lowest < -0.4); // it fell
}

TEST_CASE("forces that may change with time keep awake, and so does a carrier that moves") {
    World world(sleepy());
    add_pendulum(world, 0.0);
    world.add_force_field(
        std::make_unique<CustomField>([](double, const BodyMotion&) { return Wrench{}; })); // it may: who knows
    run(world, 120);
    CHECK_FALSE(asleep(world));

    World carried(sleepy());
    BodyDesc desc;
    desc.motion = MotionType::Kinematic;
    desc.linear_velocity = {0.001, 0.0, 0.0};
    const BodyId carrier = carried.create_body(desc);
    BodyDesc hanging;
    hanging.shape = Sphere{0.5};
    hanging.mass = 1.0;
    hanging.pose.position = {0.0, -0.5, 0.0};
    hanging.linear_velocity = {0.001, 0.0, 0.0};
    carried.create_joint(ball(carried, carrier, carried.create_body(hanging), {0.0, 0.0, 0.0}));
    run(carried, 120);
    CHECK_FALSE(asleep(carried));
}

TEST_CASE("what a push of each step holds up does not sleep on it, however short the window, and falls when it ends") {
    WorldSettings settings = sleepy();
    settings.sleep.time = 0.5 * kFrame;
    World world(settings);
    const BodyId body = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    for (int frame = 0; frame < 10; ++frame) {
        world.body(body).apply_force({0.0, 9.8, 0.0});
        run(world, 1);
        REQUIRE_FALSE(asleep(world));
    }
    run(world, 60);
    CHECK(world.pose(body).position.y == doctest::Approx(-4.9));
}

TEST_CASE("edits, pushes, couplings, moving carriers, forces and settings wake") {
    struct Alarm {
        const char* name;
        std::function<void(World&, BodyId body, BodyId carrier)> ring;
    };
    static std::atomic<int> calls{0};
    const Alarm alarms[] = {
        {"force",
         [](World& w, BodyId b, BodyId) {
             w.body(b).apply_force({1.0, 0.0, 0.0});
         }},
        {"torque",
         [](World& w, BodyId b, BodyId) {
             w.body(b).apply_torque({0.0, 0.0, 1.0});
         }},
        {"impulse",
         [](World& w, BodyId b, BodyId) {
             w.body(b).apply_impulse({0.1, 0.0, 0.0});
         }},
        {"pose", [](World& w, BodyId b, BodyId) { w.body(b).set_pose(w.pose(b)); }},
        {"velocity",
         [](World& w, BodyId b, BodyId) {
             w.body(b).set_angular_velocity({0.0, 0.0, 0.2});
         }},
        {"mass", [](World& w, BodyId b, BodyId) { w.body(b).set_shape(Sphere{0.1}, 2.0); }},
        {"carrier moves",
         [](World& w, BodyId, BodyId c) {
             w.body(c).set_linear_velocity({0.1, 0.0, 0.0});
         }},
        {"gravity",
         [](World& w, BodyId, BodyId) {
             WorldSettings s = w.settings();
             s.gravity.x = 1.0;
             w.set_settings(s);
         }},
        {"field", [](World& w, BodyId, BodyId) { w.add_force_field(std::make_unique<CountingDamper>(1.0, calls)); }},
        {"joint to a moving body",
         [](World& w, BodyId b, BodyId) {
             BodyDesc desc;
             desc.shape = Sphere{0.5};
             desc.mass = 1.0;
             desc.pose.position = w.pose(b).position + glm::dvec3(0.0, -1.0, 0.0);
             w.create_joint(ball(w, b, w.create_body(desc), desc.pose.position));
         }},
        {"joint destroyed", [](World& w, BodyId, BodyId) { w.destroy_joint(w.joints()[0]); }},
        {"sleep switched off",
         [](World& w, BodyId, BodyId) {
             WorldSettings s = w.settings();
             s.sleep.enabled = false;
             w.set_settings(s);
         }},
    };
    for (const Alarm& alarm : alarms) {
        CAPTURE(alarm.name);
        World world(sleepy());
        BodyDesc desc;
        desc.motion = MotionType::Kinematic;
        const BodyId carrier = world.create_body(desc);
        const BodyId body = add_pendulum(world, 0.0, carrier);
        run(world, 120);
        REQUIRE(asleep(world));
        alarm.ring(world, body, carrier);
        CHECK(run(world, 1).evaluations > 0);
        CHECK_FALSE(asleep(world));
    }
}

TEST_CASE("an island sleeps while another one moves, and neither feels it, on any number of threads") {
    WorldSettings settings = sleepy();
    World reference(settings);
    const BodyId alone = add_pendulum(reference, 1.0);
    settings.threads = 3;
    World world(settings);
    for (int i = 0; i < 40; ++i) {
        add_pendulum(world, 0.0, kGround, 2.0 * i);
    }
    const BodyId swinging = add_pendulum(world, 1.0);
    run(world, 300);
    run(reference, 300);
    CHECK(world.pose(swinging).position == reference.pose(alone).position);
    int sleepers = 0;
    for (const IslandView& island : world.islands()) {
        sleepers += island.asleep ? 1 : 0;
    }
    CHECK(sleepers == 40);
    CHECK(world.advance(kFrame).evaluations == reference.advance(kFrame).evaluations);
}

TEST_CASE("snapshots hold who sleeps, and for how long the others have been at rest") {
    for (const int frames : {10, 29, 31, 60}) {
        World world(sleepy());
        const BodyId body = add_pendulum(world, 0.0);
        run(world, frames);
        const WorldSnapshot snapshot = world.snapshot();
        World other(sleepy());
        const BodyId same_body = add_pendulum(other, 0.0);
        other.restore({snapshot.bytes, nullptr});
        for (int frame = 0; frame < 40; ++frame) {
            CHECK(asleep(other) == asleep(world));
            run(world, 1);
            run(other, 1);
        }
        CHECK(asleep(world));
        other.body(same_body).apply_impulse({0.1, 0.0, 0.0});
        world.body(body).apply_impulse({0.1, 0.0, 0.0});
        run(other, 5);
        run(world, 5);
        CHECK(other.hash() == world.hash());
    }
}

TEST_CASE("limits of rest that are out of range are refused") {
    World world;
    for (double SleepSettings::*member :
         {&SleepSettings::linear_speed, &SleepSettings::angular_speed, &SleepSettings::time}) {
        WorldSettings settings;
        settings.sleep.*member = 0.0;
        CHECK_THROWS_AS(world.set_settings(settings), std::invalid_argument);
    }
}
