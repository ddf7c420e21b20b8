// Pairs that could touch: their order, what their points keep from step to step, and who is none.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "../sanitized.h"
#include "bodies/tolerances.h"
#include "contact_worlds.h"
#include "pairs/contact_table.h"
#include "snapshot/snapshot_contacts.h"

namespace {

using namespace substep;
using namespace substep::detail;

constexpr double kStep = 1.0 / 60.0;

BodyId create_ball(BodyTable& bodies, const glm::dvec3& position) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = Sphere{0.5};
    desc.pose.position = position;
    return bodies.insert(make_body(desc, 0.0));
}

BodyId create_floor(BodyTable& bodies) {
    BodyDesc desc;
    desc.shape = Plane{};
    desc.motion = MotionType::Static;
    return bodies.insert(make_body(desc, 0.0));
}

bool update(ContactTable& table, const BodyTable& bodies, const SweptStep& step) {
    BodySteps steps;
    steps.begin(bodies.index_limit(), step.t0, step.t1);
    return table.update(bodies, step, steps);
}

/// Makes the pair's only point stick, with a force that tells it from others.
void stick(ContactTable& table, std::size_t pair, double force) {
    ContactPoint& point = table.points(table.pairs()[pair]).front();
    point.memory.mode = static_cast<std::uint32_t>(ContactMode::Stick);
    point.memory.force = glm::dvec3(0.0, force, 0.0);
}

} // namespace

TEST_CASE("contact table: pairs rise by their keys, and known ones keep what their points remember") {
    BodyTable bodies;
    const BodyId first = create_ball(bodies, {0.0, 0.5, 0.0});
    const BodyId floor = create_floor(bodies);
    const BodyId second = create_ball(bodies, {1.0, 0.5, 0.0});
    ContactTable table;
    const SweptStep step{0.0, kStep, 0.0, glm::dvec3(0.0, -9.81, 0.0)};
    CHECK_FALSE(table.list(bodies, {}));
    CHECK(update(table, bodies, step)); // two dynamic bodies are coupled now

    REQUIRE(table.pairs().size() == 3);
    CHECK(table.pairs()[0].b == floor);
    CHECK(table.pairs()[1].b == second);
    CHECK(table.pairs()[2].a == floor);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(table.points(table.pairs()[i]).size() == 1);
        CHECK((i == 0 || table.key(table.pairs()[i - 1]) < table.key(table.pairs()[i])));
        stick(table, i, static_cast<double>(i + 1));
    }

    // A pair that sticks stays where its bounds do not meet any more; another ball adds pairs between the known ones.
    bodies[first].now.x.x = -0.4;
    const BodyId third = create_ball(bodies, {2.0, 0.5, 0.0});
    table.outdate();
    CHECK_FALSE(table.list(bodies, {}));
    CHECK(update(table, bodies, step));
    REQUIRE(table.pairs().size() == 5);
    std::vector<double> forces;
    for (const ContactPair& pair : table.pairs()) {
        forces.push_back(table.points(pair).front().memory.force.y);
    }
    CHECK(forces == std::vector{1.0, 2.0, 3.0, 0.0, 0.0});
    CHECK(table.pairs()[3].b == third);
    CHECK(table.pairs()[4].a == second);
}

TEST_CASE(
    "contact table: the hash tells which part of a solid a ball is held by, and says nothing of parts without memory") {
    BodyTable bodies;
    create_ball(bodies, {0.0, 0.9, 0.0});
    BodyDesc block;
    block.shape = Box{glm::dvec3(0.4)};
    block.motion = MotionType::Static;
    bodies.insert(make_body(block, 0.0));
    ContactTable table;
    table.list(bodies, {});
    update(table, bodies, SweptStep{0.0, kStep, 0.0, glm::dvec3(0.0)});
    REQUIRE(table.pairs().size() == 1);
    ContactPoint& point = table.points(table.pairs()[0]).front();
    const auto hash_with = [&](std::uint64_t feature) {
        point.feature = feature;
        BitHash hash;
        add_to_hash(hash, bodies, table);
        return hash.value();
    };
    CHECK(hash_with(3) == hash_with(4));
    stick(table, 0, 1.0);
    CHECK(hash_with(3) != hash_with(4));
    CHECK(hash_with(3) == hash_with(3));
}

TEST_CASE("contact table: pairs of many compounds rise by their keys, none twice, from step to step") {
    BodyTable bodies;
    for (int i = 0; i < 60; ++i) {
        BodyDesc desc;
        desc.mass = 1.0;
        for (const double side : {-0.2, 0.2}) {
            ColliderDesc ball;
            ball.shape = Sphere{0.5};
            ball.offset.position.x = side;
            desc.colliders.push_back(ball);
        }
        desc.pose.position = {0.1 * i, 0.05 * (i % 7), 0.07 * (i % 5)};
        bodies.insert(make_body(desc, 0.0));
    }
    ContactTable table;
    table.list(bodies, {});
    for (int step = 0; step < 3; ++step) {
        update(table, bodies, SweptStep{0.0, kStep, 0.0, glm::dvec3(0.0)});
        REQUIRE(table.pairs().size() > 1000); // so many are dealt out by their bodies
        for (std::size_t i = 1; i < table.pairs().size(); ++i) {
            REQUIRE(table.key(table.pairs()[i - 1]) < table.key(table.pairs()[i]));
        }
        for (std::size_t i = 0; i < table.pairs().size(); ++i) { // those that hold are listed again
            stick(table, i, 1.0);
        }
    }
}

