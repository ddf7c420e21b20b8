// Islands of some bodies that touch, which convex steps make. The solver alone is tested in convex_step_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pile_worlds.h"

using namespace engine_tests;

namespace {

/// Cubes of 1 m on one another, set down where they touch.
World tower(int high, const WorldSettings& settings, std::vector<BodyId>& bodies) {
    World world(settings);
    add_ground(world, kRough);
    for (int i = 0; i < high; ++i) {
        bodies.push_back(world.create_body(cube({0.0, 0.5 + i, 0.0})));
    }
    return world;
}

double sink(const World& world, const std::vector<BodyId>& bodies) {
    return static_cast<double>(bodies.size()) - 0.5 - world.body(bodies.back()).pose().position.y;
}

} // namespace

TEST_CASE("convex piles: towers of ten, forty and a hundred stand, and hardly sink") {
    struct Case {
        int high;
        double sink;  // m
        double speed; // m/s
    };
    for (const Case& each : {Case{10, 1e-4, 1e-6}, Case{40, 1.5e-3, 1e-2}, Case{100, 1e-2, 1e-2}}) {
        CAPTURE(each.high);
        std::vector<BodyId> bodies;
        World world = tower(each.high, contact_settings({}), bodies);
        StepReport last;
        for (int frame = 0; frame < 300; ++frame) {
            last = world.advance(kFrame);
            REQUIRE(last.status == StepStatus::ReachedTarget);
        }
        CHECK(world.islands()[0].regime == IslandRegime::ConvexStep);
        CHECK(world.islands()[0].handed_over);
        CHECK(last.order == 1);
        CHECK_FALSE(last.degraded);
        MESSAGE(each.high << ": sinks " << sink(world, bodies) << " m, fastest " << fastest(world, bodies));
        CHECK(sink(world, bodies) > 0.0);
        CHECK(sink(world, bodies) <= each.sink);
        CHECK(fastest(world, bodies) <= each.speed);
        double weight = 0.0;
        for (const Contact& contact : world.contacts()) {
            weight += contact.body_a == world.bodies()[0] || contact.body_b == world.bodies()[0]
                          ? std::abs(contact.force.y)
                          : 0.0;
        }
        CHECK(weight == doctest::Approx(each.high * kGravity).epsilon(0.01));
    }
}

TEST_CASE("convex piles: a tower of a hundred does not buckle") {
    std::vector<BodyId> bodies;
    World world = tower(100, contact_settings({}), bodies);
    const auto aside = [&] {
        const glm::dvec3 top = world.body(bodies.back()).pose().position;
        return std::hypot(top.x, top.z);
    };
    double early = 0.0;
    double late = 0.0;
    for (int frame = 0; frame < 2400; ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        (frame < 1200 ? early : late) = std::max(frame < 1200 ? early : late, aside());
    }
    MESSAGE("top aside by " << early << " m, then by " << late);
    CHECK(late <= 0.02); // softer contacts, of 3/5 of the stiffness, let it lean by 0.9 m
}

TEST_CASE("convex piles: a tower stands where it stood at any frame rate, and when that changes from frame to frame") {
    std::vector<BodyId> bodies;
    World world = tower(10, contact_settings({}), bodies);
    double fastest_ever = 0.0;
    const auto advance = [&](double dt, int frames) {
        for (int frame = 0; frame < frames; ++frame) {
            REQUIRE(world.advance(dt).status == StepStatus::ReachedTarget);
            fastest_ever = std::max(fastest_ever, fastest(world, bodies));
        }
    };
    advance(kFrame, 60);
    const double sunk = sink(world, bodies);
    fastest_ever = 0.0;
    advance(1.0 / 240.0, 240);
    CHECK(sink(world, bodies) == doctest::Approx(sunk).epsilon(0.02));
    for (int i = 0; i < 60; ++i) {
        advance(i % 3 == 0 ? 1.0 / 50.0 : 1.0 / 144.0, 1);
    }
    advance(0.1, 10);
    advance(kFrame, 30);
    MESSAGE("fastest " << fastest_ever);
    CHECK(fastest_ever <= 0.03);
    CHECK(sink(world, bodies) <= 2e-4);
}

