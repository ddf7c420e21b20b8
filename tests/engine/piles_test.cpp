// Piles: many bodies that touch one another, in a world. The solver alone is tested in soft_steps_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "pile_worlds.h"

using namespace engine_tests;

TEST_CASE("piles: columns of ten cubes come to rest by soft steps, sink little and carry their weight") {
    std::vector<BodyId> bodies;
    World world = columns(5, 10, contact_settings({}), bodies);
    StepReport last;
    for (int frame = 0; frame < 300; ++frame) {
        last = world.advance(kFrame);
        REQUIRE(last.status == StepStatus::ReachedTarget);
        REQUIRE(has_regime(world, IslandRegime::Soft));
    }
    CHECK_FALSE(last.degraded);
    CHECK(last.order == 1);
    double sink = 0.0;
    for (std::size_t i = bodies.size() - 25; i < bodies.size(); ++i) {
        sink = std::max(sink, 9.5 - world.body(bodies[i]).pose().position.y);
    }
    MESSAGE("sink " << sink << " fastest " << fastest(world, bodies));
    CHECK(sink <= 6.5e-3);
    CHECK(sink > 0.0);
    CHECK(fastest(world, bodies) <= 1e-3);
    double weight = 0.0;
    for (const Contact& contact : world.contacts()) {
        weight += std::abs(contact.normal.y) > 0.9 &&
                          (contact.body_a == world.bodies()[0] || contact.body_b == world.bodies()[0])
                      ? std::abs(contact.force.y)
                      : 0.0;
    }
    CHECK(weight == doctest::Approx(250 * kGravity).epsilon(0.01));
}

TEST_CASE("piles: from 150 bodies on until there are few, convex steps then; not under velocity steps by name") {
    std::vector<BodyId> bodies;
    World world = columns(4, 10, contact_settings({}), bodies);
    const auto advance = [&](int frames, int& soft, double& speed) {
        soft = 0;
        speed = 0.0;
        for (int frame = 0; frame < frames; ++frame) {
            world.advance(kFrame);
            soft += has_regime(world, IslandRegime::Soft) ? 1 : 0;
            speed = frame < 10 ? 0.0 : std::max(speed, fastest(world, bodies)); // what carries less springs up at once
        }
    };
    const auto take_away = [&](std::size_t down_to) {
        for (; bodies.size() > down_to; bodies.pop_back()) {
            world.destroy_body(bodies.back());
        }
    };
    int soft = 0;
    double speed = 0.0;
    advance(200, soft, speed);
    CHECK(soft == 200);
    take_away(128);
    advance(60, soft, speed);
    CHECK(soft == 60);
    take_away(112);
    advance(90, soft, speed);
    MESSAGE("fastest " << speed << " soft " << soft);
    CHECK(soft >= 25);
    CHECK(soft <= 35);
    CHECK(speed <= 0.03);
    CHECK(has_regime(world, IslandRegime::ConvexStep));

    std::vector<BodyId> others;
    World named = columns(4, 10, contact_settings({.method = "impulse_euler"}), others);
    named.advance(kFrame);
    CHECK_FALSE(has_regime(named, IslandRegime::Soft));
    CHECK(named.islands()[0].regime == IslandRegime::Impulses);
}

TEST_CASE("piles: a mess has the same bits on two threads, and behind restores while it falls") {
    const auto make = [](int threads) {
        WorldSettings settings = contact_settings({});
        settings.threads = threads;
        std::vector<BodyId> bodies;
        return mess(200, settings, bodies);
    };
    check_same_bits(make(1), make(2), make(1), 90);
}

// One of six layouts goes on rocking at a few centimetres a second: of three, two must rest.
TEST_CASE("piles: a mess comes to rest, nobody is lost, and the ledger closes to a hundredth of what was dissipated" *
          doctest::skip(kSanitized)) {
    constexpr int kLayouts = 3;
    int at_rest = 0;
    for (int layout = 0; layout < kLayouts; ++layout) {
        WorldSettings settings = contact_settings({});
        settings.energy_ledger = true;
        settings.gravity *= 1.0 + 1e-3 * layout;
        std::vector<BodyId> bodies;
        World world = mess(200, settings, bodies);
        world.advance(kFrame);
        const Watched seen = advance_and_watch(world, 1100);
        CHECK(seen.arrived);
        CHECK(lowest(world, bodies) > 0.19);
        const double speed = fastest(world, without_balls(world, bodies));
        MESSAGE("fastest " << speed << " deepest " << seen.deepest);
        at_rest += speed <= 0.02 ? 1 : 0;
        const EnergyLedger ledger = world.energy_ledger();
        const double taken = -(ledger.friction + ledger.restitution + ledger.overlap);
        MESSAGE("remainder " << ledger.remainder() << " taken " << taken);
        CHECK(taken > 1000.0);
        CHECK(std::abs(ledger.remainder()) <= 0.01 * taken);
    }
    CHECK(at_rest >= kLayouts - 1);
}

