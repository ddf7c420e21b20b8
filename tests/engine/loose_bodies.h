// Bodies that nothing ties, and what is done to them.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "same_reports.h"
#include "test_worlds.h"

namespace engine_tests {

inline constexpr int kBodies = 37; // two whole blocks and a part of one

// A number in [-1, 1) that depends on nothing but its place.
inline double drawn(int i, int k) {
    const double x = std::sin(12.9898 * i + 78.233 * k) * 43758.5453;
    return 2.0 * (x - std::floor(x)) - 1.0;
}

/// Such a body, by its number.
inline BodyDesc loose_body(int i) {
    const double mass = std::pow(10.0, 3.0 * drawn(i, 0));
    BodyDesc desc;
    desc.mass_properties = MassProperties{mass, {0.1 * drawn(i, 1), 0.0, 0.2}, glm::dmat3(0.0)};
    for (int axis = 0; axis < 3; ++axis) {
        desc.mass_properties->inertia[axis][axis] = mass * (1.0 + 0.4 * drawn(i, 2 + axis));
    }
    desc.pose.position = (i % 5 == 0 ? 1e5 : 10.0) * glm::dvec3(drawn(i, 5), drawn(i, 6), drawn(i, 7));
    desc.linear_velocity = 30.0 * glm::dvec3(drawn(i, 8), drawn(i, 9), drawn(i, 10));
    desc.angular_velocity = (i % 7 == 0 ? 60.0 : 3.0) * glm::dvec3(drawn(i, 11), drawn(i, 12), drawn(i, 13));
    desc.locks_rotation = i == 17;
    if (desc.locks_rotation) {
        desc.angular_velocity = glm::dvec3(0.0);
    }
    return desc;
}

/// Bodies of unequal masses, moments and rates, some of them far away; by islands, if something is asked of the world
/// that lanes do not do and that changes no bit: bodies that would fall asleep if they were slower than light is slow.
inline World loose_bodies(const IntegratorSettings& integrator, bool by_islands, int threads = 1, double length = 1.0,
                          int bodies = kBodies) {
    WorldSettings settings;
    settings.integrator = integrator;
    settings.threads = threads;
    settings.length = length;
    settings.sleep.enabled = by_islands;
    settings.sleep.linear_speed = settings.sleep.angular_speed = 1e-200;
    World world(settings);
    for (int i = 0; i < bodies; ++i) {
        world.create_body(loose_body(i % kBodies));
    }
    return world;
}

inline void check_same_worlds(const World& a, const World& b) {
    REQUIRE(a.hash() == b.hash());
    const std::vector<IslandView> of_a = a.islands();
    const std::vector<IslandView> of_b = b.islands();
    REQUIRE(of_a.size() == of_b.size());
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        check_same(of_a[i].report, of_b[i].report);
        CHECK(of_a[i].last_substep == of_b[i].last_substep);
        CHECK(of_a[i].settings->method == of_b[i].settings->method);
    }
    const auto attempts_of_a = a.substep_attempts();
    const auto attempts_of_b = b.substep_attempts();
    CHECK(std::ranges::equal(attempts_of_a, attempts_of_b, [](const SubstepAttempt& x, const SubstepAttempt& y) {
        return x.h == y.h && x.error == y.error && x.accepted == y.accepted;
    }));
    const auto limiting_a = a.limiting_quantity();
    const auto limiting_b = b.limiting_quantity();
    REQUIRE(limiting_a.has_value() == limiting_b.has_value());
    if (limiting_a) {
        CHECK(limiting_a->body.index == limiting_b->body.index);
        CHECK(limiting_a->quantity == limiting_b->quantity);
    }
}

// Pushes, blows, edits and frames of other lengths, to both worlds alike.
inline void disturb(World& world, int frame) {
    const auto at = [&](int i) { return world.body(world.bodies()[static_cast<std::size_t>(i % kBodies)]); };
    if (frame % 4 == 1) {
        at(frame).apply_force_at({5.0, -2.0, 1.0}, {0.3, 0.2, 0.1});
    }
    if (frame % 6 == 2) {
        at(3 * frame).set_angular_velocity({0.1, 20.0, 3.0});
    }
    if (frame % 9 == 5) {
        at(5 * frame).apply_impulse({1.0, 2.0, 3.0});
    }
    if (frame == 12) {
        WorldSettings settings = world.settings();
        settings.gravity = {1.0, -3.0, 0.5};
        world.set_settings(settings);
    }
    if (frame == 20) {
        WorldSettings settings = world.settings();
        settings.integrator.atol = 1e-5;
        settings.integrator.substeps = 4;
        world.set_settings(settings);
    }
}

inline IntegratorSettings of(const std::string& method, double tolerance) {
    IntegratorSettings settings = adaptive(tolerance, Boundary::Exact);
    settings.method = method;
    return settings;
}

} // namespace engine_tests
