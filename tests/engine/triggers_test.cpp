// Triggers, and the begin and end of touches.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "../sanitized.h"
#include "contact_worlds.h"

using namespace engine_tests;

namespace {

const Material kRough{.friction = 0.5, .restitution = 0.0};

BodyDesc trigger(const Shape& shape, const glm::dvec3& position, MotionType motion = MotionType::Static) {
    BodyDesc desc;
    desc.motion = motion;
    desc.pose.position = position;
    ColliderDesc collider;
    collider.shape = shape;
    collider.is_trigger = true;
    desc.colliders = {collider};
    return desc;
}

struct Told {
    std::vector<TouchEvent> events;
    bool arrived = true;
};

Told tell(World& world, int frames, double dt = kFrame) {
    Told told;
    for (int frame = 0; frame < frames; ++frame) {
        told.arrived = world.advance(dt).status == StepStatus::ReachedTarget && told.arrived;
        for (const TouchEvent& event : world.touch_events()) {
            told.events.push_back(event);
        }
    }
    return told;
}

} // namespace

TEST_CASE("triggers: who falls through one is told when, under every method, and falls on as without it") {
    // From 3 m down into a box between 1 and 2 m: s = g t^2 / 2 at its top, and at its bottom.
    const double enters = std::sqrt(2.0 * (3.0 - 2.0 - 0.1) / kGravity);
    const double leaves = std::sqrt(2.0 * (3.0 - 1.0 + 0.1) / kGravity);
    for (const IntegrationMethod* const each : method_catalogue()) {
        const MethodInfo& method = each->info();
        for (const double fps : {10.0, 60.0, 240.0}) {
            CAPTURE(method.name);
            CAPTURE(fps);
            if (kSanitized && (fps > 100.0 || (method.adaptive && method.order < 2))) {
                continue; // a thousand times the evaluations, each like those of the others
            }
            const auto run = [&](bool with_trigger, Told& told) {
                World world(contact_settings(to_tolerance(std::string(method.name), 1e-10)));
                const BodyId ball = add_sphere(world, {0.0, 3.0, 0.0}, 0.1, kRough);
                if (with_trigger) {
                    const BodyId gate = world.create_body(trigger(Box{{0.5, 0.5, 0.5}}, {0.0, 1.5, 0.0}));
                    told = tell(world, static_cast<int>(0.9 * fps), 1.0 / fps);
                    CHECK(world.inside({gate, 0}).empty());
                } else {
                    told = tell(world, static_cast<int>(0.9 * fps), 1.0 / fps);
                }
                return world.pose(ball).position;
            };
            Told with;
            Told without;
            CHECK(run(true, with) == run(false, without)); // bit for bit
            REQUIRE(with.arrived);
            CHECK(without.events.empty());
            REQUIRE(with.events.size() == 2);
            CHECK(with.events[0].begins);
            CHECK_FALSE(with.events[1].begins);
            CHECK(with.events[0].is_trigger);
            const double within = method.order >= 2 ? 1e-9 : 1.0 / fps;
            CHECK(std::abs(with.events[0].t - enters) < within);
            CHECK(std::abs(with.events[1].t - leaves) < within);
        }
    }
}

TEST_CASE("triggers: a bullet that passes within one step enters and leaves, wherever it hits the gate") {
    for (int phase = 0; phase < 40; ++phase) {
        CAPTURE(phase);
        World world(contact_settings(to_tolerance("cash_karp54", 1e-10)));
        WorldSettings settings = world.settings();
        settings.gravity = glm::dvec3(0.0);
        world.set_settings(settings);
        world.create_body(trigger(Box{{0.05, 1.0, 1.0}}, {10.0, 0.0, 0.0}));
        BodyDesc bullet = sphere({0.11 * phase, 0.0, 0.0}, 0.01, kRough);
        bullet.linear_velocity = {300.0, 0.0, 0.0};
        world.create_body(bullet);
        const Told told = tell(world, 4);
        REQUIRE(told.events.size() == 2);
        CHECK(std::abs(told.events[0].t - (10.0 - 0.06 - 0.11 * phase) / 300.0) < 1e-12);
        CHECK(std::abs(told.events[1].t - (10.0 + 0.06 - 0.11 * phase) / 300.0) < 1e-11);
        CHECK(told.events[0].begins);
        CHECK_FALSE(told.events[1].begins);
    }
}