TEST_CASE("piles: pairs that are kept while nobody comes or goes give the bits of pairs that are made anew") {
    const auto make = [](std::vector<BodyId>& bodies) {
        World world = mess(200, contact_settings({}), bodies);
        BodyDesc dumb_bell = cube({0.0, 16.0, 0.0});
        dumb_bell.colliders = {{.shape = Sphere{0.3}, .offset = {{0.4, 0.0, 0.0}}, .material = kRough},
                               {.shape = Box{{0.2, 0.3, 0.2}}, .offset = {{-0.3, 0.0, 0.0}}, .material = kRough}};
        bodies.push_back(world.create_body(dumb_bell));
        return world;
    };
    std::vector<BodyId> bodies;
    std::vector<BodyId> others;
    World kept = make(bodies);
    World anew = make(others);
    for (int frame = 0; frame < (kSanitized ? 90 : 240); ++frame) {
        BodyDesc far = cube({1e4, 0.0, 0.0});
        far.motion = MotionType::Static;
        const BodyId edit = anew.create_body(far); // with it all that was made of pairs is outdated
        anew.destroy_body(edit);
        kept.advance(kFrame);
        anew.advance(kFrame);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            REQUIRE(kept.body(bodies[i]).pose().position == anew.body(others[i]).pose().position);
        }
        REQUIRE(kept.contacts().size() == anew.contacts().size());
        for (std::size_t i = 0; i < kept.contacts().size(); ++i) {
            REQUIRE(kept.contacts()[i].point == anew.contacts()[i].point);
            REQUIRE(kept.contacts()[i].force == anew.contacts()[i].force);
        }
    }
}

TEST_CASE("piles: contacts are those of the last step, whoever comes to touch, sleeps or is restored") {
    WorldSettings settings = contact_settings({});
    settings.sleep.enabled = true;
    std::vector<BodyId> bodies;
    World world = columns(4, 10, settings, bodies);
    const BodyDesc aside = cube({0.6, 11.0, 0.6}); // falls onto them later
    const BodyId late = world.create_body(aside);
    WorldSnapshot saved;
    std::vector<Contact> behind;
    const auto weigh = [&] { // N, that contacts hold up
        double weight = 0.0;
        for (const Contact& contact : world.contacts()) {
            const bool is_first = world.body(contact.body_a).motion() != MotionType::Dynamic;
            const bool is_second = world.body(contact.body_b).motion() != MotionType::Dynamic;
            weight += is_first ? -contact.force.y : is_second ? contact.force.y : 0.0;
        }
        return weight;
    };
    int frame = 0;
    const auto asleep = [&] {
        return std::ranges::all_of(world.islands(), [](const IslandView& island) { return island.asleep; });
    };
    for (; frame < 1500 && !asleep(); ++frame) {
        world.advance(kFrame);
        if (frame == 30) {
            saved = world.snapshot();
        }
        if (frame == 60) {
            behind.assign(world.contacts().begin(), world.contacts().end());
        }
    }
    REQUIRE(asleep());
    const double weight = weigh();
    world.advance(kFrame);
    CHECK(weigh() == weight);
    CHECK_FALSE(world.contacts(late).empty());
    world.restore(saved);
    for (int i = 31; i <= 60; ++i) {
        world.advance(kFrame);
    }
    REQUIRE(world.contacts().size() == behind.size());
    for (std::size_t i = 0; i < behind.size(); ++i) {
        CHECK(world.contacts()[i].point == behind[i].point);
        CHECK(world.contacts()[i].force == behind[i].force);
    }
}