TEST_CASE("convex piles: a mess has the same bits on two threads, and behind restores while it falls") {
    const auto make = [](int threads) {
        WorldSettings settings = contact_settings({});
        settings.threads = threads;
        std::vector<BodyId> bodies;
        return mess(40, settings, bodies);
    };
    check_same_bits(make(1), make(2), make(1), 90);
}

TEST_CASE("convex piles: a mess comes to rest, nobody is lost, and the ledger closes") {
    WorldSettings settings = contact_settings({});
    settings.energy_ledger = true;
    std::vector<BodyId> bodies;
    World world = mess(60, settings, bodies, false); // balls would roll on
    bool was_convex = false;
    Watched seen;
    for (int frame = 0; frame < 600; ++frame) {
        const Watched now = advance_and_watch(world, 1);
        seen.arrived = seen.arrived && now.arrived;
        seen.deepest = frame < 30 ? 0.0 : std::max(seen.deepest, now.deepest); // they begin in one another
        was_convex = was_convex || has_regime(world, IslandRegime::ConvexStep);
    }
    CHECK(seen.arrived);
    CHECK(was_convex);
    CHECK(lowest(world, bodies) > 0.19);
    const double speed = fastest(world, bodies);
    MESSAGE("fastest " << speed << " deepest " << seen.deepest);
    CHECK(speed <= 1e-3);
    CHECK(seen.deepest <= 5e-3);
    const EnergyLedger ledger = world.energy_ledger();
    const double taken = -(ledger.friction + ledger.restitution + ledger.overlap);
    MESSAGE("remainder " << ledger.remainder() << " taken " << taken);
    CHECK(taken > 300.0);
    CHECK(std::abs(ledger.remainder()) <= 0.02 * taken);
}

TEST_CASE("convex piles: a row that is hit keeps its order, its momentum, and half a metre a frame is not too fast") {
    // A row of cubes 10 cm apart on ice, hit at 30 m/s: half a metre a frame.
    std::vector<BodyId> bodies;
    World world(contact_settings({}));
    const Material ice{.friction = 0.0, .restitution = 0.0};
    add_ground(world, ice);
    for (int i = 0; i < 8; ++i) {
        BodyDesc desc = cube({1.1 * i, 0.5, 0.0});
        desc.material = ice;
        if (i == 0) {
            desc.pose.position.x = -4.0;
            desc.linear_velocity = {30.0, 0.0, 0.0};
        }
        bodies.push_back(world.create_body(desc));
    }
    double deepest = 0.0;
    for (int frame = 0; frame < 60; ++frame) {
        deepest = std::max(deepest, advance_and_watch(world, 1).deepest);
        for (std::size_t i = 1; i < bodies.size(); ++i) {
            CHECK(world.body(bodies[i]).pose().position.x > world.body(bodies[i - 1]).pose().position.x + 0.9);
        }
    }
    MESSAGE("deepest " << deepest);
    double momentum = 0.0;
    for (const BodyId id : bodies) {
        momentum += world.body(id).linear_velocity().x;
    }
    CHECK(momentum == doctest::Approx(30.0).epsilon(1e-6));
    CHECK(deepest <= 5e-3);
}

TEST_CASE("convex piles: on any budget nobody passes through the floor or a neighbour, and what is cut short says so") {
    for (const int budget : {1, 4, 20, 100}) {
        CAPTURE(budget);
        WorldSettings settings = contact_settings({});
        settings.integrator.budget = budget;
        std::vector<BodyId> bodies;
        World world = mess(30, settings, bodies);
        bool degraded = false;
        for (int frame = 0; frame < 300; ++frame) {
            const StepReport report = world.advance(kFrame);
            REQUIRE(report.status == StepStatus::ReachedTarget);
            degraded = degraded || report.degraded;
        }
        CHECK(degraded);
        CHECK(lowest(world, bodies) > 0.15);
    }
}