TEST_CASE("triggers: carried by what swings, spins or is driven they meet what they meet") {
    // A bar of 2 m that spins at 3 rad/s about its middle sweeps a post at rest twice a turn.
    for (const MotionType motion : {MotionType::Kinematic, MotionType::Dynamic}) {
        CAPTURE(static_cast<int>(motion));
        WorldSettings settings = contact_settings(to_tolerance("dormand_prince853", 1e-10));
        settings.gravity = glm::dvec3(0.0);
        World world(settings);
        BodyDesc bar = trigger(Box{{1.0, 0.05, 0.05}}, {0.0, 0.0, 0.0}, motion);
        bar.angular_velocity = {0.0, 3.0, 0.0};
        if (motion == MotionType::Dynamic) {
            bar.mass_properties = mass_properties(Box{{1.0, 0.05, 0.05}}, 1.0);
        }
        const BodyId body = world.create_body(bar);
        BodyDesc post;
        post.motion = motion == MotionType::Dynamic ? MotionType::Static : MotionType::Dynamic;
        post.shape = Cylinder{0.05, 1.0};
        post.mass = 1.0;
        post.pose.position = {0.8, 0.0, 0.0};
        world.create_body(post);
        CHECK(world.inside({body, 0}).empty()); // before the first step nobody has looked
        const Told told = tell(world, 150);
        // It begins within; then the middle lines are an angle apart at which the post touches the bar's side.
        const double half = std::asin((0.05 + 0.05) / 0.8);
        const double pi = std::acos(-1.0);
        std::vector<double> times{0.0, half / 3.0};
        for (int turn = 1; turn <= 2; ++turn) {
            times.push_back((turn * pi - half) / 3.0);
            times.push_back((turn * pi + half) / 3.0);
        }
        REQUIRE(told.events.size() == times.size());
        for (std::size_t i = 0; i < times.size(); ++i) {
            CHECK(std::abs(told.events[i].t - times[i]) < 1e-9);
            CHECK(told.events[i].begins == (i % 2 == 0));
        }
    }
}

TEST_CASE("triggers: filters, edits, teleports and sleep") {
    WorldSettings settings = contact_settings(to_tolerance("cash_karp54", 1e-10));
    settings.sleep.enabled = true;
    World world(settings);
    add_ground(world, kRough);
    const BodyId zone = world.create_body(trigger(Sphere{1.0}, {0.0, 0.0, 0.0}));
    const BodyId ball = add_sphere(world, {0.0, 0.1, 0.0}, 0.1, kRough);
    BodyDesc stranger = sphere({0.3, 0.1, 0.0}, 0.1, kRough);
    stranger.filter = {.member_of = 2, .collides_with = ~std::uint64_t{0}};
    const BodyId other = world.create_body(stranger);
    ColliderDesc sensor = world.body(zone).collider({zone, 0});
    sensor.filter = {.member_of = 1, .collides_with = 1};
    world.body(zone).set_collider({zone, 0}, sensor);
    Told told = tell(world, 90);      // and they fall asleep
    REQUIRE(told.events.size() == 3); // the ball comes into the zone, and both touch the ground
    CHECK(world.inside({zone, 0}) == std::vector<ColliderId>{{ball, 0}});
    CHECK_THROWS_AS(world.inside({zone, 7}), std::invalid_argument);

    // Taken elsewhere it has left at once; back in it has come.
    world.body(ball).set_pose({{5.0, 0.1, 0.0}});
    told = tell(world, 1);
    CHECK(world.inside({zone, 0}).empty());
    REQUIRE(told.events.size() == 1);
    CHECK(std::abs(told.events[0].t - 1.5) < 1e-12);
    CHECK_FALSE(told.events[0].begins);
    world.body(ball).set_pose({{0.0, 0.1, 0.0}});
    told = tell(world, 1);
    REQUIRE(told.events.size() == 1);
    CHECK(told.events[0].begins);

    // A snapshot knows who is within, and no event is told again.
    const WorldSnapshot snapshot = world.snapshot();
    const std::uint64_t hash = world.hash();
    world.destroy_body(ball);
    CHECK(world.inside({zone, 0}).empty());
    told = tell(world, 2);
    CHECK(told.events.empty());
    world.restore(snapshot);
    CHECK(world.hash() == hash);
    CHECK(world.inside({zone, 0}).size() == 1);
    CHECK(world.touch_events().empty());
    World copy = world.clone();
    CHECK(copy.hash() == hash);
    CHECK(tell(world, 3).events.empty());
    CHECK(tell(copy, 3).events.empty());

    // Let in by an edit, and left alone when the trigger is switched off.
    world.body(other).set_filter({});
    told = tell(world, 1);
    REQUIRE(told.events.size() == 1);
    CHECK(world.inside({zone, 0}).size() == 2);
    sensor.is_enabled = false;
    world.body(zone).set_collider({zone, 0}, sensor);
    world.snapshot();
    CHECK(tell(world, 1).events.empty());
    CHECK(world.inside({zone, 0}).empty());
    // As a solid it would hold them.
    sensor.is_enabled = true;
    sensor.is_trigger = false;
    world.body(zone).set_collider({zone, 0}, sensor);
    world.snapshot();
    tell(world, 30);
    CHECK(world.inside({zone, 0}).empty());
    CHECK(glm::length(world.pose(ball).position) > 0.3);
}

