// Bodies of several colliders: their masses, how they meet, and how they are edited.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

const Material kBouncy{.friction = 0.0, .restitution = 1.0};
const Material kRough{.friction = 0.5, .restitution = 0.3};

ColliderDesc part(const Shape& shape, const glm::dvec3& position, const Material& material = {},
                  const glm::dquat& orientation = glm::dquat(1.0, 0.0, 0.0, 0.0)) {
    ColliderDesc collider;
    collider.shape = shape;
    collider.offset = {position, orientation};
    collider.material = material;
    return collider;
}

glm::dquat turned(double angle, const glm::dvec3& axis) { return glm::angleAxis(angle, glm::normalize(axis)); }

double difference(const glm::dmat3& a, const glm::dmat3& b) {
    double most = 0.0;
    for (int i = 0; i < 3; ++i) {
        most = std::max(most, glm::length(a[i] - b[i]));
    }
    return most;
}

// A box of half sizes (0.4, 0.2, 0.3) as one collider, or cut in two aslant places along x, with its frame elsewhere.
BodyDesc cut_box(bool is_cut, const glm::dvec3& shift) {
    BodyDesc desc;
    desc.mass = 3.0;
    if (!is_cut) {
        desc.colliders = {part(Box{{0.4, 0.2, 0.3}}, shift, kBouncy)};
    } else {
        desc.colliders = {part(Box{{0.1, 0.2, 0.3}}, shift - glm::dvec3(0.3, 0.0, 0.0), kBouncy),
                          part(Box{{0.3, 0.2, 0.3}}, shift + glm::dvec3(0.1, 0.0, 0.0), kBouncy)};
    }
    return desc;
}

WorldSettings exact() { return contact_settings(to_tolerance("dormand_prince853", 1e-12)); }

BodyId add_floor(World& world, const Material& material) {
    BodyDesc floor;
    floor.motion = MotionType::Static;
    floor.shape = Box{{10.0, 0.5, 10.0}};
    floor.pose.position = {0.0, -0.5, 0.0};
    floor.material = material;
    return world.create_body(floor);
}

} // namespace

TEST_CASE("colliders: a body of several has their mass, centre of mass and inertia together") {
    World world;
    const glm::dvec3 shift(0.7, -0.2, 0.1);
    const MassProperties whole = world.body(world.create_body(cut_box(false, shift))).mass_properties();
    const MassProperties cut = world.body(world.create_body(cut_box(true, shift))).mass_properties();
    CHECK(whole.mass == 3.0);
    CHECK(cut.mass == 3.0);
    CHECK(glm::length(whole.centre_of_mass - shift) < 1e-15);
    CHECK(glm::length(cut.centre_of_mass - shift) < 1e-15);
    CHECK(difference(whole.inertia, mass_properties(Box{{0.4, 0.2, 0.3}}, 3.0).inertia) < 1e-15);
    CHECK(difference(cut.inertia, whole.inertia) < 1e-12);

    // Two unlike balls on a turned rod, by Steiner's theorem written out.
    BodyDesc dumbbell;
    dumbbell.density = 1000.0;
    const glm::dquat turn = turned(0.7, {1.0, 2.0, -1.0});
    const glm::dvec3 along = turn * glm::dvec3(1.0, 0.0, 0.0);
    const double rod_length = 0.5;
    dumbbell.colliders = {part(Sphere{0.2}, 0.6 * along), part(Sphere{0.1}, -0.5 * along),
                          part(ThinRod{rod_length, 0.01}, {}, {}, turn)};
    const MassProperties mass = world.body(world.create_body(dumbbell)).mass_properties();
    const double pi = std::acos(-1.0);
    const std::array<double, 3> m{4000.0 / 3.0 * pi * 0.008, 4000.0 / 3.0 * pi * 0.001, 1000.0 * pi * 1e-4};
    const std::array<double, 3> at{0.6, -0.5, 0.0};
    const double sum = m[0] + m[1] + m[2];
    const double centre = (m[0] * at[0] + m[1] * at[1]) / sum;
    CHECK(std::abs(mass.mass - sum) < 1e-12 * sum);
    CHECK(glm::length(mass.centre_of_mass - centre * along) < 1e-12);
    const double balls = 0.4 * (m[0] * 0.04 + m[1] * 0.01);
    double across = balls + m[2] * rod_length * rod_length / 3.0;
    for (std::size_t i = 0; i < 3; ++i) {
        across += m[i] * (at[i] - centre) * (at[i] - centre);
    }
    const double lengthwise = balls + 0.5 * m[2] * 1e-4;
    const glm::dmat3 expected = across * glm::dmat3(1.0) + (lengthwise - across) * glm::outerProduct(along, along);
    CHECK(difference(mass.inertia, expected) < 1e-12 * across);
}

