// Crowds: heaps that are still falling together are one pile. Where the heap is one island already piles_test.cpp
// tests.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "contact_tables.h"
#include "islands/crowds.h"
#include "islands/model.h"
#include "pile_worlds.h"

using namespace engine_tests;
using namespace substep::detail;

namespace {

// `wide` times `wide` columns of `high` balls of 1 m, 0.2 m apart in all directions, not quite in line, over a floor.
World ball_columns(int wide, int high, const WorldSettings& settings, std::vector<BodyId>& bodies) {
    World world(settings);
    add_trench(world, 0.6 * wide + 0.3, kRough);
    std::mt19937 random(5);
    std::uniform_real_distribution<double> aside(-0.05, 0.05);
    for (int i = 0; i < wide * wide * high; ++i) {
        const glm::dvec3 cell(i % wide - 0.5 * (wide - 1), i / (wide * wide) + 0.5, i / wide % wide - 0.5 * (wide - 1));
        BodyDesc ball = cube(1.2 * cell + glm::dvec3(aside(random), aside(random), aside(random)));
        ball.shape = Sphere{0.5};
        bodies.push_back(world.create_body(ball));
    }
    return world;
}

std::size_t bodies_in(const World& world, IslandRegime regime) {
    std::size_t count = 0;
    for (const IslandView& island : world.islands()) {
        count += island.regime == regime ? island.bodies.size() : 0;
    }
    return count;
}

// Balls of radius 0.5 m, of whom some touch, as crowds are told of them.
struct Balls {
    Model model;
    std::vector<BodyId> ids;
    double fall = 1.0; // m/s, of those that are added
    BodyId ground;
    std::vector<ContactPair> pairs;
    std::vector<ContactPoint> points;

    Balls() {
        model.settings.integrator.method = "auto";
        model.time.set_dt(kFrame);
    }
    void add(const glm::dvec3& place) {
        BodyDesc desc = cube(place);
        desc.shape = Sphere{0.5};
        desc.linear_velocity = {0.0, -fall, 0.0};
        ids.push_back(model.bodies.insert(make_body(desc, 0.0)));
    }
    // Rows of ten along x, with so much air (m) between neighbours in a row and between rows.
    void add_rows(int rows, double air, const glm::dvec3& from) {
        for (int i = 0; i < 10 * rows; ++i) {
            add(from + (1.0 + air) * glm::dvec3(i % 10, i / 10 % 10, i / 100));
        }
    }
    void touch(BodyId a, BodyId b) {
        ContactPair pair;
        pair.a = a;
        pair.b = b;
        pair.first_point = static_cast<std::uint32_t>(points.size());
        pairs.push_back(pair);
        points.emplace_back().memory.force = {0.0, 1.0, 0.0};
    }
    // Every ball from `from` on touches something that nothing moves.
    void land(std::size_t from, std::size_t count) {
        if (ground == BodyId{}) {
            BodyDesc desc = cube({0.0, -100.0, 0.0});
            desc.motion = MotionType::Static;
            ground = model.bodies.insert(make_body(desc, 0.0));
        }
        for (std::size_t i = from; i < from + count; ++i) {
            touch(ids[i], ground);
        }
    }
    // Every ball from `from` on touches the next one, two by two.
    void touch_in_twos(std::size_t from, std::size_t count) {
        for (std::size_t i = from; i < from + count; i += 2) {
            touch(ids[i], ids[i + 1]);
        }
    }
    std::size_t members() {
        set_pairs(model.contacts, model.bodies, pairs, points);
        model.steps.begin(model.bodies.index_limit(), 0.0, kFrame);
        for (const BodyId id : ids) {
            model.steps.paths[id.index].set_ball(0.5, 0.01);
        }
        model.crowds.find(model);
        return model.crowds.members().size();
    }
};

} // namespace

TEST_CASE("crowds: as many as make a pile have to touch, among those that are nearer than a radius") {
    Balls balls;
    balls.add_rows(30, 0.4, {});
    CHECK(balls.members() == 0);
    balls.touch_in_twos(0, 148);
    CHECK(balls.members() == 0);
    balls.touch_in_twos(148, 2);
    CHECK(balls.members() == 300);
    balls.add_rows(2, 0.4, {0.0, -1.4 - 1.6, 0.0}); // beyond a radius of air
    balls.add({5.6, 9.0 * 1.4 + 1.45, 0.0});        // within
    CHECK(balls.members() == 301);

    Balls apart;
    apart.add_rows(30, 0.6, {});
    apart.touch_in_twos(0, 300);
    CHECK(apart.members() == 0); // five touch in a row of ten, and no row is near another
}

