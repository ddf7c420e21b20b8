// Snapshots: bit-equal futures, in this process and another; damaged bytes refused.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr int kFuture = 60;

std::uint64_t future_of(World& world) {
    for (int frame = 0; frame < kFuture; ++frame) {
        world.advance(kFrame);
    }
    return world.hash();
}

void run(World& world, int frames) {
    for (int frame = 0; frame < frames; ++frame) {
        world.advance(kFrame);
    }
}

std::string printed(std::uint64_t hash) {
    char digits[32] = {};
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

// What snapshot_process prints about the future of a world that is built by the function of that name.
std::string future_in_another_process(const World& world, const std::string& name) {
    const auto path = std::filesystem::temp_directory_path() / ("substep_snapshot_test_" + name + ".bin");
    const WorldSnapshot snapshot = world.snapshot();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(snapshot.bytes.data()),
               static_cast<std::streamsize>(snapshot.bytes.size()));
    const std::string command = std::string("\"") + SUBSTEP_SNAPSHOT_PROCESS + "\" \"" + path.string() + "\" " +
                                std::to_string(kFuture) + " " + name;
    std::FILE* const pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    char line[256] = {};
    CHECK(std::fgets(line, sizeof line, pipe) != nullptr);
    CHECK(pclose(pipe) == 0);
    std::filesystem::remove(path);
    return line;
}

void refuse(World& world, const WorldSnapshot& snapshot) {
    const std::uint64_t before = world.hash();
    CHECK_THROWS_AS(world.restore(snapshot), std::invalid_argument);
    CHECK(world.hash() == before);
}

} // namespace

TEST_CASE("a snapshot replays bit-equal under every method and boundary, also in mid run-ahead") {
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method->info().name);
            IntegratorSettings settings = fixed(std::string(method->info().name), 2);
            settings.boundary = boundary;
            World world = mixed_world(settings);
            for (int frame = 0; frame < 41; ++frame) {
                world.advance(kFrame);
            }
            const WorldSnapshot snapshot = world.snapshot();
            const std::uint64_t here = world.hash();
            const std::uint64_t there = future_of(world);
            CHECK(there != here);
            world.restore(snapshot);
            CHECK(world.hash() == here);
            CHECK(future_of(world) == there);
            // A fresh world of the same structure, with other settings: they come with the snapshot.
            World other = mixed_world(fixed("heun2", 7));
            other.restore(snapshot);
            CHECK(future_of(other) == there);
        }
    }
}

TEST_CASE("a snapshot holds what is pending: forces for the next step, edits, changed gravity, a kinematic turn") {
    const auto edited = [] {
        World world = mixed_world(adaptive(1e-7, Boundary::RunAhead));
        for (int frame = 0; frame < 41; ++frame) {
            world.advance(kFrame);
        }
        world.body(world.bodies()[1]).apply_force({3.0, 0.0, 0.0});
        world.body(world.bodies()[4]).apply_impulse({0.0, 0.5, 0.0});
        world.body(world.bodies()[3]).set_angular_velocity({0.0, 2.0, 0.0});
        WorldSettings settings = world.settings();
        settings.gravity = {0.0, -5.0, 1.0};
        world.set_settings(settings);
        return world;
    };
    World world = edited();
    const WorldSnapshot snapshot = world.snapshot();
    const Pose sampled = world.sample(world.bodies()[0], world.time() - 0.3 * kFrame);
    const std::uint64_t there = future_of(world);
    World other = mixed_world({});
    other.restore(snapshot);
    CHECK(other.settings().gravity == glm::dvec3(0.0, -5.0, 1.0));
    CHECK(glm::length(other.sample(other.bodies()[0], other.time() - 0.3 * kFrame).position - sampled.position) < 1e-6);
    CHECK(future_of(other) == there);
}