TEST_CASE("colliders: a body of several parts weighs what it was given, to the last bit") {
    World world;
    BodyDesc desc;
    desc.motion = MotionType::Kinematic;
    desc.shape = Plane{};
    const BodyId id = world.create_body(desc);
    for (int i = 1; i < 5; ++i) {
        world.body(id).add_collider(part(Sphere{0.3 / i}, glm::dvec3(i, 0.0, 0.0)), std::nullopt);
        for (int k = 0; k < 50; ++k) {
            const double mass = 14.195243021827455 / (1.0 + 0.37 * k);
            world.body(id).set_shape(Capsule{0.05 + 0.01 * i, 0.02 * i}, mass);
            CHECK(world.body(id).mass_properties().mass == mass);
        }
    }
}

TEST_CASE("colliders: a box that is cut in two falls, tumbles and bounces as the whole one does") {
    for (const unsigned kind : {0u, 1u, 2u}) {
        CAPTURE(kind);
        const auto run = [&](bool is_cut) {
            World world(exact());
            add_floor(world, kBouncy);
            BodyDesc desc = cut_box(is_cut, {0.3, -0.1, 0.2});
            desc.pose.orientation = kind == 0 ? turned(0.4, {0.3, 0.5, 1.0}) : turned(0.3, {0.0, 0.0, 1.0});
            desc.pose.position = glm::dvec3(0.0, 1.2, 0.0);
            if (kind != 1) {
                desc.angular_velocity = {1.0, -2.0, 0.5};
            }
            const BodyId body = world.create_body(desc);
            const double energy = world.energy().total();
            std::size_t hits = 0;
            for (int frame = 0; frame < 60; ++frame) {
                const StepReport report = world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                CHECK(report.velocity_steps.contacts == 0);
                hits += world.impacts().empty() ? 0 : 1;
            }
            CHECK(hits >= 1);
            CHECK(std::abs(world.energy().total() - energy) < 1e-9 * energy);
            return world.pose(body);
        };
        const Pose whole = run(false);
        const Pose cut = run(true);
        // Their masses differ by rounding, which tumbling multiplies.
        CHECK(glm::length(whole.position - cut.position) < 1e-9);
        CHECK(std::abs(std::abs(glm::dot(whole.orientation, cut.orientation)) - 1.0) < 1e-9);
    }
}