TEST_CASE("piles: an edit of a material, a shape or a mass reaches a pile at rest at once") {
    std::vector<BodyId> bodies;
    World world = columns(4, 10, contact_settings({}), bodies);
    for (int frame = 0; frame < 240; ++frame) {
        world.advance(kFrame);
    }
    const auto force_on_ground = [&](BodyId body) {
        double force = 0.0;
        for (const Contact& contact : world.contacts(body)) {
            const bool is_on_ground = contact.body_a == world.bodies()[0] || contact.body_b == world.bodies()[0];
            force += is_on_ground && std::abs(contact.normal.y) > 0.9 ? std::abs(contact.force.y) : 0.0;
        }
        return force;
    };
    CHECK(force_on_ground(bodies[0]) == doctest::Approx(10 * kGravity).epsilon(0.02));
    Body top = world.body(bodies[144]); // that of the same column
    top.set_shape(Box{{0.5, 0.7, 0.5}}, 5.0);
    for (int frame = 0; frame < 120; ++frame) {
        world.advance(kFrame);
    }
    CHECK(force_on_ground(bodies[0]) == doctest::Approx(14 * kGravity).epsilon(0.02));
    CHECK(top.pose().position.y == doctest::Approx(9.7).epsilon(0.003));

    Material belt = kRough;
    belt.surface_velocity = {0.5, 0.0, 0.0};
    world.body(bodies[128]).set_material(belt); // the one below
    for (int frame = 0; frame < 30; ++frame) {
        world.advance(kFrame);
    }
    CHECK(top.linear_velocity().x > 0.1);
}

TEST_CASE("piles: a pile sleeps, and wakes when what carries it goes") {
    WorldSettings settings = contact_settings({});
    settings.sleep.enabled = true;
    std::vector<BodyId> bodies;
    World world = columns(4, 10, settings, bodies);
    int frame = 0;
    const auto asleep = [&] {
        return std::ranges::all_of(world.islands(), [](const IslandView& island) { return island.asleep; });
    };
    for (; frame < 1200 && !asleep(); ++frame) {
        world.advance(kFrame);
    }
    MESSAGE("slept after " << frame);
    REQUIRE(asleep());
    const double before = world.body(bodies[16]).pose().position.y;
    world.destroy_body(bodies[0]);
    for (int i = 0; i < 30; ++i) {
        world.advance(kFrame);
    }
    CHECK(world.body(bodies[16]).pose().position.y < before - 0.3);
}

TEST_CASE("piles: columns sink as deep at any frame rate, and when that changes from frame to frame") {
    for (const double fps : {4.0, 10.0, 24.0, 30.0, 60.0}) {
        CAPTURE(fps);
        std::vector<BodyId> bodies;
        World world = columns(4, 10, contact_settings({}), bodies);
        const int frames = static_cast<int>(std::lround(4.0 * fps));
        for (int frame = 0; frame < frames; ++frame) {
            REQUIRE(world.advance((1.0 + 0.2 * (frame % 3 - 1)) / fps).status == StepStatus::ReachedTarget);
        }
        REQUIRE(has_regime(world, IslandRegime::Soft));
        double sink = 0.0;
        for (std::size_t i = bodies.size() - 16; i < bodies.size(); ++i) {
            sink = std::max(sink, 9.5 - world.body(bodies[i]).pose().position.y);
        }
        MESSAGE("sink " << sink << " m");
        CHECK(sink <= 7.5e-3);
        CHECK(fastest(world, bodies) <= 0.03);
    }
}

TEST_CASE("piles: where frames jitter by a fifth, or one in fifty is four times as long, columns rest and sleep") {
    for (const double fps : {60.0, 240.0}) {
        for (const bool stalls : {false, true}) {
            CAPTURE(fps);
            CAPTURE(stalls);
            WorldSettings settings = contact_settings({});
            settings.sleep.enabled = true;
            std::vector<BodyId> bodies;
            World world = columns(4, 10, settings, bodies);
            std::mt19937 random(7);
            std::uniform_real_distribution<double> length(0.8, 1.2);
            const auto asleep = [&] {
                return std::ranges::all_of(world.islands(), [](const IslandView& island) { return island.asleep; });
            };
            double t = 0.0;
            for (int frame = 0; t < 20.0 && !asleep(); ++frame) {
                const double dt = (stalls && frame % 50 == 49 ? 4.0 : length(random)) / fps;
                REQUIRE(world.advance(dt).status == StepStatus::ReachedTarget);
                t += dt;
            }
            MESSAGE("slept after " << t << " s");
            CHECK(asleep());
        }
    }
}