TEST_CASE("convex piles: joints hold in a mess, limits and dry friction too, and it comes to rest") {
    WorldSettings settings = contact_settings({});
    settings.energy_ledger = true;
    std::vector<BodyId> bodies;
    std::vector<JointId> joints;
    World world = jointed_mess(60, settings, bodies, joints);
    SeenJoints seen;
    int convex = 0;
    int degraded_at_rest = 0;
    for (int frame = 0; frame < 480; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        degraded_at_rest += frame >= 450 && report.degraded ? 1 : 0;
        convex += has_regime(world, IslandRegime::ConvexStep) ? 1 : 0;
        seen.look_at(world, joints);
    }
    CHECK(convex > 400);
    MESSAGE("gap " << seen.gap << ", beyond limits " << seen.beyond << ", fastest " << fastest(world, bodies));
    CHECK(seen.gap <= 1e-9);
    CHECK(seen.beyond <= 1e-7); // what was passed is pushed back
    CHECK(degraded_at_rest == 0);
    MESSAGE("angles from " << seen.lowest_angle << " to " << seen.highest_angle);
    CHECK(seen.lowest_angle < -0.3); // they are free to turn as far as that
    CHECK(seen.highest_angle > 0.4);
    CHECK(fastest(world, bodies) <= 1e-4);
    CHECK(lowest(world, bodies) > 0.19);
    const EnergyLedger ledger = world.energy_ledger();
    const double taken = -(ledger.friction + ledger.restitution + ledger.overlap);
    MESSAGE("remainder " << ledger.remainder() << " taken " << taken << " joints " << ledger.joints);
    CHECK(std::abs(ledger.remainder()) <= 0.02 * taken);
    CHECK(std::abs(ledger.joints) <= 0.02 * taken);
}

TEST_CASE("convex piles: a mess with joints has the same bits on two threads, and behind restores while it falls") {
    const auto make = [](int threads) {
        WorldSettings settings = contact_settings({});
        settings.threads = threads;
        std::vector<BodyId> bodies;
        std::vector<JointId> joints;
        return jointed_mess(40, settings, bodies, joints);
    };
    check_same_bits(make(1), make(2), make(1), 90);
}

TEST_CASE("convex piles: what is laid on a settled pyramid moves nobody by a tenth of a millimetre") {
    constexpr int kRows = 14;
    std::vector<BodyId> bodies;
    World world(contact_settings({}));
    add_ground(world, kRough);
    for (int row = 0; row < kRows; ++row) {
        for (int i = 0; i < kRows - row; ++i) {
            bodies.push_back(world.create_body(cube({1.05 * i + 0.525 * row, 0.5 + row, 0.0})));
        }
    }
    const auto advance = [&](int frames) {
        double speed = 0.0;
        for (int frame = 0; frame < frames; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            speed = std::max(speed, fastest(world, bodies));
        }
        return speed;
    };
    advance(180);
    CHECK(world.islands()[0].regime == IslandRegime::ConvexStep);
    std::vector<glm::dvec3> before;
    for (const BodyId id : bodies) {
        before.push_back(world.body(id).pose().position);
    }
    world.create_body(cube({0.525 * (kRows - 1), 0.5 + kRows, 0.0}));
    const double speed = advance(60);
    double moved = 0.0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        moved = std::max(moved, glm::length(world.body(bodies[i]).pose().position - before[i]));
    }
    MESSAGE("fastest " << speed << ", moved " << moved);
    CHECK(speed <= 1e-3);
    CHECK(moved <= 1e-4);
}

TEST_CASE("convex piles: a tower that grows cube by cube changes from modes to convex steps without a jolt") {
    std::vector<BodyId> bodies;
    World world = tower(1, contact_settings({}), bodies);
    double speed = 0.0;
    for (int high = 1; high < 12; ++high) {
        for (int frame = 0; frame < 40; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            speed = std::max(speed, fastest(world, bodies));
        }
        CHECK((world.islands()[0].regime == IslandRegime::ConvexStep) == (high > 3)); // twelve points are for modes
        bodies.push_back(world.create_body(cube({0.0, world.body(bodies.back()).pose().position.y + 1.0, 0.0})));
    }
    while (bodies.size() > 2) { // and back
        world.destroy_body(bodies.back());
        bodies.pop_back();
        for (int frame = 0; frame < 40; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            speed = std::max(speed, fastest(world, bodies));
        }
    }
    MESSAGE("fastest " << speed);
    CHECK(speed <= 0.03);
    CHECK(world.islands()[0].regime != IslandRegime::ConvexStep);
}