TEST_CASE("touches: a bounce begins and ends one, rest begins one, and what lifts off ends it") {
    World world(contact_settings(to_tolerance("cash_karp54", 1e-10)));
    const BodyId ground = add_ground(world, {.friction = 0.5, .restitution = 1.0});
    const BodyId ball = add_sphere(world, {0.0, 0.6, 0.0}, 0.1, {.friction = 0.5, .restitution = 1.0});
    const double falls = std::sqrt(2.0 * 0.5 / kGravity);
    Told told = tell(world, 100);
    REQUIRE(told.events.size() >= 4);
    for (std::size_t i = 0; i + 1 < told.events.size(); i += 2) {
        CHECK(told.events[i].begins);
        CHECK_FALSE(told.events[i + 1].begins);
        CHECK(told.events[i].t == told.events[i + 1].t);
        CHECK(std::abs(told.events[i].t - falls * (1.0 + static_cast<double>(i))) < 1e-8);
        CHECK(told.events[i].collider_a == ColliderId{ground, 0});
        CHECK(told.events[i].collider_b == ColliderId{ball, 0});
        CHECK_FALSE(told.events[i].is_trigger);
    }
    world.body(ball).set_material({.friction = 0.5, .restitution = 0.0});
    world.body(ground).set_material({.friction = 0.5, .restitution = 0.0});
    told = tell(world, 60);
    REQUIRE(told.events.size() == 1);
    CHECK(told.events[0].begins);
    CHECK(tell(world, 30).events.empty()); // it rests on
    world.body(ball).apply_impulse({0.0, 2.0, 0.0});
    told = tell(world, 2);
    REQUIRE(told.events.size() == 1);
    CHECK_FALSE(told.events[0].begins);
}

