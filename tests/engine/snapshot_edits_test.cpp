// Snapshots across edits, handles that never alias, and snapshots of many kinds of damage.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "../sanitized.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

std::uint64_t future_of(World& world, int frames = 30) {
    for (int frame = 0; frame < frames; ++frame) {
        world.advance(kFrame);
    }
    return world.hash();
}

World running_world(Boundary boundary = Boundary::RunAhead) {
    World world = mixed_world(adaptive(1e-7, boundary));
    future_of(world, 41);
    return world;
}

} // namespace

TEST_CASE("a snapshot from before edits of any kind restores across them, bit for bit") {
    for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
        World world = running_world(boundary);
        const WorldSnapshot before = world.snapshot();
        const std::vector<BodyId> bodies(world.bodies().begin(), world.bodies().end());
        const std::vector<JointId> joints(world.joints().begin(), world.joints().end());
        const std::uint64_t here = world.hash();
        World twin = mixed_world({});
        twin.restore({before.bytes, nullptr});
        const std::uint64_t there = future_of(twin);

        world.destroy_joint(joints[1]);
        world.advance(kFrame);
        world.destroy_body(bodies[4]);
        add_chain(world, 2);
        world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1}));
        future_of(world, 5);

        world.restore(before);
        CHECK(world.hash() == here);
        CHECK(std::ranges::equal(world.bodies(), bodies));
        CHECK(std::ranges::equal(world.joints(), joints));
        CHECK(world.snapshot().bytes == before.bytes);
        CHECK(future_of(world) == there);
    }
}

TEST_CASE(
    "a snapshot from behind a change of forces restores, whatever they would have made of the segment that ran ahead") {
    // Behind the body the new field is not a number: the substep that has run ahead from there cannot be made again.
    IntegratorSettings settings = adaptive(1e-6, Boundary::RunAhead);
    settings.method = "verner87";
    World world({.integrator = settings});
    const auto pull = [](double behind) {
        return std::make_unique<CustomField>([behind](double, const BodyMotion& body) {
            const double x = body.position.x;
            return Wrench{{x < behind ? std::numeric_limits<double>::quiet_NaN() : -x, 0.0, 0.0}, glm::dvec3(0.0)};
        });
    };
    const ForceFieldId field = world.add_force_field(pull(-10.0));
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1.0;
    desc.linear_velocity = {2.0, 0.0, 0.0};
    desc.collides = false;
    const BodyId body = world.create_body(desc);
    JointDesc joint = slider(world, kGround, body, glm::dvec3(0.0), {1.0, 0.0, 0.0});
    joint.limits = {{.axis = JointAxis::Z, .lower = -20.0, .upper = 20.0}}; // an event function, which would be asked
    world.create_joint(joint);
    int ran_ahead = 0;
    for (int frame = 0; frame < 60; ++frame) {
        ran_ahead += world.advance(kFrame).boundary == Boundary::RunAhead ? 1 : 0;
        const WorldSnapshot plain = world.snapshot();
        world.set_force_field(field, pull(world.pose(body).position.x - 1e-6));
        const WorldSnapshot edited = world.snapshot();
        const std::uint64_t here = world.hash();
        const std::uint64_t there = future_of(world, 3);
        REQUIRE_NOTHROW(world.restore(edited));
        CHECK(world.hash() == here);
        CHECK(future_of(world, 3) == there);
        world.restore(plain);
    }
    CHECK(ran_ahead > 20);
}

TEST_CASE("a snapshot from after edits restores into the world from before them, forwards and back") {
    World world = running_world();
    const WorldSnapshot before = world.snapshot();
    const BodyId later = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    future_of(world, 5);
    const WorldSnapshot after = world.snapshot();
    const std::uint64_t there = future_of(world);
    world.restore(before);
    CHECK_FALSE(world.is_valid(later));
    world.restore(after);
    CHECK(world.is_valid(later));
    CHECK(future_of(world) == there);
}

TEST_CASE("the bytes alone restore only where the world was built the same way; another world's structure is no help") {
    World world = running_world();
    const WorldSnapshot before = world.snapshot();
    world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    const std::uint64_t here = world.hash();
    CHECK_THROWS_AS(world.restore({before.bytes, nullptr}), std::invalid_argument);
    World stranger;
    CHECK_THROWS_AS(stranger.restore(before), std::invalid_argument);
    CHECK(stranger.bodies().empty());
    CHECK(world.hash() == here);
    world.restore(before);
    CHECK(world.snapshot().hash() == before.hash());
}