TEST_CASE("crowds: one lasts until few touch, and is looked for fifteen times a second, however long steps are") {
    Balls balls;
    balls.add_rows(30, 0.4, {});
    balls.touch_in_twos(0, 150);
    REQUIRE(balls.members() == 300);
    balls.pairs.resize(15);
    CHECK(balls.members() == 300);
    balls.pairs.resize(14);
    balls.model.time.steps = 15;
    CHECK(balls.members() == 300);
    balls.model.time.steps = 16; // where there is one, four times as seldom
    CHECK(balls.members() == 0);
    balls.pairs.clear();
    balls.touch_in_twos(0, 148);
    CHECK(balls.members() == 0); // it takes as many as the first time

    int looks = 0; // in a second of steps of many lengths
    balls.touch_in_twos(148, 2);
    for (int i = 0; balls.model.time.now() < 1.25; ++i) {
        balls.model.crowds.set_members({});
        balls.model.time.set_dt(1.0 / (40.0 + 7.0 * (i % 6)));
        looks += balls.members() == 300 ? 1 : 0;
        ++balls.model.time.steps;
    }
    CHECK(looks >= 14);
    CHECK(looks <= 16);
}

TEST_CASE("crowds: half as many have to touch or to have landed, some of them each, where as many are to come") {
    Balls balls;
    balls.add_rows(15, 0.4, {});
    balls.land(0, 45);
    CHECK(balls.members() == 0);
    balls.touch_in_twos(44, 30); // one of whom has landed too
    CHECK(balls.members() == 0);
    balls.land(45, 1);
    CHECK(balls.members() == 0);
    balls.land(74, 1);
    CHECK(balls.members() == 150);
    balls.land(75, 75); // nobody is to come any more
    CHECK(balls.members() == 150);
    balls.model.crowds.set_members({});
    CHECK(balls.members() == 0);

    Balls in_air; // nobody has landed
    in_air.add_rows(30, 0.4, {});
    in_air.touch_in_twos(0, 148);
    CHECK(in_air.members() == 0);
    in_air.land(100, 29);
    CHECK(in_air.members() == 0);
    in_air.land(129, 1);
    CHECK(in_air.members() == 300);

    Balls side_by_side; // or few touch another one, however many do elsewhere
    side_by_side.add_rows(30, 0.4, {});
    side_by_side.add_rows(4, 0.4, {40.0, 0.0, 0.0});
    side_by_side.touch_in_twos(300, 30);
    side_by_side.land(0, 120);
    CHECK(side_by_side.members() == 0);
    side_by_side.touch_in_twos(0, 28);
    CHECK(side_by_side.members() == 0);
    side_by_side.touch_in_twos(28, 2);
    CHECK(side_by_side.members() == 300);

    Balls hovering; // or are not to come: they are no faster than gravity makes them between two looks
    hovering.fall = 0.65;
    hovering.add_rows(30, 0.4, {});
    hovering.land(0, 120);
    hovering.touch_in_twos(0, 30);
    CHECK(hovering.members() == 0);

    Balls apart; // with more than a radius of air between any two
    apart.add_rows(30, 0.6, {});
    apart.land(0, 100);
    apart.touch_in_twos(0, 100);
    CHECK(apart.members() == 0);
}

TEST_CASE("crowds: one that sleeps does not make the looks for others seldom") {
    Balls balls;
    balls.add_rows(20, 0.4, {});
    balls.touch_in_twos(0, 200);
    REQUIRE(balls.members() == 200);
    balls.add_rows(20, 0.4, {40.0, 0.0, 0.0});
    balls.touch_in_twos(200, 200);
    balls.model.time.steps = 4;
    CHECK(balls.members() == 200);
    balls.model.steps.asleep.assign(400, 0);
    std::fill_n(balls.model.steps.asleep.begin(), 200, std::uint8_t{1});
    CHECK(balls.members() == 400);
}

TEST_CASE("crowds: two heaps are two, sleepers are left alone, and a method that was named is kept") {
    Balls balls;
    balls.add_rows(20, 0.4, {});
    balls.add_rows(20, 0.4, {20.0, 0.0, 0.0});
    balls.touch_in_twos(0, 400);
    REQUIRE(balls.members() == 400);
    CHECK(balls.model.crowds.members().front().crowd != balls.model.crowds.members().back().crowd);

    // The first one sleeps, and a third one comes as near as within the crowd.
    balls.model.steps.asleep.assign(600, 0);
    std::fill_n(balls.model.steps.asleep.begin(), 200, std::uint8_t{1});
    balls.add_rows(20, 0.4, {0.0, 0.0, 2 * 1.4});
    balls.touch_in_twos(400, 200);
    REQUIRE(balls.members() == 600);
    const auto crowd_of = [&](std::size_t i) {
        const auto members = balls.model.crowds.members();
        return std::ranges::find(members, balls.ids[i], &CrowdMember::body)->crowd;
    };
    CHECK(crowd_of(0) == crowd_of(199));
    CHECK(crowd_of(0) != crowd_of(400));
    CHECK(crowd_of(200) != crowd_of(400));
    CHECK(crowd_of(0) != crowd_of(200));

    balls.model.settings.integrator.method = "verner87";
    CHECK(balls.members() == 200); // those that sleep stay
}