TEST_CASE("contact table: bodies that a joint connects, and bodies that are gone, are no pairs") {
    BodyTable bodies;
    const BodyId floor = create_floor(bodies);
    const BodyId a = create_ball(bodies, {0.0, 0.5, 0.0});
    const BodyId b = create_ball(bodies, {1.0, 0.5, 0.0});
    ContactTable table;
    const SweptStep step{0.0, kStep, 0.0, glm::dvec3(0.0)};
    table.list(bodies, {});
    update(table, bodies, step);
    REQUIRE(table.pairs().size() == 3);
    stick(table, 2, 1.0);

    table.outdate();
    CHECK(table.list(bodies, std::vector{std::array{b, a}})); // a pair that stuck is none any more
    CHECK_FALSE(update(table, bodies, step));
    REQUIRE(table.pairs().size() == 2);
    stick(table, 1, 2.0);

    table.forget(a);
    bodies.erase(a);
    table.outdate();
    table.list(bodies, {});
    update(table, bodies, step);
    REQUIRE(table.pairs().size() == 1);
    CHECK(table.pairs()[0].a == floor);
    CHECK(table.pairs()[0].b == b);
    CHECK(table.points(table.pairs()[0]).front().memory.force.y == 2.0);
}

TEST_CASE("contact table: a heap at rest has its neighbours for candidates, whatever its size") {
    // A lattice that just touches: three pairs a body. What is a fifth of a radius away is none.
    for (const double radius : {1e-3, 0.1, 10.0}) {
        CAPTURE(radius);
        BodyTable bodies;
        for (int i = 0; i < 216; ++i) {
            const glm::dvec3 place(i % 6, i / 36, i / 6 % 6); // NOLINT(bugprone-integer-division)
            BodyDesc desc;
            desc.mass = 1.0;
            desc.shape = Sphere{radius};
            desc.pose.position = 2.0 * radius * place;
            bodies.insert(make_body(desc, 0.0));
        }
        for (const double dt : {1.0 / 240.0, 1.0 / 60.0, 0.1}) {
            ContactTable table;
            table.list(bodies, {});
            update(table, bodies, SweptStep{0.0, dt, 0.0, glm::dvec3(0.0, -9.81, 0.0)});
            CHECK(table.pairs().size() == 3u * 6u * 6u * 5u);
        }
    }
}

TEST_CASE(
    "contact table: a heap that has come to rest has at most ten candidates a body, from a millimetre to ten metres") {
    for (const double radius : {1e-3, 0.1, 10.0}) {
        CAPTURE(radius);
        if (kSanitized && radius != 0.1) {
            continue;
        }
        WorldSettings settings;
        settings.integrator.method = "impulse_euler";
        World world(settings);
        engine_tests::add_trench(world, 5.5 * radius, Material{});
        for (int i = 0; i < 125; ++i) {
            const glm::dvec3 place(i % 5 - 2, i / 25, i / 5 % 5 - 2); // NOLINT(bugprone-integer-division)
            const glm::dvec3 at = radius * (2.1 * place + glm::dvec3(0.03 * (i % 7), 1.1, 0.02 * (i % 11)));
            engine_tests::add_sphere(world, at, radius, {.friction = 0.5});
        }
        for (int frame = 0; frame < 240; ++frame) {
            world.advance(kStep);
        }

        BodyTable bodies;
        for (const BodyId id : world.bodies()) {
            const Body body = world.body(id);
            if (body.motion() != MotionType::Dynamic) {
                continue;
            }
            BodyDesc ball;
            ball.shape = Sphere{radius};
            ball.mass = 1.0;
            ball.pose = body.pose();
            ball.linear_velocity = body.linear_velocity();
            bodies.insert(make_body(ball, 0.0));
        }
        ContactTable table;
        table.list(bodies, {});
        update(table, bodies, SweptStep{0.0, kStep, 0.0, glm::dvec3(0.0, -9.81, 0.0)});
        MESSAGE(radius, " m: ", table.pairs().size(), " candidates, ", world.contacts().size(),
                " contacts with the pit");
        CHECK(table.pairs().size() > 125);
        CHECK(table.pairs().size() <= 1250);
    }
}

TEST_CASE("broad phase: where all bodies sleep nothing is found, whoever was near while they moved") {
    BodyTable bodies;
    create_ball(bodies, {0.0, 0.5, 0.0});
    create_ball(bodies, {1.0, 0.5, 0.0});
    BroadPhase phase;
    phase.list(bodies, {});
    const SweptStep step{0.0, kStep, 0.0, glm::dvec3(0.0)};
    BodySteps steps;
    steps.begin(bodies.index_limit(), step.t0, step.t1);
    std::vector<ColliderPair> found;
    for (const int asleep : {0, 0, 1, 1, 0, 1}) {
        CAPTURE(asleep);
        steps.asleep.assign(bodies.index_limit(), static_cast<std::uint8_t>(asleep));
        found.clear();
        phase.find(bodies, step, steps, found);
        CHECK(found.size() == static_cast<std::size_t>(1 - asleep));
    }
}