TEST_CASE("the bytes restore into no world whose bodies or joints differ in any number that they do not hold") {
    // An arm between limits, with friction and a drive, geared to another one.
    struct Parts {
        BodyDesc body{.shape = Sphere{0.5}, .mass = 1.0};
        JointLimit limit{.lower = -1.0, .upper = 1.0, .restitution = 0.5};
        JointDrive drive{.target_rate = 1.0, .damping = 2.0, .maximum_force = 3.0};
        JointFriction friction{.viscous = 0.1, .dry = 0.2};
        double ratio = 2.0;
    };
    const auto build = [](const Parts& parts) {
        World world;
        std::array<JointId, 2> hinges;
        for (std::size_t i = 0; i < 2; ++i) {
            JointDesc joint = hinge(world, kGround, world.create_body(parts.body), glm::dvec3(0.0), {0.0, 0.0, 1.0});
            joint.limits = {parts.limit};
            joint.drives = {parts.drive};
            joint.friction = {parts.friction};
            hinges[i] = world.create_joint(joint);
        }
        world.create_coupling(gear(world, hinges[0], hinges[1], parts.ratio));
        return world;
    };
    const WorldSnapshot snapshot = build({}).snapshot();
    World same = build({});
    same.restore({snapshot.bytes, nullptr});
    const std::function<void(Parts&)> changes[] = {
        [](Parts& p) { p.body.mass = 2.0; },
        [](Parts& p) { p.body.shape = Sphere{0.7}; },
        [](Parts& p) { p.body.collides = false; },
        [](Parts& p) { p.body.material.friction = 0.123; },
        [](Parts& p) { p.body.material.static_friction = 0.9; },
        [](Parts& p) { p.body.material.restitution = 0.123; },
        [](Parts& p) { p.limit.lower = -2.0; },
        [](Parts& p) { p.limit.upper = 2.0; },
        [](Parts& p) { p.limit.restitution = 0.4; },
        [](Parts& p) { p.drive.target_rate = 2.0; },
        [](Parts& p) { p.drive.damping = 1.0; },
        [](Parts& p) { p.drive.maximum_force = 4.0; },
        [](Parts& p) { p.friction.viscous = 0.3; },
        [](Parts& p) { p.friction.dry = 0.3; },
        [](Parts& p) { p.ratio = 3.0; },
    };
    for (std::size_t i = 0; i < std::size(changes); ++i) {
        CAPTURE(i);
        Parts parts;
        changes[i](parts);
        World other = build(parts);
        CHECK_THROWS_AS(other.restore({snapshot.bytes, nullptr}), std::invalid_argument);
    }
}

TEST_CASE("worlds that were built the same way by detours take each other's bytes") {
    World world = running_world();
    World detour({.integrator = adaptive(1e-7, Boundary::RunAhead)});
    for (int i = 0; i < 5; ++i) {
        detour.destroy_body(detour.create_body({.shape = Sphere{0.5}, .mass = 1.0}));
    }
    detour = mixed_world({});
    const WorldSnapshot snapshot = world.snapshot();
    detour.restore(snapshot);
    CHECK(future_of(detour) == future_of(world));
}

TEST_CASE("no handle is ever given out twice, whatever is destroyed and restored in between") {
    World world;
    std::set<BodyId> given;
    std::vector<WorldSnapshot> snapshots;
    std::vector<std::vector<BodyId>> living;
    std::uint32_t random = 1;
    const auto below = [&](std::size_t limit) {
        random = random * 1664525u + 1013904223u;
        return static_cast<std::size_t>(random >> 8) % limit;
    };
    for (int i = 0; i < 3000; ++i) {
        switch (below(4)) {
        case 0:
        case 1:
            CHECK(given.insert(world.create_body({.shape = Sphere{0.5}, .mass = 1.0})).second);
            break;
        case 2:
            if (!world.bodies().empty()) {
                const BodyId id = world.bodies()[below(world.bodies().size())];
                world.destroy_body(id);
                CHECK_FALSE(world.is_valid(id));
            }
            break;
        default:
            if (snapshots.empty() || below(2) == 0) {
                snapshots.push_back(world.snapshot());
                living.emplace_back(world.bodies().begin(), world.bodies().end());
            } else {
                const std::size_t which = below(snapshots.size());
                world.restore(snapshots[which]);
                CHECK(std::ranges::equal(world.bodies(), living[which]));
                for (const BodyId id : given) {
                    const bool lives = std::ranges::find(living[which], id) != living[which].end();
                    REQUIRE(world.is_valid(id) == lives);
                }
            }
        }
    }
    CHECK(given.size() > 1000);
}