TEST_CASE("colliders: the end that hits takes the impulse, and names its collider and its surface") {
    // A dumbbell falls aslant: its lower ball meets the floor. v_n+ = -e v_n- at the contact point, without friction.
    for (const double angle : {0.3, -0.5}) {
        for (const double restitution : {0.25, 1.0}) {
            CAPTURE(angle);
            CAPTURE(restitution);
            World world(exact());
            const BodyId floor =
                add_floor(world, {.friction = 0.0, .restitution = 1.0, .restitution_combine = CombineRule::Multiply});
            BodyDesc desc;
            const Material left{.friction = 0.0,
                                .restitution = angle > 0.0 ? restitution : 0.5,
                                .restitution_combine = CombineRule::Multiply};
            Material right = left;
            right.restitution = angle > 0.0 ? 0.5 : restitution;
            desc.colliders = {part(Sphere{0.1}, {-0.5, 0.0, 0.0}, left), part(Sphere{0.2}, {0.4, 0.0, 0.0}, right)};
            desc.mass = 2.0;
            desc.pose.orientation = turned(angle, {0.0, 0.0, 1.0});
            desc.pose.position = {0.0, 1.0, 0.0};
            const BodyId body = world.create_body(desc);
            const MassProperties mass = world.body(body).mass_properties();
            const std::vector<ColliderId> colliders = world.body(body).colliders();
            REQUIRE(colliders.size() == 2);
            const ColliderId lower = colliders[angle > 0.0 ? 0 : 1];
            const double radius = angle > 0.0 ? 0.1 : 0.2;

            const double drop = world.pose(body).position.y +
                                (world.pose(body).orientation * world.body(body).collider(lower).offset.position).y -
                                radius;
            while (world.impacts().empty()) {
                REQUIRE(world.advance(1.0 / 240.0).status == StepStatus::ReachedTarget);
                REQUIRE(world.time() < 1.0);
            }
            REQUIRE(world.impacts().size() == 1);
            const Impact& impact = world.impacts()[0];
            const double t = std::sqrt(2.0 * drop / kGravity);
            CHECK(std::abs(impact.t - t) < 1e-9);
            const bool body_first = impact.body_a == body;
            CHECK((body_first ? impact.collider_a : impact.collider_b) == lower);
            CHECK((body_first ? impact.collider_b : impact.collider_a) == ColliderId{floor, 0});
            // It has not turned on its way. The point below the lower ball's middle resists with its effective mass.
            const glm::dvec3 r = glm::angleAxis(angle, glm::dvec3(0.0, 0.0, 1.0)) *
                                 (world.body(body).collider(lower).offset.position - mass.centre_of_mass);
            const double moment = mass.inertia[2][2];
            const double impulse = (1.0 + restitution) * kGravity * t / (1.0 / mass.mass + r.x * r.x / moment);
            CHECK(std::abs(glm::length(impact.impulse) - impulse) < 1e-8);
            CHECK(std::abs(std::abs(world.body(body).angular_velocity().z) - impulse * std::abs(r.x) / moment) < 1e-8);
        }
    }
}

TEST_CASE("colliders: each has a filter of its own") {
    World world(contact_settings(to_tolerance("cash_karp54", 1e-10)));
    add_floor(world, kRough);
    BodyDesc curtain;
    curtain.motion = MotionType::Static;
    curtain.pose.position = {0.0, 0.5, 0.0};
    ColliderDesc cloth = part(Box{{0.3, 0.02, 0.3}}, {0.0, 0.0, 0.0}, kRough);
    cloth.filter = {.member_of = 2, .collides_with = 2};
    curtain.colliders = {cloth, part(Box{{0.3, 0.02, 0.3}}, {2.0, 0.0, 0.0}, kRough)};
    world.create_body(curtain);
    const BodyId falls_through = add_sphere(world, {0.0, 1.0, 0.0}, 0.1, kRough);
    const BodyId is_held = add_sphere(world, {2.0, 1.0, 0.0}, 0.1, kRough);
    advance_and_watch(world, 180);
    CHECK(std::abs(world.pose(falls_through).position.y - 0.1) < 1e-4);
    CHECK(std::abs(world.pose(is_held).position.y - 0.62) < 1e-4);
}