TEST_CASE("crowds: columns of balls that collapse are one soft pile before their islands are many") {
    std::vector<BodyId> bodies;
    World world = ball_columns(6, 6, contact_settings({}), bodies);
    int frame = 0;
    while (bodies_in(world, IslandRegime::Soft) == 0 && frame < 60) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        ++frame;
    }
    MESSAGE("from frame " << frame);
    CHECK(frame < 40);
    CHECK(bodies_in(world, IslandRegime::Soft) == bodies.size());
    std::int64_t most = 0;
    for (; frame < 400; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        most = std::max(most, report.evaluations);
    }
    // One, and once more where bodies were carried on to others. Without crowds some frame takes hundreds.
    CHECK(most <= 6);
    CHECK(bodies_in(world, IslandRegime::Soft) == bodies.size());
    CHECK(lowest(world, bodies) > 0.49);
}

TEST_CASE("crowds: balls that hop side by side on a floor, while others lie there, are none") {
    World world(contact_settings({}));
    add_trench(world, 12.0, kRough);
    for (int i = 0; i < 225; ++i) {
        BodyDesc ball = cube({1.3 * (i % 15 - 7), 0.5 + 0.5 * (i % 3), 1.3 * (i / 15 - 7)});
        ball.shape = Sphere{0.5};
        ball.material.restitution = 0.95;
        world.create_body(ball);
    }
    for (int frame = 0; frame < 120; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        REQUIRE(bodies_in(world, IslandRegime::Soft) == 0);
    }
}

TEST_CASE("crowds: as many balls side by side on a floor roll in modes, and so do few in columns") {
    World world(contact_settings({}));
    add_trench(world, 12.0, kRough);
    for (int i = 0; i < 225; ++i) {
        BodyDesc ball = cube({1.3 * (i % 15 - 7), 0.5, 1.3 * (i / 15 - 7)});
        ball.shape = Sphere{0.5};
        ball.linear_velocity = {0.1, 0.0, 0.0};
        world.create_body(ball);
    }
    std::vector<BodyId> bodies;
    World few = ball_columns(4, 5, contact_settings({}), bodies);
    for (int frame = 0; frame < 60; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        REQUIRE(bodies_in(world, IslandRegime::Modes) == 225);
        few.advance(kFrame);
        REQUIRE(bodies_in(few, IslandRegime::Soft) == 0);
    }
}

TEST_CASE("crowds: boxes that rain on a floor are one soft pile before they lie on one another") {
    World world(contact_settings({}));
    add_trench(world, 8.0, kRough);
    std::vector<BodyId> bodies;
    std::mt19937 random(9);
    std::uniform_real_distribution<double> turn(-1.0, 1.0);
    for (int i = 0; i < 400; ++i) {
        BodyDesc box = cube(1.5 * glm::dvec3(i % 10 - 4.5, i / 100 + 1.0, i / 10 % 10 - 4.5));
        box.shape = Box{{0.5, 0.3, 0.2}};
        box.pose.orientation = glm::normalize(glm::dquat(1.0, turn(random), turn(random), turn(random)));
        bodies.push_back(world.create_body(box));
    }
    int frame = 0;
    std::int64_t most = 0;
    for (; bodies_in(world, IslandRegime::Soft) == 0 && frame < 60; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
    }
    MESSAGE("from frame " << frame);
    CHECK(frame < 60);
    for (; frame < 300; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        most = std::max(most, report.evaluations);
        REQUIRE(bodies_in(world, IslandRegime::Soft) == bodies.size());
    }
    CHECK(most <= 6);
    CHECK(lowest(world, bodies) > 0.15);
}

TEST_CASE("crowds: the same bits on two threads, and behind restores") {
    const auto make = [](int threads) {
        WorldSettings settings = contact_settings({});
        settings.threads = threads;
        std::vector<BodyId> bodies;
        return ball_columns(6, 6, settings, bodies);
    };
    check_same_bits(make(1), make(2), make(1), 90);
}