TEST_CASE("no handle of a joint or a field is ever given out twice either, across restores too") {
    World world;
    const BodyId body = world.create_body({.shape = Sphere{0.5}, .mass = 1.0});
    std::set<JointId> joints;
    std::set<ForceFieldId> fields;
    const WorldSnapshot empty = world.snapshot();
    for (int i = 0; i < 50; ++i) {
        const JointId joint = world.create_joint(ball(world, kGround, body, glm::dvec3(0.0)));
        const ForceFieldId field = world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.1}));
        CHECK(joints.insert(joint).second);
        CHECK(fields.insert(field).second);
        if (i % 2 == 0) {
            world.destroy_joint(joint);
            world.remove_force_field(field);
        } else {
            world.restore(empty);
        }
        for (const JointId given : joints) {
            REQUIRE_FALSE(world.is_valid(given));
        }
        for (const ForceFieldId given : fields) {
            REQUIRE_FALSE(world.is_valid(given));
        }
    }
}

TEST_CASE("ten thousand damaged snapshots are refused in one sentence each, and the world stays as it is") {
    World world = running_world();
    const WorldSnapshot good = world.snapshot();
    const std::uint64_t here = world.snapshot().hash();
    std::uint64_t random = 88172645463325252u; // xorshift64, Marsaglia 2003
    const auto next = [&] {
        random ^= random << 13;
        random ^= random >> 7;
        return random ^= random << 17;
    };
    int refused = 0;
    for (int i = 0; i < 10000; ++i) {
        WorldSnapshot damaged = good;
        switch (i % 4) {
        case 0: // one bit
            damaged.bytes[next() % damaged.bytes.size()] ^= static_cast<std::byte>(1u << next() % 8);
            break;
        case 1: // several bytes
            for (int k = 0; k < 8; ++k) {
                damaged.bytes[next() % damaged.bytes.size()] ^= static_cast<std::byte>(1 + next() % 255);
            }
            break;
        case 2: // cut
            damaged.bytes.resize(next() % damaged.bytes.size());
            break;
        default: // a stretch moved
            std::memmove(damaged.bytes.data() + next() % 64, damaged.bytes.data() + 64 + next() % 64, 256);
        }
        if (i % 2 == 0) {
            damaged.structure.reset();
        }
        try {
            world.restore(damaged);
        } catch (const std::invalid_argument& refusal) {
            ++refused;
            const std::string sentence = refusal.what();
            CHECK(sentence.starts_with("The snapshot cannot be restored: "));
            CHECK(sentence.ends_with("."));
        }
    }
    CHECK(refused == 10000);
    CHECK(world.snapshot().hash() == here);
}

TEST_CASE("a free body fits into 400 bytes and a joint into 300, limits, friction and a servo included, by any method" *
          doctest::skip(kSanitized)) {
    for (const IntegrationMethod* method : method_catalogue()) {
        for (const Boundary boundary : {Boundary::Exact, Boundary::RunAhead}) {
            CAPTURE(method->info().name);
            CAPTURE(to_string(boundary));
            IntegratorSettings settings = adaptive(1e-6, boundary);
            settings.method = std::string(method->info().name);
            World free({.integrator = settings});
            World hinged({.integrator = settings});
            World rich({.integrator = settings});
            for (int i = 0; i < 100; ++i) {
                BodyDesc desc;
                desc.mass = 1.0;
                desc.collides = false;
                desc.shape = Box{{0.1, 0.2, 0.3}};
                desc.pose.position = {1.0 * i, 0.3, 0.1};
                desc.angular_velocity = {1.0, 2.0 + i, 3.0};
                desc.linear_velocity = {0.1, 0.2, 0.3};
                free.create_body(desc);
                const BodyId id = hinged.create_body(desc);
                JointDesc joint = hinge(hinged, kGround, id, {1.0 * i, 1.0, 0.0}, {0.0, 0.0, 1.0});
                hinged.create_joint(joint);
                joint.body_b = rich.create_body(desc);
                joint.limits = {{.axis = JointAxis::AngleZ, .lower = -1.0, .upper = 1.0}};
                joint.friction = {{.axis = JointAxis::AngleZ, .viscous = 0.1, .dry = 0.01 * i}};
                joint.drives = {{.axis = JointAxis::AngleZ, .stiffness = 1.0, .damping = 0.1, .maximum_force = 5.0}};
                rich.create_joint(joint);
            }
            future_of(free, 30);
            future_of(hinged, 30);
            future_of(rich, 30);
            const std::size_t of_world = 400; // header, settings, time
            CHECK(free.snapshot().bytes.size() <= of_world + 100 * 400);
            CHECK(hinged.snapshot().bytes.size() <= of_world + 100 * 700);
            CHECK(rich.snapshot().bytes.size() <= of_world + 100 * 700);
        }
    }
}
