// Which pairs a velocity step holds apart, how it pushes apart those that overlap, and what it says where it fails.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kMargin = 0.02; // m: nearer pairs are held apart whatever they do

/// A ball that flies at another, both of sizes and speeds of their own. It passes at so many times the sum of the radii
/// from centre to centre, and `more` m.
struct Shot {
    World world;
    BodyId flies;
    BodyId waits;
    glm::dvec3 velocity;
    double radii = 0.0;
    double mass = 0.0;

    Shot(std::mt19937& random, const std::string& method, double part, double more)
        : world([&] {
              WorldSettings settings;
              settings.gravity = {};
              settings.integrator = fixed(method, 1 + static_cast<int>(random() % 4));
              settings.integrator.atol = settings.integrator.rtol = 1e-3;
              return settings;
          }()) {
        const auto between = [&](double least, double most) {
            return least * std::pow(most / least, std::uniform_real_distribution<double>()(random));
        };
        const double first = between(0.005, 5.0);
        const double second = between(0.005, 5.0);
        radii = first + second;
        const double speed = between(5.0, 300.0);
        const double ahead = speed * between(0.01, 0.1) + radii + more;
        const auto number = [&] { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); };
        const glm::dvec3 along = glm::normalize(glm::dvec3(number(), number(), number()));
        const glm::dvec3 across = glm::normalize(glm::cross(along, glm::dvec3(number(), number(), number())));
        velocity = speed * along;
        BodyDesc ball =
            sphere((part * radii + more) * across - ahead * along, first, {.friction = 0.5, .restitution = 0.5});
        ball.linear_velocity = velocity;
        mass = ball.mass.value();
        flies = world.create_body(ball);
        BodyDesc other = sphere({}, second, {.friction = 0.5, .restitution = 0.5});
        other.mass = between(0.01, 100.0);
        waits = world.create_body(other);
    }

    double passes_in() const { return 0.15 + radii / glm::length(velocity); } ///< s, at most

    /// The nearest that the centres come to one another (m), on straight ways between frames.
    double watch(double dt, double seconds) {
        double nearest = 1e300;
        for (int frame = 0; frame < std::lround(seconds / dt); ++frame) {
            const auto apart = [&] { return world.pose(flies).position - world.pose(waits).position; };
            const glm::dvec3 before = apart();
            REQUIRE(world.advance(dt).status == StepStatus::ReachedTarget);
            const glm::dvec3 way = apart() - before;
            const double part =
                glm::dot(way, way) > 0.0 ? std::clamp(-glm::dot(before, way) / glm::dot(way, way), 0.0, 1.0) : 0.0;
            nearest = std::min(nearest, glm::length(before + part * way));
        }
        return nearest;
    }
};

} // namespace

TEST_CASE("a velocity step leaves alone what passes by, and lets nothing through, at 5 to 300 m/s, from 5 mm to 5 m") {
    for (const char* method : {"impulse_euler", "impulse_euler_doubling"}) {
        std::mt19937 random(5);
        int deflected = 0;
        int met = 0;
        int passed = 0;
        int unmoved = 0;
        for (int trial = 0; trial < 400; ++trial) {
            const double dt = std::array{0.1, 1.0 / 60.0, 1.0 / 240.0}[static_cast<std::size_t>(trial % 3)];
            Shot beside(random, method, 1.0, kMargin * (1.01 + (trial % 10) * 0.5));
            beside.watch(dt, beside.passes_in());
            deflected += beside.world.body(beside.flies).linear_velocity() != beside.velocity ||
                         beside.world.body(beside.waits).linear_velocity() != glm::dvec3(0.0);

            Shot onto(random, method, 0.9 * (trial % 10) / 10.0, 0.0);
            const double nearest = onto.watch(dt, onto.passes_in());
            unmoved += onto.world.body(onto.waits).linear_velocity() == glm::dvec3(0.0);
            passed += nearest < onto.radii * (1.0 - 1e-9);
            ++met;
        }
        CAPTURE(method);
        CHECK(deflected == 0);
        CHECK(met == 400);
        CHECK(unmoved == 0);
        CHECK(passed == 0);
    }
}

