// Settings of single bodies, how islands combine them, and how a world's budget is divided.
#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "islands/island_settings.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

BodyId add_top(World& world, double x, const std::optional<IntegratorSettings>& settings = {}) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.collides = false;
    desc.shape = Box{{0.1, 0.2, 0.3}};
    desc.pose.position = {x, 0.0, 0.0};
    desc.angular_velocity = {1.0, 5.0, 0.5};
    desc.integrator = settings;
    return world.create_body(desc);
}

std::uint64_t run(World& world, int frames) {
    for (int frame = 0; frame < frames; ++frame) {
        world.advance(kFrame);
    }
    return world.hash();
}

} // namespace

TEST_CASE("a body with settings of its own moves to the bit as in a world with these settings") {
    World mixed({.integrator = adaptive(1e-7, Boundary::RunAhead)});
    const BodyId own = add_top(mixed, 0.0, fixed("rk4", 3));
    const BodyId other = add_top(mixed, 2.0);
    World all_own({.integrator = fixed("rk4", 3)});
    const BodyId first = add_top(all_own, 0.0);
    World all_other({.integrator = adaptive(1e-7, Boundary::RunAhead)});
    const BodyId second = add_top(all_other, 2.0);
    for (World* world : {&mixed, &all_own, &all_other}) {
        run(*world, 50);
    }
    CHECK(mixed.pose(own).orientation == all_own.pose(first).orientation);
    CHECK(mixed.pose(other).orientation == all_other.pose(second).orientation);
    CHECK(mixed.islands()[0].method->name == "rk4");
    CHECK(mixed.islands()[0].report.evaluations == 12);
    CHECK(mixed.islands()[1].method->name == "cash_karp54");

    mixed.body(own).set_integrator(std::nullopt);
    CHECK(mixed.islands()[0].method->name == "cash_karp54");
    CHECK_FALSE(mixed.body(own).integrator());
}

TEST_CASE("where bodies differ, the highest order wins, then the row of the table, with the smallest limits") {
    IntegratorSettings low = fixed("rk4", 3);
    low.atol = 1e-10;
    low.budget = 500;
    IntegratorSettings high = adaptive(1e-6, Boundary::RunAhead);
    high.rtol = 1e-7;
    high.h_max = 0.01;
    World world({.integrator = fixed("heun2", 9)});
    const BodyId a = add_top(world, 0.0, low);
    const BodyId b = add_top(world, 1.0, high);
    const BodyId c = add_top(world, 2.0);
    world.create_joint(ball(world, a, b, {0.5, 0.0, 0.0}));
    world.create_joint(ball(world, b, c, {1.5, 0.0, 0.0}));
    REQUIRE(world.island_count() == 1);
    const IntegratorSettings& settings = *world.islands()[0].settings;
    CHECK(settings.method == "cash_karp54");
    CHECK(settings.atol == 1e-10);
    CHECK(settings.rtol == 1e-8); // the world's
    CHECK(settings.budget == 500);
    CHECK(settings.h_max == 0.01);
    CHECK(settings.boundary == Boundary::Exact);

    // Equal orders, in either order of creation.
    const auto order_of = [](std::string_view name) { return find_method(name)->order; };
    REQUIRE(order_of("cash_karp54") == order_of("dormand_prince54"));
    std::string_view first;
    for (const IntegrationMethod* method : method_catalogue()) {
        if (first.empty() && (method->info().name == "cash_karp54" || method->info().name == "dormand_prince54")) {
            first = method->info().name;
        }
    }
    IntegratorSettings peer = high;
    peer.method = "dormand_prince54";
    world.body(a).set_integrator(peer);
    CHECK(world.islands()[0].method->name == first);
    world.body(a).set_integrator(high);
    world.body(b).set_integrator(peer);
    CHECK(world.islands()[0].method->name == first);
}