TEST_CASE("a snapshot brings back every setting of its world") {
    WorldSettings unusual;
    unusual.gravity = {1.0, -2.0, 3.0};
    unusual.length = 0.25;
    unusual.impulse_euler.joint_correction = JointCorrection::Baumgarte;
    unusual.energy_ledger = true;
    unusual.shared_budget = 1234;
    unusual.bound = 5678;
    unusual.sleep = {.enabled = true, .linear_speed = 0.01, .angular_speed = 0.02, .time = 3.0};
    IntegratorSettings& integrator = unusual.integrator;
    integrator.method = "theta";
    integrator.substeps = 3;
    integrator.theta = 0.75;
    integrator.stabilise = true;
    integrator.atol = 1e-5;
    integrator.rtol = 1e-6;
    integrator.h_min = 1e-7;
    integrator.h_max = 0.1;
    integrator.h_initial = 1e-3;
    integrator.budget = 567;
    integrator.boundary = Boundary::RunAhead;
    integrator.norm = ErrorNorm::Rms;
    integrator.controller = {.kind = ControllerKind::PI,
                             .safety = 0.8,
                             .shrink_limit = 0.3,
                             .growth_limit = 4.0,
                             .keep_from = 0.9,
                             .keep_to = 1.1,
                             .retry_root = 3,
                             .next_root = 4,
                             .grow_after_rejection = true,
                             .clip_last = true};
    const World world(unusual);
    World other;
    other.restore(world.snapshot());
    const WorldSettings& settings = other.settings();
    CHECK(settings.gravity == unusual.gravity);
    CHECK(settings.length == unusual.length);
    CHECK(settings.impulse_euler.joint_correction == unusual.impulse_euler.joint_correction);
    CHECK(settings.energy_ledger == unusual.energy_ledger);
    CHECK(settings.shared_budget == unusual.shared_budget);
    CHECK(settings.bound == unusual.bound);
    CHECK(settings.sleep == unusual.sleep);
    CHECK(settings.integrator.method == integrator.method);
    CHECK(settings.integrator.substeps == integrator.substeps);
    CHECK(settings.integrator.theta == integrator.theta);
    CHECK(settings.integrator.stabilise == integrator.stabilise);
    CHECK(settings.integrator.atol == integrator.atol);
    CHECK(settings.integrator.rtol == integrator.rtol);
    CHECK(settings.integrator.h_min == integrator.h_min);
    CHECK(settings.integrator.h_max == integrator.h_max);
    CHECK(settings.integrator.h_initial == integrator.h_initial);
    CHECK(settings.integrator.budget == integrator.budget);
    CHECK(settings.integrator.boundary == integrator.boundary);
    CHECK(settings.integrator.norm == integrator.norm);
    const ControllerSettings& controller = settings.integrator.controller;
    CHECK(controller.kind == integrator.controller.kind);
    CHECK(controller.safety == integrator.controller.safety);
    CHECK(controller.shrink_limit == integrator.controller.shrink_limit);
    CHECK(controller.growth_limit == integrator.controller.growth_limit);
    CHECK(controller.keep_from == integrator.controller.keep_from);
    CHECK(controller.keep_to == integrator.controller.keep_to);
    CHECK(controller.retry_root == integrator.controller.retry_root);
    CHECK(controller.next_root == integrator.controller.next_root);
    CHECK(controller.grow_after_rejection == integrator.controller.grow_after_rejection);
    CHECK(controller.clip_last == integrator.controller.clip_last);
}

TEST_CASE("a snapshot in mid run-ahead replays bit-equal in another process") {
    World world = mixed_world(adaptive(1e-7, Boundary::RunAhead));
    run(world, 41);
    const std::string there = future_in_another_process(world, "mixed");
    CHECK(there == printed(future_of(world)) + "\n");
}

TEST_CASE("contacts, limits, dry friction and the ledger go on bit-equal in another process") {
    World world = eventful_world(adaptive(1e-7, Boundary::RunAhead));
    run(world, 17);
    CHECK(world.energy_ledger().restitution < 0.0); // something has bounced already
    const std::string there = future_in_another_process(world, "eventful");
    const std::string hash = printed(future_of(world));
    const EnergyLedger ledger = world.energy_ledger();
    char numbers[128] = {};
    std::snprintf(numbers, sizeof numbers, " %a %a %a\n", ledger.friction, ledger.restitution, ledger.remainder());
    CHECK(there == hash + numbers);
}

