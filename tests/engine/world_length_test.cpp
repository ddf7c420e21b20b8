// Worlds of another length: a heap, bounces, sleep, joints are those of a world of 1 m.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "contact_worlds.h"
#include "islands/world_settings.h"
#include "pile_worlds.h"
#include "scaled_worlds.h"

using namespace engine_tests;

namespace {

// Lengths whose roots are powers of two as well: a copy differs in no bit. About 1 um, 1 mm, 64 m and 16 km.
constexpr std::array<double, 4> kExactLengths{0x1p-20, 0x1p-10, 0x1p6, 0x1p14};

// The two ends of them under a sanitizer.
std::vector<double> lengths() {
    return kSanitized ? std::vector{kExactLengths.front(), kExactLengths.back()}
                      : std::vector(kExactLengths.begin(), kExactLengths.end());
}

IntegratorSettings with_method(const std::string& method) {
    IntegratorSettings settings;
    settings.method = method;
    return settings;
}

// 27 balls that fall into a pit, not quite above one another.
World heap(const std::string& method) {
    const Material material{.friction = 0.4, .restitution = 0.3};
    World world(contact_settings(with_method(method)));
    add_trench(world, 0.7, material);
    for (int i = 0; i < 27; ++i) {
        const int x = i % 3 - 1;
        const int z = i / 3 % 3 - 1;
        const int y = i / 9;
        add_sphere(world, {0.42 * x + 0.013 * y, 0.3 + 0.45 * y + 0.01 * x, 0.42 * z - 0.017 * y * x}, 0.2, material);
    }
    return world;
}

// A ball that comes to rest by bounces, another one that slides and rolls meanwhile, and a third one far from both.
World bounces(const std::string& method) {
    const Material material{.friction = 0.3, .restitution = 0.5};
    WorldSettings settings = contact_settings(with_method(method));
    settings.sleep.enabled = true;
    World world(settings);
    add_ground(world, material);
    add_sphere(world, {0.0, 1.0, 0.0}, 0.1, material);
    BodyDesc slides = sphere({2.0, 0.1, 0.0}, 0.1, material);
    slides.linear_velocity = {1.0, 0.0, 0.5};
    world.create_body(slides);
    add_sphere(world, {-3.0, 0.5, 0.0}, 0.1, {.friction = 0.3, .restitution = 0.9});
    return world;
}

// Arms against hard and soft limits, with dry friction; a rope that becomes taut; a slider with a motor; a cone.
World mechanisms(const std::string& method) {
    World world = eventful_world(with_method(method));
    BodyDesc weight;
    weight.mass = 2.0;
    weight.shape = Sphere{0.1};
    weight.collides = false;
    weight.pose.position = {0.0, 5.0, 1.0};
    const BodyId hangs = world.create_body(weight);
    weight.pose.position = {0.4, 5.3, 1.0};
    const BodyId falls = world.create_body(weight);
    world.create_joint(ball(world, kGround, hangs, {0.0, 5.5, 1.0}));
    JointDesc rope_to = rope(world, hangs, falls, {0.0, 5.0, 1.0}, {0.4, 5.3, 1.0});
    rope_to.limits.front().upper *= 1.5;
    world.create_joint(rope_to);
    weight.pose.position = {2.0, 5.0, 1.0};
    const BodyId driven = world.create_body(weight);
    JointDesc along = slider(world, kGround, driven, {2.0, 5.0, 1.0}, {1.0, 0.0, 0.0});
    along.drives = {
        {.axis = JointAxis::Z, .target_position = 0.5, .stiffness = 40.0, .damping = 3.0, .maximum_force = 9.0}};
    along.limits = {{.axis = JointAxis::Z, .upper = 0.4, .restitution = 0.5}};
    along.friction = {{.axis = JointAxis::Z, .dry = 0.5}};
    world.create_joint(along);
    BodyDesc stick;
    stick.mass = 1.0;
    stick.shape = Box{{0.25, 0.0625, 0.125}};
    stick.collides = false;
    stick.pose.position = {5.25, 5.0, 1.0};
    const BodyId swings = world.create_body(stick);
    const ConeTwistLimits cone{.swing = 0.5, .twist_lower = -0.25, .twist_upper = 0.25, .restitution = 0.25};
    world.create_joint(cone_twist(world, kGround, swings, {5.0, 5.0, 1.0}, {1.0, 0.0, 0.0}, cone));
    return world;
}

std::vector<double> figures_in(const Units& units, const World& world, int frames, double frame = 1.0 / 64.0) {
    World copy = scaled(world, units);
    return figures_of(copy, units, frames, frame);
}

// Of a copy in other units and of one in metres.
double difference_of_copies(const World& world, const Units& units, int frames, double frame = 1.0 / 64.0) {
    return difference(figures_in({}, world, frames, frame), figures_in(units, world, frames, frame));
}

// Largest difference of a place from that in metres, in units of the world.
double difference_of_places(const World& world, const Units& units, int frames) {
    World plain = scaled(world, {});
    World copy = scaled(world, units);
    double largest = 0.0;
    for (int i = 0; i < frames; ++i) {
        plain.advance(1.0 / 64.0);
        copy.advance(units.time / 64.0);
        for (std::size_t k = 0; k < plain.bodies().size(); ++k) {
            const glm::dvec3 place = copy.pose(copy.bodies()[k]).position / units.length;
            largest = std::max(largest, glm::length(plain.pose(plain.bodies()[k]).position - place));
        }
    }
    return largest;
}

// Boxes, balls, capsules and cylinders that fall into a pit from all attitudes, and bounce a little.
World solids(const std::string& method, int count, const WorldSettings& others = {}) {
    WorldSettings settings = others;
    settings.gravity = {0.0, -kGravity, 0.0};
    settings.integrator = with_method(method);
    std::vector<BodyId> bodies;
    World world = mess(count, settings, bodies);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        Body body = world.body(bodies[i]);
        if (i % 6 == 5) {
            body.set_shape(Cylinder{0.3, 0.25}, 1.0);
        } else if (i % 6 == 2) {
            body.set_shape(Capsule{0.3, 0.25}, 1.0);
        }
        body.set_material({.friction = 0.4, .restitution = 0.3});
    }
    return world;
}