TEST_CASE("who is struck within a velocity step strikes others in his way, and misses those beside it") {
    // A row across a gap wider than the margin: the second is set in motion by the first, within the same step.
    for (const double beside : {0.0, 0.3}) {
        WorldSettings settings;
        settings.gravity = {};
        settings.integrator = fixed("impulse_euler", 1);
        World world(settings);
        BodyDesc first = sphere({0.0, 0.0, 0.0}, 0.1, {.restitution = 1.0});
        first.linear_velocity = {60.0, 0.0, 0.0};
        world.create_body(first);
        const BodyId second = add_sphere(world, {0.25, 0.0, 0.0}, 0.1, {.restitution = 1.0});
        const BodyId third = add_sphere(world, {0.6, 0.0, beside}, 0.1, {.restitution = 1.0});
        for (int frame = 0; frame < 6; ++frame) {
            world.advance(kFrame);
        }
        CAPTURE(beside);
        CHECK((world.body(third).linear_velocity() == glm::dvec3(0.0)) == (beside > 0.0));
        if (beside > 0.0) {
            CHECK(world.body(second).linear_velocity().x == doctest::Approx(60.0).epsilon(1e-6));
        } else {
            CHECK(world.body(third).linear_velocity().x > world.body(second).linear_velocity().x);
            CHECK(world.pose(third).position.x - world.pose(second).position.x >= 0.2 - 1e-9);
        }
    }
}

TEST_CASE("a body deep below a plane comes out at 3 m/s, said, and its energy is an entry of its own") {
    for (const char* method : {"cash_karp54", "rk4", "impulse_euler"}) {
        for (const double fps : {10.0, 60.0, 240.0}) {
            CAPTURE(method);
            CAPTURE(fps);
            WorldSettings settings = contact_settings(fixed(method, 2));
            settings.energy_ledger = true;
            World world(settings);
            add_ground(world, {.friction = 0.5, .restitution = 0.3});
            const BodyId ball = add_sphere(world, {0.0, -10.0, 0.0}, 0.1, {.friction = 0.5, .restitution = 0.3});
            world.advance(0.0);
            world.reset_energy_ledger();
            const double dt = 1.0 / fps;
            double last = world.pose(ball).position.y;
            int frames = 0;
            while (last < 0.1 - 1e-3 && ++frames < 1000) {
                const StepReport report = world.advance(dt);
                const double now = world.pose(ball).position.y;
                REQUIRE(now - last <= 3.0 * dt * (1.0 + 1e-9));
                REQUIRE(now > last);
                REQUIRE((report.degraded || now >= 0.1 - 1e-3));
                if (report.degraded) {
                    REQUIRE_FALSE(report.message.empty());
                }
                last = now;
            }
            CHECK(frames * dt == doctest::Approx(10.1 / 3.0).epsilon(0.05));
            const EnergyLedger ledger = world.energy_ledger();
            CHECK(ledger.overlap == doctest::Approx(kGravity * (last + 10.0)).epsilon(1e-9));
            CHECK(std::abs(ledger.remainder()) <= 1e-9 * ledger.overlap);
        }
    }
}

TEST_CASE("what only touches is closed at once, and no work of it is booked") {
    WorldSettings settings = contact_settings(fixed("impulse_euler", 2));
    settings.energy_ledger = true;
    World world(settings);
    add_ground(world, {.friction = 0.5});
    const BodyId ball = add_sphere(world, {0.0, 0.1, 0.0}, 0.1, {.friction = 0.5});
    for (int frame = 0; frame < 60; ++frame) {
        CHECK_FALSE(world.advance(kFrame).degraded);
    }
    CHECK(world.pose(ball).position.y == doctest::Approx(0.1).epsilon(1e-12));
    CHECK(std::abs(world.energy_ledger().overlap) <= 1e-12);
}

TEST_CASE("a heavy body on light ones that velocity steps cannot hold up is degraded, and said") {
    World world(contact_settings(fixed("impulse_euler", 1)));
    const Material material{.friction = 0.5};
    add_ground(world, material);
    for (int i = 0; i < 3; ++i) {
        const double angle = 2.0 * 3.14159265358979323846 / 3.0 * i;
        add_sphere(world, {0.115 * std::cos(angle), 0.1, 0.115 * std::sin(angle)}, 0.1, material);
    }
    BodyDesc top = sphere({0.0, 0.1 + 0.2 * std::sqrt(1.0 - 0.115 * 0.115 / 0.04), 0.0}, 0.1, material);
    top.mass = 1000.0;
    world.create_body(top);
    int unconverged = 0;
    for (int frame = 0; frame < 120; ++frame) {
        const StepReport report = world.advance(kFrame);
        const bool ran_out = report.velocity_steps.unconverged > 0;
        unconverged += ran_out ? 1 : 0;
        CHECK(report.degraded >= ran_out);
        CHECK(report.message.empty() != report.degraded);
    }
    CHECK(unconverged > 0);
}