TEST_CASE("at its scheduled stop a body stands still, while the world goes on") {
    for (const IntegratorSettings& each :
         {fixed("rk4", 2), adaptive(1e-9, Boundary::Exact), adaptive(1e-9, Boundary::RunAhead)}) {
        for (const double stop : {3.0 * kFrame, 3.4 * kFrame}) {
            CAPTURE(each.method);
            CAPTURE(each.boundary);
            CAPTURE(stop);
            IntegratorSettings settings = each;
            settings.t_stop = stop;
            World world({.integrator = each});
            const BodyId stops = add_top(world, 0.0, settings);
            const BodyId falls = add_top(world, 2.0);
            const auto height = [&](BodyId body) { return world.body(body).centre_of_mass().y; };
            for (int frame = 0; frame < 8; ++frame) {
                const StepReport report = world.advance(kFrame);
                CHECK(report.status == (world.time() > stop ? StepStatus::ReachedStop : StepStatus::ReachedTarget));
                const double t = std::min(world.time(), stop);
                CHECK(std::abs(height(stops) + 4.9 * t * t) < 1e-12); // of parabolas every method leaves round-off
                CHECK(std::abs(height(falls) + 4.9 * world.time() * world.time()) < 1e-12);
            }
            // Without the stop it goes on with the velocity that it had.
            const double v = -9.8 * stop;
            const double y = height(stops);
            world.body(stops).set_integrator({});
            for (int frame = 0; frame < 6; ++frame) {
                CHECK(world.advance(kFrame).status == StepStatus::ReachedTarget);
            }
            CHECK(std::abs(height(stops) - (y + v * 0.1 - 4.9 * 0.01)) < 1e-12);
        }
    }
}

TEST_CASE("bad settings of a body are refused and change nothing") {
    World world;
    const BodyId body = add_top(world, 0.0, fixed("rk4", 3));
    run(world, 3);
    IntegratorSettings bad;
    bad.atol = -1.0;
    const std::uint64_t before = world.snapshot().hash();
    CHECK_THROWS_AS(world.body(body).set_integrator(bad), std::invalid_argument);
    CHECK_THROWS_AS(add_top(world, 1.0, bad), std::invalid_argument);
    CHECK(world.bodies().size() == 1);
    CHECK(world.snapshot().hash() == before);
    CHECK(world.body(body).integrator()->method == "rk4");
}

TEST_CASE("a snapshot from before a change of a body's settings or mass restores across it") {
    World world({.integrator = adaptive(1e-7, Boundary::RunAhead)});
    const BodyId body = add_top(world, 0.0);
    add_chain(world, 2);
    run(world, 20);
    const WorldSnapshot before = world.snapshot();
    const std::uint64_t there = run(world, 20);
    world.restore(before);
    world.body(body).set_integrator(fixed("rk4", 1));
    world.body(world.bodies()[1]).set_shape(Sphere{0.2}, 3.0);
    CHECK(run(world, 20) != there);
    CHECK_THROWS_AS(world.restore({before.bytes, nullptr}), std::invalid_argument);
    world.restore(before);
    CHECK(run(world, 20) == there);
}

TEST_CASE("a new mass keeps the motion of every point, and the future is that of a body made so") {
    World world({.integrator = adaptive(1e-10, Boundary::Exact)});
    BodyDesc desc;
    desc.collides = false;
    desc.shape = Box{{0.3, 0.2, 0.1}};
    desc.pose.position = {0.5, 0.2, 0.0};
    desc.angular_velocity = {1.0, 2.0, 3.0};
    desc.mass = 1.0;
    const BodyId body = world.create_body(desc);
    world.create_joint(ball(world, kGround, body, {0.0, 0.0, 0.0}));
    run(world, 20);
    const Pose pose = world.pose(body);
    const glm::dvec3 here = world.body(body).velocity_at({1.0, 2.0, 3.0});
    const Pose earlier = world.sample(body, world.time() - 0.4 * kFrame);
    const MassProperties heavier{3.0, {0.1, 0.0, 0.05}, glm::dmat3(0.4)};
    world.body(body).set_mass_properties(heavier);
    CHECK(glm::length(world.pose(body).position - pose.position) < 1e-14);
    CHECK(glm::length(world.body(body).velocity_at({1.0, 2.0, 3.0}) - here) < 1e-13);
    CHECK(world.body(body).mass_properties().mass == 3.0);
    // Samples inside the last step still are what they were, to the error of the cubic.
    CHECK(glm::length(world.sample(body, world.time() - 0.4 * kFrame).position - earlier.position) < 1e-5);

    World made({.integrator = adaptive(1e-10, Boundary::Exact)});
    desc.mass.reset();
    desc.mass_properties = heavier;
    desc.pose = world.pose(body);
    desc.linear_velocity = world.body(body).linear_velocity();
    desc.angular_velocity = world.body(body).angular_velocity();
    const BodyId twin = made.create_body(desc);
    made.create_joint(ball(made, kGround, twin, {0.0, 0.0, 0.0}));
    run(world, 60);
    run(made, 60);
    // The same motion, but for the remembered step: a second at a local error of 1e-10.
    CHECK(glm::length(world.pose(body).position - made.pose(twin).position) < 1e-7);
    CHECK(worst_joint_error(world) < 1e-12);
    CHECK_THROWS_AS(world.body(body).set_shape(Sphere{0.1}, -1.0), std::invalid_argument);
    CHECK(world.body(body).mass_properties().mass == 3.0);
}