// Cubes on one another, a little turned and apart, that come to rest and fall asleep.
World column(const std::string& method, int high) {
    WorldSettings settings = contact_settings(with_method(method));
    settings.sleep.enabled = true;
    World world(settings);
    add_ground(world, kRough);
    for (int i = 0; i < high; ++i) {
        BodyDesc desc = cube({0.01 * (i % 3), 0.51 + 1.01 * i, 0.02 * (i % 2)});
        desc.pose.orientation = glm::angleAxis(0.1 * i, glm::dvec3(0.0, 1.0, 0.0));
        world.create_body(desc);
    }
    return world;
}

World under_gravity(World world, double gravity) {
    WorldSettings settings = world.settings();
    settings.gravity = {0.0, -gravity, 0.0};
    world.set_settings(settings);
    return world;
}

} // namespace

TEST_CASE("times of a world go with the root of its length in metres, and stay in any other unit of length") {
    struct Case {
        double length, gravity, time;
    };
    for (const Case& each : {Case{1.0, 9.8, 1.0}, Case{1.0, 9.81, 1.0}, Case{1.0, 1.62, 1.0}, Case{1.0, 0.0, 1.0},
                             Case{1.0, 1e6, 1.0}, Case{0.25, 9.8, 0.5}, Case{0.25, 9.81, 0.5}, Case{16.0, 9.7, 4.0},
                             Case{1e-4, 1.62, 0.01}, Case{100.0, 980.0, 1.0}, Case{100.0, 981.0, 1.0},
                             Case{1e-3, 9.81e-3, 1.0}, Case{0.25, 0.0, 1.0}, Case{16.0, 0.0, 1.0}}) {
        CAPTURE(each.length);
        CAPTURE(each.gravity);
        WorldSettings settings;
        settings.length = each.length;
        settings.gravity = each.gravity * glm::dvec3(0.6, 0.0, -0.8);
        const detail::WorldScale scale = detail::scale_of(settings);
        CHECK(scale.length() == each.length);
        CHECK(std::abs(scale.time() - each.time) <= 1e-15 * each.time);
        CHECK(scale.speed() == scale.length() / scale.time());
        const SleepSettings limits = detail::sleep_limits(settings);
        CHECK(limits.linear_speed == 0.01 * scale.speed());
        CHECK(limits.angular_speed == 0.02 / scale.time());
        CHECK(limits.time == 0.5 * scale.time());
    }
}