TEST_CASE("a snapshot of another version is refused, and the sentence names both") {
    World world = mixed_world({});
    const WorldSnapshot good = world.snapshot();
    constexpr std::size_t kVersionAt = 8; // behind eight letters that say what it is
    for (const int change : {-1, 1}) {
        WorldSnapshot other = good;
        const int version = static_cast<int>(good.bytes[kVersionAt]);
        other.bytes[kVersionAt] = static_cast<std::byte>(version + change);
        refuse(world, other);
        const std::string sentence = "has version " + std::to_string(version + change) +
                                     ", this program reads version " + std::to_string(version);
        CHECK_THROWS_WITH_AS(world.restore(other), doctest::Contains(sentence.c_str()), std::invalid_argument);
    }
}

TEST_CASE("two snapshots of the same moment are the same bytes, and a restored world saves them again") {
    World world = mixed_world(adaptive(1e-7, Boundary::RunAhead));
    for (int frame = 0; frame < 41; ++frame) {
        world.advance(kFrame);
    }
    const WorldSnapshot first = world.snapshot();
    CHECK(world.snapshot().bytes == first.bytes);
    World other = mixed_world({});
    other.restore(first);
    CHECK(other.snapshot().bytes == first.bytes);
}

TEST_CASE("damaged, shortened and foreign bytes are refused, and the world is untouched") {
    World world = mixed_world(adaptive(1e-7, Boundary::RunAhead));
    for (int frame = 0; frame < 10; ++frame) {
        world.advance(kFrame);
    }
    const WorldSnapshot good = world.snapshot();
    for (std::size_t at = 0; at < good.bytes.size(); at += 13) {
        WorldSnapshot damaged = good;
        damaged.bytes[at] ^= std::byte{0x10};
        refuse(world, damaged);
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{60}, good.bytes.size() - 1}) {
        WorldSnapshot shortened = good;
        shortened.bytes.resize(size);
        refuse(world, shortened);
    }
    WorldSnapshot longer = good;
    longer.bytes.push_back({});
    refuse(world, longer);

    World foreign;
    foreign.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    refuse(foreign, good);
    refuse(world, foreign.snapshot());
    world.restore(good); // and the good one still fits
}

// A joint that velocity steps have left open is closed by the island's own method, in an island that is new: bodies
// that part again make one, whether or not they have been one before.
TEST_CASE("a new world goes on bit for bit where jointed bodies have met others and part again") {
    const auto make_world = [] {
        World world;
        WorldSettings settings;
        settings.gravity = {};
        settings.impulse_euler.joint_correction = JointCorrection::Baumgarte;
        settings.integrator.method = "rk4";
        settings.integrator.budget = 5; // spent at the impact: velocity steps take over
        world.set_settings(settings);
        const auto ball_at = [&](const glm::dvec3& position, const glm::dvec3& velocity) {
            BodyDesc desc;
            desc.mass = 1.0;
            desc.shape = Sphere{0.3};
            desc.pose.position = position;
            desc.linear_velocity = velocity;
            desc.material.restitution = 0.5;
            return world.create_body(desc);
        };
        const BodyId left = ball_at({}, {});
        const BodyId right = ball_at({1, 0, 0}, {});
        ball_at({1.3, 2, 0}, {0, -20, 0});
        world.create_joint(ball(world, left, right, {0.5, 0, 0}));
        return world;
    };
    World world = make_world();
    bool handed_over = false;
    for (int frame = 0; frame < 30; ++frame) {
        WorldSnapshot snapshot = world.snapshot();
        snapshot.structure = nullptr; // the bytes alone
        World other = make_world();
        other.restore(snapshot);
        World same = make_world();
        run(same, frame);
        REQUIRE(other.hash() == same.hash());
        CAPTURE(frame);
        CHECK(future_of(other) == future_of(same));
        world.advance(kFrame);
        for (const IslandView& island : world.islands()) {
            handed_over |= island.handed_over;
        }
    }
    CHECK(handed_over);
}