TEST_CASE("shares of a budget never add up to more than it, and hunger gets more") {
    std::uint64_t random = 88172645463325252u; // xorshift64, Marsaglia 2003
    const auto below = [&](std::int64_t limit) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return static_cast<std::int64_t>(random % static_cast<std::uint64_t>(limit));
    };
    for (int i = 0; i < 10000; ++i) {
        const std::int64_t budget = 1 + below(2147483647);
        detail::SharedBudget shared(budget);
        std::vector<std::size_t> bodies;
        std::vector<std::int64_t> demands;
        for (std::int64_t n = 1 + below(20); n > 0; --n) {
            bodies.push_back(static_cast<std::size_t>(1 + below(100)));
            demands.push_back(below(5) == 0 ? 0 : below(2147483647));
            shared.claim(bodies.back(), demands.back());
        }
        std::int64_t spent = 0;
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            const std::int64_t share = shared.share(bodies[k], demands[k]);
            REQUIRE(share >= 0);
            spent += share * static_cast<std::int64_t>(bodies[k]);
        }
        REQUIRE(spent <= budget);
    }
    detail::SharedBudget shared(100);
    shared.claim(1, 30);
    shared.claim(1, 10);
    CHECK(shared.share(1, 30) > shared.share(1, 10));
}

TEST_CASE("a world's budget bounds evaluations times bodies, and goes where it is needed") {
    for (const int threads : {1, 4}) {
        World world({.integrator = adaptive(1e-9, Boundary::Exact), .shared_budget = 200, .threads = threads});
        BodyDesc fast;
        fast.mass = 1.0;
        fast.collides = false;
        fast.shape = Box{{0.1, 0.2, 0.3}};
        fast.angular_velocity = {30.0, 20.0, 10.0};
        world.create_body(fast);
        add_chain(world, 3);
        for (int i = 0; i < 3; ++i) {
            add_top(world, 10.0 + i);
        }
        for (int frame = 0; frame < 60; ++frame) {
            world.advance(kFrame);
            std::int64_t spent = 0;
            for (const IslandView& island : world.islands()) {
                spent += island.report.evaluations * static_cast<std::int64_t>(island.bodies.size());
            }
            REQUIRE(spent <= 200);
        }
        const std::vector<IslandView> islands = world.islands();
        CHECK(islands[0].report.evaluations > 2 * islands[2].report.evaluations);
    }
    World starved({.integrator = adaptive(1e-9, Boundary::Exact), .shared_budget = 2});
    add_top(starved, 0.0);
    add_chain(starved, 3);
    const StepReport report = starved.advance(kFrame);
    CHECK(report.status == StepStatus::BudgetExhausted);
    CHECK(report.evaluations <= 2);
    CHECK(report.simulated == 0.0);
    CHECK(starved.time() == kFrame); // lost, and said
    CHECK_THROWS_AS(World({.shared_budget = -1}), std::invalid_argument);
}