TEST_CASE("a heap decides alike from a micrometre to ten kilometres: same bits in units of the world") {
    for (const char* const method :
         {"cash_karp54", "rk4", "impulse_euler", "impulse_euler_doubling", "auto", "theta"}) {
        const World world = heap(method);
        const std::vector<double> in_metres = figures_in({}, world, 48);
        for (const double length : lengths()) {
            CAPTURE(method);
            CAPTURE(length);
            CHECK(difference(in_metres, figures_in(smaller_or_larger(length), world, 48)) == 0.0);
        }
    }
}

TEST_CASE("solids of all shapes fall, turn, rub and bounce alike at any length, however contacts are stepped") {
    for (const char* const method :
         {"auto", "cash_karp54", "impulse_euler", "impulse_euler_doubling", "convex_step", "soft_steps"}) {
        const World world = solids(method, 20);
        const std::vector<double> in_metres = figures_in({}, world, 60);
        for (const double length : lengths()) {
            CAPTURE(method);
            CAPTURE(length);
            CHECK(difference(in_metres, figures_in(smaller_or_larger(length), world, 60)) == 0.0);
        }
    }
}

TEST_CASE("a pile is one at any length, and moves alike") {
    const World world = solids("auto", 160);
    for (const double length : {0x1p-10, 0x1p6}) {
        CAPTURE(length);
        CHECK(difference_of_copies(world, smaller_or_larger(length), 40) == 0.0);
    }
}

TEST_CASE("a column of cubes sinks, rests and falls asleep alike at any length") {
    for (const char* const method : {"auto", "impulse_euler", "convex_step", "soft_steps"}) {
        const World world = column(method, 6);
        const std::vector<double> in_metres = figures_in({}, world, 200);
        for (const double length : kExactLengths) {
            CAPTURE(method);
            CAPTURE(length);
            CHECK(difference(in_metres, figures_in(smaller_or_larger(length), world, 200)) == 0.0);
        }
    }
}

TEST_CASE("bounces come to rest, slides end and islands fall asleep alike at any length") {
    for (const char* const method : {"cash_karp54", "dormand_prince853", "impulse_euler", "symplectic_euler", "auto"}) {
        const World world = bounces(method);
        const std::vector<double> in_metres = figures_in({}, world, 400);
        for (const double length : kExactLengths) {
            CAPTURE(method);
            CAPTURE(length);
            CHECK(difference(in_metres, figures_in(smaller_or_larger(length), world, 400)) == 0.0);
        }
    }
}

TEST_CASE("limits, ropes, drives and dry friction of joints decide alike at any length") {
    for (const char* const method : {"cash_karp54", "dormand_prince853", "impulse_euler", "auto", "theta"}) {
        const World world = mechanisms(method);
        const std::vector<double> in_metres = figures_in({}, world, 100);
        for (const double length : kExactLengths) {
            CAPTURE(method);
            CAPTURE(length);
            CHECK(difference(in_metres, figures_in(smaller_or_larger(length), world, 100)) == 0.0);
        }
    }
}

