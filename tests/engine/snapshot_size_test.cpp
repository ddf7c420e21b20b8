// What contacts take in a snapshot, and that nothing of them is kept that is over.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "contact_worlds.h"
#include "pile_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kRadius = 0.1;
constexpr std::size_t kOfWorld = 1100; // bytes: header, settings, time, five planes, what an island has once
constexpr std::size_t kOfBody = 209;   // a body where it is, and where its last step began
constexpr std::size_t kOfIsland = 80;  // its memory and its service's

WorldSettings settings_of(const char* method) {
    IntegratorSettings settings;
    settings.method = method;
    return contact_settings(settings);
}

std::size_t touching(const World& world) {
    return static_cast<std::size_t>(
        std::ranges::count_if(world.contacts(), [](const Contact& contact) { return contact.gap < 1e-3 * kRadius; }));
}

void run(World& world, int frames) {
    for (int frame = 0; frame < frames; ++frame) {
        world.advance(kFrame);
    }
}

/// Spheres in a pit, set down in layers of twenty-five.
World pit(const char* method, int spheres) {
    World world(settings_of(method));
    const Material material{.friction = 0.5, .restitution = 0.1};
    add_trench(world, 5.1 * kRadius, material);
    for (int i = 0; i < spheres; ++i) {
        const glm::dvec3 place(2 * (i % 5) - 4 + 0.01 * (i % 3), 1 + 2 * (i / 25), 2 * (i / 5 % 5) - 4);
        add_sphere(world, kRadius * place, kRadius, material);
    }
    run(world, 600);
    return world;
}

} // namespace

TEST_CASE("a snapshot holds at most 60 bytes for each touching point of a heap at rest, of a pile 120, near pairs too" *
          doctest::skip(kSanitized)) {
    struct Case {
        const char* method;
        int spheres;
        std::size_t bytes; // of a point
    };
    for (const auto& [method, spheres, bytes] : {Case{"impulse_euler", 36, 60}, Case{"impulse_euler", 125, 60},
                                                 Case{"cash_karp54", 36, 120}, Case{"cash_karp54", 125, 120}}) {
        CAPTURE(std::string(method));
        CAPTURE(spheres);
        const World world = pit(method, spheres);
        const auto bodies = static_cast<std::size_t>(spheres);
        REQUIRE(touching(world) > bodies);
        CHECK(world.snapshot().bytes.size() <= kOfWorld + bodies * kOfBody + bytes * touching(world));
    }
}

TEST_CASE("a snapshot holds at most 100 bytes for each point that presses in heaps of boxes, near pairs too" *
          doctest::skip(kSanitized)) {
    struct Case {
        const char* name;
        World (*make)(const WorldSettings& settings, std::vector<BodyId>& bodies);
    };
    const auto columns_of_ten = [](const WorldSettings& settings, std::vector<BodyId>& bodies) {
        return columns(4, 10, settings, bodies);
    };
    const auto tower = [](const WorldSettings& settings, std::vector<BodyId>& bodies) {
        return columns(1, 10, settings, bodies);
    };
    const auto mess_of_200 = [](const WorldSettings& settings, std::vector<BodyId>& bodies) {
        return mess(200, settings, bodies, false);
    };
    const auto mess_of_60 = [](const WorldSettings& settings, std::vector<BodyId>& bodies) {
        return mess(60, settings, bodies, false);
    };
    for (const char* const method : {"auto", "soft_steps", "convex_step"}) {
        for (const Case& each : {Case{"columns of ten", columns_of_ten}, Case{"tower", tower},
                                 Case{"mess of 200", mess_of_200}, Case{"mess of 60", mess_of_60}}) {
            CAPTURE(std::string(method));
            CAPTURE(std::string(each.name));
            std::vector<BodyId> bodies;
            World world = each.make(settings_of(method), bodies);
            run(world, 300);
            const std::span<const Contact> contacts = world.contacts();
            const auto pressing = static_cast<std::size_t>(std::ranges::count_if(
                contacts, [](const Contact& contact) { return contact.force != glm::dvec3(0.0); }));
            REQUIRE(pressing >= bodies.size());
            CHECK(world.snapshot().bytes.size() <= kOfWorld + bodies.size() * kOfBody + 100 * pressing);
        }
    }
}

TEST_CASE("a snapshot holds at most 120 bytes for each point that modes hold, after impacts and slides too") {
    for (const char* const method : {"cash_karp54", "rk4", "verner87"}) {
        for (const double speed : {0.0, 0.5, 3.0}) {
            World world(settings_of(method));
            add_ground(world, {.friction = 0.3, .restitution = 0.5});
            for (int i = 0; i < 40; ++i) {
                const glm::dvec3 place(3.0 * (i % 8), kRadius + 0.01 * (i % 4), 3.0 * (i / 8));
                BodyDesc ball = sphere(place, kRadius, {.friction = 0.3, .restitution = 0.5});
                ball.linear_velocity = {speed, 0.0, 0.01 * i * speed};
                world.create_body(ball);
            }
            for (int frame = 0; frame < 60; ++frame) {
                world.advance(kFrame);
                const auto held = static_cast<std::size_t>(std::ranges::count_if(
                    world.contacts(), [](const Contact& each) { return each.mode != ContactMode::Separate; }));
                if (held == 40) {
                    CAPTURE(std::string(method));
                    CAPTURE(speed);
                    CAPTURE(frame);
                    CHECK(world.snapshot().bytes.size() <= kOfWorld + 40 * (kOfBody + kOfIsland) + 120 * held);
                }
            }
        }
    }
}

TEST_CASE("a pair that velocity steps no longer press together has no force, though it is still near") {
    for (const double speed : {0.4, 0.6, 1.0, 1.5}) {
        CAPTURE(speed);
        World world(settings_of("impulse_euler"));
        const Material bouncy{.friction = 0.5, .restitution = 1.0};
        add_ground(world, bouncy);
        BodyDesc ball = sphere({0.0, kRadius, 0.0}, kRadius, bouncy);
        ball.linear_velocity.y = -speed;
        world.create_body(ball);
        world.advance(kFrame); // the impact
        REQUIRE(world.contacts().size() == 1);
        CHECK(world.contacts()[0].force.y == doctest::Approx(9.8)); // its weight goes on pressing, the hit does not
        world.advance(kFrame);
        for (const Contact& contact : world.contacts()) {
            CHECK(contact.force == glm::dvec3(0.0));
            CHECK(contact.mode == ContactMode::Separate);
        }
    }
}

TEST_CASE("a heap keeps its forces where a body far away is destroyed that was there before it") {
    World world(settings_of("impulse_euler"));
    BodyDesc stone = sphere({100.0, 0.0, 0.0}, kRadius, {});
    stone.motion = MotionType::Static;
    const BodyId far = world.create_body(stone);
    add_trench(world, 5.1 * kRadius, {.friction = 0.5});
    for (int i = 0; i < 50; ++i) {
        const glm::dvec3 place(2 * (i % 5) - 4 + 0.01 * (i % 3), 1 + 2 * (i / 25), 2 * (i / 5 % 5) - 4);
        add_sphere(world, kRadius * place, kRadius, {.friction = 0.5, .restitution = 0.1});
    }
    run(world, 600);
    World untouched = world.clone();
    world.destroy_body(far);
    world.advance(kFrame);
    untouched.advance(kFrame);
    const auto fastest = [](const World& of) {
        double speed = 0.0;
        for (const BodyId id : of.bodies()) {
            speed = std::max(speed, glm::length(of.body(id).linear_velocity()));
        }
        return speed;
    };
    CHECK(fastest(world) == fastest(untouched));
}