TEST_CASE("colliders: added, changed, switched off and removed while others rest on them, asleep too") {
    for (const bool sleeps : {false, true}) {
        CAPTURE(sleeps);
        WorldSettings settings = contact_settings(to_tolerance("cash_karp54", 1e-10));
        settings.sleep.enabled = sleeps;
        World world(settings);
        BodyDesc shelf;
        shelf.motion = MotionType::Static;
        shelf.colliders = {part(Box{{0.3, 0.05, 0.3}}, {0.0, 1.0, 0.0}, kRough),
                           part(Box{{0.3, 0.05, 0.3}}, {1.0, 1.0, 0.0}, kRough),
                           part(Plane{}, {0.0, 0.0, 0.0}, kRough)};
        const BodyId board = world.create_body(shelf);
        const std::vector<ColliderId> parts = world.body(board).colliders();
        std::array<BodyId, 2> balls{};
        for (std::size_t i = 0; i < 2; ++i) {
            balls[i] = add_sphere(world, {static_cast<double>(i), 1.15, 0.0}, 0.1, kRough);
        }
        const auto height = [&](std::size_t i) { return world.pose(balls[i]).position.y; };
        advance_and_watch(world, 120);
        CHECK(std::abs(height(0) - 1.15) < 1e-9);
        CHECK(std::abs(height(1) - 1.15) < 1e-9);
        if (sleeps) {
            CHECK(world.islands()[0].asleep);
        }

        world.body(board).remove_collider(parts[0]);
        ColliderDesc off = world.body(board).collider(parts[1]);
        advance_and_watch(world, 12); // falls a while alone
        CHECK(std::abs(height(0) - (1.15 - 0.5 * kGravity * 0.04)) < 1e-6);
        CHECK(std::abs(height(1) - 1.15) < 1e-9);
        off.is_enabled = false;
        world.body(board).set_collider(parts[1], off);
        advance_and_watch(world, 240);
        CHECK(std::abs(height(0) - 0.1) < 1e-6);
        CHECK(std::abs(height(1) - 0.1) < 1e-6);

        // A ramp put under one of them is new to it.
        const ColliderId added = world.body(board).add_collider(part(Box{{0.2, 0.05, 0.2}}, {0.0, 0.5, 0.0}, kRough));
        CHECK(added.number == 3);
        world.body(balls[0]).set_pose({{0.0, 0.8, 0.0}});
        advance_and_watch(world, 240);
        CHECK(std::abs(height(0) - 0.65) < 1e-6);
        CHECK_THROWS_WITH_AS(world.body(board).remove_collider(parts[0]),
                             "The collider handle with number 0 names no collider of the body; it has 3.",
                             std::invalid_argument);
    }
}

TEST_CASE("colliders: a mass is kept or made anew as asked, and the motion of every point goes on") {
    World world(contact_settings(to_tolerance("cash_karp54", 1e-10)));
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 2.0;
    desc.linear_velocity = {1.0, 2.0, 3.0};
    desc.angular_velocity = {0.0, 1.0, 0.0};
    const BodyId body = world.create_body(desc);
    const ColliderDesc arm = part(Box{{0.5, 0.1, 0.1}}, {1.0, 0.0, 0.0});
    const ColliderId kept = world.body(body).add_collider(arm);
    CHECK(world.body(body).mass_properties().mass == 2.0);
    CHECK(world.body(body).mass_properties().centre_of_mass == glm::dvec3(0.0));
    world.body(body).remove_collider(kept);

    const glm::dvec3 point(0.3, 0.2, 0.1);
    const glm::dvec3 velocity = world.body(body).velocity_at(point);
    world.body(body).add_collider(arm, 5.0);
    const double ball = 4.0 / 3.0 * std::acos(-1.0) * 0.125;
    CHECK(std::abs(world.body(body).mass_properties().mass - 5.0) < 1e-14);
    CHECK(std::abs(world.body(body).mass_properties().centre_of_mass.x - 0.04 / (0.04 + ball)) < 1e-14);
    CHECK(glm::length(world.body(body).velocity_at(point) - velocity) < 1e-14);
    CHECK(glm::length(world.pose(body).position) < 1e-14);
}