TEST_CASE("a game in another unit of length goes on as in metres, with its gravity or without") {
    for (const char* const method : {"cash_karp54", "impulse_euler"}) {
        for (const double length : {0x1p-7, 0x1p6}) { // as times stay, these need no root
            CAPTURE(method);
            CAPTURE(length);
            if (kSanitized && length > 1.0) {
                continue;
            }
            const Units unit{length, 1.0, 1.0};
            CHECK(difference_of_copies(heap(method), unit, 48) == 0.0);
            CHECK(difference_of_copies(bounces(method), unit, 160) == 0.0);
            CHECK(difference_of_copies(mechanisms(method), unit, 60) == 0.0);
            World weightless = under_gravity(heap(method), 0.0);
            for (const BodyId id : weightless.bodies()) {
                if (weightless.body(id).motion() == MotionType::Dynamic) {
                    weightless.body(id).set_linear_velocity(-2.0 * weightless.pose(id).position);
                }
            }
            CHECK(difference_of_copies(weightless, unit, 48) == 0.0);
        }
    }
}

// Roundings of these lengths and of their roots grow by hits: tenfold with each in a heap.
TEST_CASE("at a millimetre, at 100 m and in centimetres bounces end, and a heap falls together, as at a metre") {
    for (const double gravity : {9.8, 9.81, 9.80665}) {
        if (kSanitized && gravity != 9.81) {
            continue;
        }
        for (const Units& units : {smaller_or_larger(1e-3), smaller_or_larger(100.0), Units{100.0, 1.0, 1.0}}) {
            CAPTURE(gravity);
            CAPTURE(units.length);
            CAPTURE(units.time);
            CHECK(difference_of_places(under_gravity(bounces("cash_karp54"), gravity), units, 400) < 1e-11);
            CHECK(difference_of_places(under_gravity(heap("cash_karp54"), gravity), units, 32) < 1e-10);
            CHECK(difference_of_places(under_gravity(heap("impulse_euler"), gravity), units, 96) < 1e-11);
        }
    }
}

TEST_CASE("without its length a small heap decides as no larger one does") {
    const World world = heap("cash_karp54");
    const Units units = smaller_or_larger(0x1p-10);
    World plain = scaled(world, {});
    World copy = scaled(world, units);
    WorldSettings settings = copy.settings();
    settings.length = 1.0;
    copy.set_settings(settings);
    CHECK(difference(figures_of(plain, {}, 16), figures_of(copy, units, 16)) > 1e-3);
}

TEST_CASE("another length takes effect at the next step: what sleeps wakes, and margins are others") {
    World world = bounces("cash_karp54");
    for (int i = 0; i < 300; ++i) {
        world.advance(1.0 / 64.0);
    }
    REQUIRE(world.islands().front().asleep);
    const WorldSnapshot asleep = world.snapshot();
    WorldSettings settings = world.settings();
    settings.length = 4.0;
    world.set_settings(settings);
    CHECK(world.settings().length == 4.0);
    CHECK_FALSE(world.islands().front().asleep);
    world.advance(1.0 / 64.0);
    const std::uint64_t hash = world.hash();

    // A snapshot brings its length back, into a world of any.
    World other = world.clone();
    world.restore(asleep);
    CHECK(world.settings().length == 1.0);
    CHECK(world.islands().front().asleep);
    world.set_settings(settings);
    world.advance(1.0 / 64.0);
    CHECK(world.hash() == hash);
    for (int i = 0; i < 64; ++i) {
        world.advance(1.0 / 64.0);
        other.advance(1.0 / 64.0);
        CHECK(world.hash() == other.hash());
    }
}

TEST_CASE("a large world takes steps as long as its unit of time, a small one a second still") {
    for (const double length : {0.01, 1.0, 100.0}) {
        WorldSettings settings;
        settings.length = length;
        World world(settings);
        const double longest = std::max(1.0, std::sqrt(length));
        CHECK(world.advance(longest).status == StepStatus::ReachedTarget);
        CHECK(world.advance(1.001 * longest).status == StepStatus::InvalidInput);
    }
}
