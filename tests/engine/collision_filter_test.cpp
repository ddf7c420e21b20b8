// Which bodies touch: filters, joints that let their ends meet, and how surfaces combine; gravity factors.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kFall = 9.81; // m/s^2

WorldSettings falling(const char* method) {
    WorldSettings settings;
    settings.gravity = {0.0, -kFall, 0.0};
    settings.integrator = to_tolerance(method, 1e-10);
    return settings;
}

BodyId add_table(World& world, const CollisionFilter& filter) {
    BodyDesc table;
    table.motion = MotionType::Static;
    table.shape = Box{{2.0, 0.5, 2.0}};
    table.pose.position = {0.0, -0.5, 0.0};
    table.filter = filter;
    return world.create_body(table);
}

BodyDesc ball_above(double height, const CollisionFilter& filter) {
    BodyDesc ball;
    ball.shape = Sphere{0.1};
    ball.mass = 2.0;
    ball.pose.position = {0.0, 0.1 + height, 0.0};
    ball.filter = filter;
    return ball;
}

double height_of(const World& world, BodyId id) { return world.pose(id).position.y - 0.1; }

} // namespace

TEST_CASE("filters: two bodies touch where each is a member of what the other collides with") {
    struct Case {
        CollisionFilter table;
        CollisionFilter ball;
        bool touch;
    };
    const std::uint64_t all = ~std::uint64_t{0};
    const std::uint64_t last = std::uint64_t{1} << 63;
    for (const Case& each :
         {Case{{}, {}, true}, Case{{.member_of = 2}, {}, true}, Case{{1, all}, {2, 1}, true},
          Case{{1, 2}, {2, 1}, true}, Case{{1, 1}, {2, all}, false}, Case{{1, all}, {2, 2}, false},
          Case{{last, last}, {last, last}, true}, Case{{last, all}, {1, ~last}, false}, Case{{0, all}, {1, all}, false},
          Case{{1, all}, {1, 0}, false}, Case{{6, all}, {1, 4}, true}}) {
        CAPTURE(each.table.member_of);
        CAPTURE(each.table.collides_with);
        CAPTURE(each.ball.member_of);
        CAPTURE(each.ball.collides_with);
        World world(falling("cash_karp54"));
        add_table(world, each.table);
        const BodyId ball = world.create_body(ball_above(0.05, each.ball));
        advance_and_watch(world, 60);
        if (each.touch) {
            CHECK(std::abs(height_of(world, ball)) < 1e-6);
        } else {
            CHECK(std::abs(height_of(world, ball) - (0.05 - 0.5 * kFall)) < 1e-9);
        }
        CHECK(world.contacts(ball).empty() != each.touch);
    }
}

TEST_CASE("filters: an edit lets go what rests, asleep too, and holds again what comes back") {
    for (const bool sleeps : {false, true}) {
        CAPTURE(sleeps);
        WorldSettings settings = falling("cash_karp54");
        settings.sleep.enabled = sleeps;
        World world(settings);
        const BodyId table = add_table(world, {});
        const BodyId ball = world.create_body(ball_above(0.0, {}));
        const BodyId other = world.create_body([] {
            BodyDesc desc = ball_above(0.0, {});
            desc.pose.position.x = 1.0;
            return desc;
        }());
        advance_and_watch(world, 120);
        REQUIRE(std::abs(height_of(world, ball)) < 1e-9);
        CHECK(world.body(ball).filter() == CollisionFilter{});
        world.body(ball).set_filter({.member_of = 2, .collides_with = 2});
        advance_and_watch(world, 6);
        CHECK(std::abs(height_of(world, ball) + 0.5 * kFall * 0.01) < 1e-9);
        CHECK(std::abs(height_of(world, other)) < 1e-9);
        CHECK(world.contacts(ball).empty());
        world.body(table).set_filter({.member_of = 3, .collides_with = 3});
        world.body(ball).set_pose({{0.0, 0.6, 0.0}});
        world.body(ball).set_linear_velocity(glm::dvec3(0.0));
        advance_and_watch(world, 120);
        CHECK(std::abs(height_of(world, ball)) < 1e-6);
        CHECK(std::abs(height_of(world, other)) < 1e-6);
    }
}

TEST_CASE("filters: what a joint connects touches only where the joint says so") {
    for (const bool collide : {false, true}) {
        CAPTURE(collide);
        World world(falling("dormand_prince853"));
        const BodyId table = add_table(world, {});
        const BodyId ball = world.create_body(ball_above(0.2, {}));
        JointDesc joint = slider(world, table, ball, {0.0, 0.3, 0.0}, {0.0, 1.0, 0.0});
        joint.collide_connected = collide;
        world.create_joint(joint);
        advance_and_watch(world, 60);
        CHECK(std::abs(height_of(world, ball) - (collide ? 0.0 : 0.2 - 0.5 * kFall)) < 1e-6);
    }
}