TEST_CASE("touches and triggers: told in one order, on any number of threads and behind a restore") {
    const auto make = [](int threads) {
        WorldSettings settings = contact_settings(to_tolerance("auto", 1e-6));
        settings.threads = threads;
        World world(settings);
        add_ground(world, {.friction = 0.4, .restitution = 0.4});
        for (int i = 0; i < 4; ++i) {
            world.create_body(trigger(Box{{0.3, 0.4, 0.3}}, {1.0 * i, 0.5, 0.0}));
        }
        for (int i = 0; i < 12; ++i) {
            BodyDesc desc = sphere({0.25 * i, 1.0 + 0.1 * (i % 5), 0.0}, 0.1, {.friction = 0.4, .restitution = 0.4});
            if (i % 3 == 0) {
                desc.shape = Box{{0.1, 0.15, 0.1}};
                ColliderDesc halo; // and triggers of their own
                halo.shape = Sphere{0.3};
                halo.is_trigger = true;
                desc.colliders = {halo};
            }
            desc.linear_velocity = {i % 2 == 0 ? 1.0 : -1.0, 0.0, 0.1};
            world.create_body(desc);
        }
        return world;
    };
    World one = make(1);
    World two = make(2);
    World taken_up = make(1);
    const auto same = [](const World& x, const World& y) {
        const std::vector<TouchEvent> a = x.touch_events();
        const std::vector<TouchEvent> b = y.touch_events();
        REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            // Handles of two worlds differ by the world.
            CHECK(a[i].t == b[i].t);
            CHECK(a[i].begins == b[i].begins);
            CHECK(a[i].collider_a.body.index == b[i].collider_a.body.index);
            CHECK(a[i].collider_b.body.index == b[i].collider_b.body.index);
            CHECK(a[i].collider_a.number == b[i].collider_a.number);
            CHECK(a[i].collider_b.number == b[i].collider_b.number);
        }
        return a.size();
    };
    std::size_t told = 0;
    std::vector<std::array<std::uint32_t, 4>> open; // what touches, by begins and ends alone
    for (int frame = 0; frame < 120; ++frame) {
        one.advance(kFrame);
        two.advance(kFrame);
        told += same(one, two);
        REQUIRE(one.hash() == two.hash());
        for (const TouchEvent& event : one.touch_events()) {
            const std::array<std::uint32_t, 4> name{event.collider_a.body.index, event.collider_a.number,
                                                    event.collider_b.body.index, event.collider_b.number};
            const auto known = std::find(open.begin(), open.end(), name);
            CHECK((known == open.end()) == event.begins); // each begins before it ends
            if (event.begins) {
                open.push_back(name);
            } else if (known != open.end()) {
                open.erase(known);
            }
        }
        if (frame % 20 == 19) {
            taken_up.restore(one.snapshot());
        } else if (frame > 19) {
            taken_up.advance(kFrame);
            same(one, taken_up);
        }
        REQUIRE((frame < 19 || taken_up.hash() == one.hash()));
    }
    CHECK(told > 50);
}

TEST_CASE("triggers: what tumbles through one that tumbles is told at the same times at any frame rate") {
    // The ways between substeps are cubics: at 60 fps against 1920 fps.
    std::size_t told = 0;
    for (int k = 0; k < 12; ++k) {
        CAPTURE(k);
        const auto run = [&](double fps) {
            WorldSettings settings = contact_settings(to_tolerance("cash_karp54", 1e-10));
            World world(settings);
            BodyDesc carrier = trigger(Box{{0.5, 0.2, 0.3}}, {0.0, 0.02 * k, 0.0}, MotionType::Dynamic);
            carrier.gravity_factor = 0.0;
            carrier.mass_properties = mass_properties(Box{{0.1, 0.4, 0.7}}, 1.0);
            carrier.angular_velocity = {2.0, 3.0 - 0.3 * k, 4.0};
            world.create_body(carrier);
            BodyDesc box = sphere({0.1 * (k % 5) - 0.2, 1.5, 0.1}, 0.1, kRough);
            box.shape = Box{{0.1, 0.2, 0.3}};
            box.angular_velocity = {6.0, 0.5 * k, -3.0};
            world.create_body(box);
            return tell(world, static_cast<int>(fps), 1.0 / fps).events;
        };
        const std::vector<TouchEvent> coarse = run(60.0);
        const std::vector<TouchEvent> fine = run(1920.0);
        REQUIRE(coarse.size() == fine.size());
        for (std::size_t i = 0; i < coarse.size(); ++i) {
            CHECK(coarse[i].begins == fine[i].begins);
            CHECK(std::abs(coarse[i].t - fine[i].t) < 1e-7);
        }
        told += coarse.size();
    }
    CHECK(told >= 24);
}