TEST_CASE(
    "piles: a wall rests and sleeps behind shorter frames, among them and beside stalls, and with a small budget" *
    doctest::skip(kSanitized)) { // thousands of steps of a wall
    struct Frames {
        std::vector<double> first;   // s
        double for_so_long;          // s
        std::vector<double> in_turn; // s
        int budget = 0;
    };
    const double most = 1e9; // s
    std::vector<double> stalling(20, kFrame / 4.0);
    stalling.back() = kFrame;
    for (const Frames& frames :
         {Frames{{1.0 / 240.0}, 2.0, {kFrame}}, Frames{{0.8 * kFrame}, 1e-3, {kFrame}},
          Frames{{1.0 / 75.0}, 2.0, {kFrame}}, Frames{{kFrame, kFrame / 1.5}, most, {}},
          Frames{{kFrame, kFrame / 2.0}, most, {}}, Frames{{kFrame / 2.0, kFrame}, most, {}},
          Frames{{kFrame, kFrame, kFrame / 3.0}, most, {}}, Frames{{kFrame, kFrame / 4.0}, most, {}},
          Frames{{1.0 / 30.0, 1.0 / 144.0}, most, {}}, Frames{stalling, most, {}}, Frames{{1.0 / 30.0}, most, {}, 50},
          Frames{{kFrame, kFrame / 2.0}, most, {}, 4}}) {
        CAPTURE(frames.first.front());
        CAPTURE(frames.first.back());
        WorldSettings settings = contact_settings({});
        settings.sleep.enabled = true;
        settings.integrator.budget = frames.budget;
        std::vector<BodyId> bodies;
        World world = brick_wall(20, settings, bodies);
        const auto asleep = [&] {
            return std::ranges::all_of(world.islands(), [](const IslandView& island) { return island.asleep; });
        };
        double t = 0.0;
        for (std::size_t frame = 0; t < 20.0 && !asleep(); ++frame) {
            const std::vector<double>& now = t < frames.for_so_long ? frames.first : frames.in_turn;
            const double dt = now[frame % now.size()];
            REQUIRE(world.advance(dt).status == StepStatus::ReachedTarget);
            t += dt;
        }
        MESSAGE("slept after " << t << " s");
        CHECK(asleep());
        CHECK(world.body(bodies.back()).pose().position.y > 19.4);
    }
}

TEST_CASE("piles: at ten frames a second cubes that fall get as deep as at sixty, and nobody is lost" *
          doctest::skip(kSanitized)) {
    const auto deepest_of = [](int fps) {
        World world(contact_settings({}));
        add_trench(world, 6.0, kRough);
        std::vector<BodyId> bodies;
        std::mt19937 random(5);
        std::uniform_real_distribution<double> number(-1.0, 1.0);
        for (int i = 0; i < 180; ++i) {
            BodyDesc desc = cube({1.9 * (i % 6 - 2.5), 1.2 + 1.9 * (i / 36), 1.9 * (i / 6 % 6 - 2.5)});
            desc.pose.orientation =
                glm::normalize(glm::dquat(number(random), number(random), number(random), number(random)));
            bodies.push_back(world.create_body(desc));
        }
        double deepest = 0.0;
        for (int frame = 0; frame < 5 * fps; ++frame) {
            const StepReport report = world.advance(1.0 / fps);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            deepest = std::max(deepest, report.velocity_steps.deepest_penetration);
        }
        CHECK(lowest(world, bodies) > 0.0);
        return deepest;
    };
    const double at_sixty = deepest_of(60);
    const double at_ten = deepest_of(10);
    MESSAGE("deepest " << at_sixty << " m at sixty frames a second, " << at_ten << " m at ten");
    CHECK(at_ten <= 1.3 * at_sixty);
}

TEST_CASE("piles: columns that fall past one another make each step once, however their balls meet unexpectedly") {
    for (const int rate : {60, 240}) {
        CAPTURE(rate);
        World world(contact_settings({}));
        add_trench(world, 3.0, kRough);
        std::mt19937 random(5);
        std::uniform_real_distribution<double> aside(-0.05, 0.05);
        for (int i = 0; i < 160; ++i) { // with air between, so that each column is held up from below at its own time
            const glm::dvec3 cell(i % 4 - 1.5, i / 16 + 0.5, i / 4 % 4 - 1.5);
            world.create_body(cube(1.2 * cell + glm::dvec3(aside(random), aside(random), aside(random))));
        }
        int repeated = 0;
        for (int i = 0; i < rate; ++i) {
            const StepReport report = world.advance(1.0 / rate);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            repeated += report.evaluations > static_cast<std::int64_t>(world.islands().size()) ? 1 : 0;
        }
        MESSAGE(repeated << " of " << rate << " steps were made again");
        CHECK(repeated == 0);
    }
}