TEST_CASE("colliders: bad ones are refused in one sentence, and the body stays as it was") {
    World world(contact_settings(to_tolerance("cash_karp54", 1e-10)));
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 2.0;
    const BodyId body = world.create_body(desc);
    const std::uint64_t hash = world.hash();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto refuses = [&](const ColliderDesc& collider, const char* sentence) {
        CHECK_THROWS_WITH_AS(world.body(body).add_collider(collider, 1.0), sentence, std::invalid_argument);
        CHECK_THROWS_WITH_AS(world.body(body).set_collider({body, 0}, collider), sentence, std::invalid_argument);
        BodyDesc other;
        other.mass = 1.0;
        other.colliders = {collider};
        CHECK_THROWS_WITH_AS(world.create_body(other), sentence, std::invalid_argument);
    };
    refuses(part(Sphere{-0.5}, {}), "The sphere's radius is -0.5 m; it must be positive and finite.");
    refuses(part(Sphere{0.5}, {nan, 0.0, 0.0}), "The collider's position is (nan, 0, 0); it must be finite.");
    refuses(part(Sphere{0.5}, {}, {}, glm::dquat(0.0, 0.0, 0.0, 0.0)),
            "The collider's orientation is (w, x, y, z) = (0, 0, 0, 0); it must be finite and of a length that can be "
            "normalised, at least 1e-6.");
    refuses(part(Sphere{0.5}, {}, {.friction = -1.0}), "The friction is -1; it must be 0 or more, and finite.");
    refuses(part(Plane{}, {}), "A dynamic body was given the shape of a plane; it must be static or kinematic.");
    CHECK_THROWS_AS(world.body(body).add_collider(part(Sphere{0.5}, {}), nan), std::invalid_argument);
    CHECK_THROWS_AS(world.body(body).remove_collider({body, 0}, 1.0), std::invalid_argument); // no mass of nothing
    CHECK(world.body(body).colliders().size() == 1);
    CHECK(world.hash() == hash);
    BodyDesc nothing;
    nothing.mass = 1.0;
    CHECK_THROWS_AS(world.create_body(nothing), std::invalid_argument);
}

namespace {

// Tables of five parts, hammers and crosses fall on stairs that are one body.
World compound_heap(int threads, int count) {
    WorldSettings settings = contact_settings(to_tolerance("auto", 1e-6));
    settings.threads = threads;
    World world(settings);
    BodyDesc stairs;
    stairs.motion = MotionType::Static;
    stairs.colliders.push_back(part(Plane{}, {0.0, -1.0, 0.0}, kRough));
    for (int i = 0; i < 10; ++i) {
        stairs.colliders.push_back(part(Box{{0.5, 0.1, 2.0}}, {0.8 * i - 4.0, 0.2 * i - 1.0, 0.0}, kRough));
    }
    world.create_body(stairs);
    for (int i = 0; i < count; ++i) {
        BodyDesc desc;
        switch (i % 3) {
        case 0: // a table
            desc.colliders = {part(Box{{0.4, 0.03, 0.3}}, {0.0, 0.25, 0.0}, kRough)};
            for (const double x : {-0.35, 0.35}) {
                for (const double z : {-0.25, 0.25}) {
                    desc.colliders.push_back(part(Box{{0.03, 0.22, 0.03}}, {x, 0.0, z}, kRough));
                }
            }
            break;
        case 1: // a hammer
            desc.colliders = {part(Capsule{0.04, 0.3}, {}, kRough),
                              part(Cylinder{0.1, 0.15}, {0.0, 0.3, 0.0}, kRough, turned(1.570796, {1.0, 0.0, 0.0}))};
            break;
        default: // a cross of balls
            for (const double side : {-0.2, 0.2}) {
                desc.colliders.push_back(part(Sphere{0.15}, {side, 0.0, 0.0}, kRough));
                desc.colliders.push_back(part(Sphere{0.15}, {0.0, 0.0, side}, kRough));
            }
        }
        desc.mass = 2.0;
        desc.pose = {{1.1 * (i % 5) - 2.0, 1.5 + 0.8 * (i / 5), 0.3 * (i % 2)}, turned(0.7 * i, {1.0, 0.3, 0.2})};
        world.create_body(desc);
    }
    return world;
}

} // namespace