TEST_CASE("gravity factors: each body feels its own share, alone, in an island and at rest") {
    for (const char* const method : {"rk4", "cash_karp54", "dormand_prince853", "symplectic_euler"}) {
        for (const double factor : {-0.5, 0.0, 1.0, 3.0}) {
            CAPTURE(method);
            CAPTURE(factor);
            World world(falling(method));
            BodyDesc desc = ball_above(10.0, {});
            desc.gravity_factor = factor;
            const BodyId body = world.create_body(desc);
            CHECK(world.body(body).gravity_factor() == factor);
            const double energy = world.energy().total();
            for (int frame = 0; frame < 60; ++frame) {
                world.advance(kFrame);
            }
            const bool is_first_order = std::string_view(method) == "symplectic_euler";
            const double tolerance = is_first_order ? 0.1 : 1e-9;
            CHECK(std::abs(height_of(world, body) - (10.0 - 0.5 * factor * kFall)) <
                  std::abs(factor) * tolerance + 1e-12);
            CHECK(std::abs(world.energy().total() - energy) < (is_first_order ? 5.0 * factor * factor + 1e-9 : 1e-7));
            // Changed in flight: from then on.
            const double speed = world.body(body).linear_velocity().y;
            world.body(body).set_gravity_factor(2.0);
            world.advance(0.5);
            CHECK(std::abs(world.body(body).linear_velocity().y - (speed - kFall)) < 1e-9);
        }
    }
    // What rests presses by its share.
    World world(falling("cash_karp54"));
    add_table(world, {});
    BodyDesc desc = ball_above(0.0, {});
    desc.gravity_factor = 3.0;
    const BodyId ball = world.create_body(desc);
    advance_and_watch(world, 60);
    REQUIRE(world.contacts(ball).size() == 1);
    CHECK(std::abs(std::abs(world.contacts(ball)[0].force.y) - 3.0 * 2.0 * kFall) < 1e-9);
    world.body(ball).set_gravity_factor(-1.0);
    advance_and_watch(world, 60);
    CHECK(std::abs(height_of(world, ball) - 0.5 * kFall) < 1e-6);
    CHECK_THROWS_WITH_AS(world.body(ball).set_gravity_factor(std::numeric_limits<double>::infinity()),
                         "The gravity factor is inf; it must be finite.", std::invalid_argument);
    CHECK(world.body(ball).gravity_factor() == -1.0);
}

TEST_CASE("filters and gravity factors go back with a snapshot from before their edits") {
    World world(falling("cash_karp54"));
    add_table(world, {});
    const BodyId lower = world.create_body(ball_above(0.0, {}));
    const BodyId upper = world.create_body(ball_above(0.2, {}));
    advance_and_watch(world, 30);
    const WorldSnapshot snapshot = world.snapshot();
    const std::uint64_t hash = world.hash();
    world.body(upper).set_filter({.member_of = 2, .collides_with = 2});
    world.body(lower).set_gravity_factor(-1.0);
    CHECK(world.hash() != hash);
    advance_and_watch(world, 30);
    REQUIRE(height_of(world, upper) < -0.1);
    REQUIRE(height_of(world, lower) > 0.1);
    world.restore(snapshot);
    CHECK(world.hash() == hash);
    CHECK(world.body(upper).filter() == CollisionFilter{});
    CHECK(world.body(lower).gravity_factor() == 1.0);
    advance_and_watch(world, 30);
    CHECK(std::abs(height_of(world, lower)) < 1e-6);
    CHECK(std::abs(height_of(world, upper) - 0.2) < 1e-6);
}

TEST_CASE("surfaces: of two rules the earlier one is taken, for friction and restitution each") {
    const std::array rules{CombineRule::Average, CombineRule::Minimum, CombineRule::Maximum, CombineRule::Multiply};
    const std::array expected{0.5, 0.4, 0.6, 0.24};
    for (std::size_t i = 0; i < rules.size(); ++i) {
        for (std::size_t k = 0; k < rules.size(); ++k) {
            const Material a{.friction = 0.4,
                             .static_friction = 0.8,
                             .restitution = 0.6,
                             .friction_combine = rules[i],
                             .restitution_combine = rules[k]};
            const Material b{.friction = 0.6,
                             .restitution = 0.4,
                             .friction_combine = CombineRule::Multiply,
                             .restitution_combine = CombineRule::Multiply};
            for (const SurfacePair& pair : {combine(a, b), combine(b, a)}) {
                CHECK(pair.friction == doctest::Approx(expected[i]).epsilon(1e-15));
                CHECK(pair.restitution == doctest::Approx(expected[k]).epsilon(1e-15));
                CHECK(pair.static_friction >= pair.friction);
            }
        }
    }
    CHECK(combine({.friction = 0.2}, {.friction = 0.6}).friction == doctest::Approx(0.4).epsilon(1e-15));
    World world(falling("cash_karp54"));
    BodyDesc desc = ball_above(0.0, {});
    desc.material.friction_combine = static_cast<CombineRule>(7);
    CHECK_THROWS_WITH_AS(
        world.create_body(desc),
        "The combine rule of a material is number 7; it must be Average, Minimum, Maximum or Multiply.",
        std::invalid_argument);
}