TEST_CASE("colliders: a heap of compounds goes on from a snapshot, and on any number of threads, with the same bits") {
    World one = compound_heap(1, 9);
    World two = compound_heap(2, 9);
    World taken_up = compound_heap(1, 9);
    double deepest = 0.0;
    for (int frame = 0; frame < 120; ++frame) {
        one.advance(kFrame);
        two.advance(kFrame);
        REQUIRE(one.hash() == two.hash());
        for (const Contact& contact : one.contacts()) {
            deepest = std::max(deepest, -contact.gap);
            for (const ColliderId& collider : {contact.collider_a, contact.collider_b}) {
                REQUIRE(collider.number < one.body(collider.body).colliders().size());
            }
        }
        if (frame % 15 == 14) {
            taken_up.restore(one.snapshot());
            REQUIRE(taken_up.hash() == one.hash());
        } else if (frame > 14) {
            taken_up.advance(kFrame);
            REQUIRE(taken_up.hash() == one.hash());
        }
    }
    CHECK(deepest < 0.02);
}

TEST_CASE("colliders: an edit goes back with a snapshot from before, and its handles stay stale") {
    World world = compound_heap(1, 3);
    for (int frame = 0; frame < 30; ++frame) {
        world.advance(kFrame);
    }
    const BodyId table = world.bodies()[1];
    const WorldSnapshot before = world.snapshot();
    const std::uint64_t hash = world.hash();
    const ColliderId added = world.body(table).add_collider(part(Sphere{0.1}, {0.0, 0.5, 0.0}));
    world.body(table).remove_collider({table, 1});
    world.advance(kFrame);
    CHECK(world.hash() != hash);
    world.restore(before);
    CHECK(world.hash() == hash);
    CHECK(world.body(table).colliders().size() == 5);
    CHECK_THROWS_AS(world.body(table).collider(added), std::invalid_argument);
    CHECK(world.body(table).add_collider(part(Sphere{0.1}, {})) != added); // never given out twice
}

TEST_CASE("colliders: a level that is one body costs what is near, and rays name its parts") {
    World world(contact_settings(to_tolerance("auto", 1e-6)));
    BodyDesc level;
    level.motion = MotionType::Static;
    for (int x = 0; x < 20; ++x) {
        for (int z = 0; z < 20; ++z) {
            level.colliders.push_back(part(Box{{0.5, 0.1, 0.5}}, {x, 0.0, z}, kRough));
        }
    }
    const BodyId ground = world.create_body(level);
    std::vector<BodyId> boxes;
    for (int i = 0; i < 9; ++i) {
        BodyDesc desc;
        desc.shape = Box{{0.2, 0.2, 0.2}};
        desc.mass = 1.0;
        desc.material = kRough;
        desc.pose.position = {2.0 + 2.5 * (i % 3), 0.5, 2.0 + 2.5 * static_cast<double>(i / 3)}; // some on four parts
        boxes.push_back(world.create_body(desc));
    }
    const Watched seen = advance_and_watch(world, 180);
    REQUIRE(seen.arrived);
    CHECK(seen.deepest < 1e-3);
    for (const BodyId box : boxes) {
        CHECK(std::abs(world.pose(box).position.y - 0.3) < 1e-4);
        CHECK(glm::length(world.body(box).linear_velocity()) < 1e-6);
    }
    CHECK(world.contacts().size() <= 9 * 4 * 4);

    const auto hit = world.cast_ray({{7.2, 5.0, 11.9}, {0.0, -1.0, 0.0}});
    REQUIRE(hit);
    CHECK(hit->collider == ColliderId{ground, 7 * 20 + 12});
    CHECK(std::abs(hit->distance - 4.9) < 1e-12);
}
