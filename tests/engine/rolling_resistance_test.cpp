// Surfaces that resist rolling and spinning: balls that come to rest, stay on slopes, and what is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kRadius = 0.2;                      // m
constexpr double kRolling = 0.01;                    // m
constexpr double kSpinning = 0.002;                  // m
constexpr double kSpeed = 2.0;                       // m/s
constexpr double kSpin = 10.0;                       // rad/s
constexpr double kInertia = 0.4 * kRadius * kRadius; // kg m^2, of 1 kg

const Material kSoft{.friction = 0.6, .rolling_resistance = kRolling, .spinning_resistance = kSpinning};
const Material kHard{.friction = 0.6};

// A ball that rolls along x on ground that is tilted about z, and of which a surface resists.
World rolling(const std::string& method, bool of_ball, double speed, double tilt = 0.0) {
    World world(contact_settings({.method = method}));
    add_ground(world, of_ball ? kHard : kSoft, tilt);
    const glm::dquat turn = glm::angleAxis(tilt, glm::dvec3(0.0, 0.0, 1.0));
    BodyDesc ball = sphere(turn * glm::dvec3(0.0, kRadius, 0.0), kRadius, of_ball ? kSoft : kHard);
    ball.linear_velocity = turn * glm::dvec3(speed, 0.0, 0.0);
    ball.angular_velocity = {0.0, 0.0, -speed / kRadius};
    world.create_body(ball);
    return world;
}

const Body ball_of(World& world) { return world.body(world.bodies().back()); }

double way_of(World& world) {
    const glm::dvec3 place = ball_of(world).pose().position;
    return std::hypot(place.x, place.z);
}

void advance(World& world, double time, double fps = 60.0) {
    for (int frame = 0; frame < static_cast<int>(std::lround(time * fps)); ++frame) {
        REQUIRE(world.advance(1.0 / fps).status == StepStatus::ReachedTarget);
    }
}

class Sticky final : public PairRule {
public:
    PairAnswer answer(const MeetingPair&) const override {
        return {.surface = SurfacePair{0.6, 0.6, 0.0, kRolling, kSpinning}};
    }
};

} // namespace

TEST_CASE("rolling resistance: a ball rolls v^2 over twice 5/7 g rho/r, and stays there, under every way to step") {
    const double expected = kSpeed * kSpeed / (2.0 * 5.0 / 7.0 * kGravity * kRolling / kRadius);
    for (const std::string method : {"auto", "cash_karp54", "rk4", "explicit_euler", "velocity_verlet", "theta",
                                     "impulse_euler", "impulse_euler_doubling"}) {
        for (const bool of_ball : {true, false}) {
            CAPTURE(method);
            CAPTURE(of_ball);
            World world = rolling(method, of_ball, kSpeed);
            advance(world, 7.0);
            CHECK(way_of(world) == doctest::Approx(expected).epsilon(0.02));
            const double there = way_of(world);
            advance(world, 3.0);
            CHECK(std::abs(way_of(world) - there) <= 1e-6);
            CHECK(glm::length(ball_of(world).linear_velocity()) <= 1e-6);
            CHECK(glm::length(ball_of(world).angular_velocity()) <= 1e-5);
        }
    }
}

TEST_CASE("rolling resistance: the way is that at any frame rate, and of what a rule answers") {
    const double expected = kSpeed * kSpeed / (2.0 * 5.0 / 7.0 * kGravity * kRolling / kRadius);
    for (const double fps : {10.0, 60.0, 240.0}) {
        CAPTURE(fps);
        World world = rolling("auto", true, kSpeed);
        advance(world, 8.0, fps);
        CHECK(way_of(world) == doctest::Approx(expected).epsilon(0.03));
        World ruled(contact_settings({}));
        add_ground(ruled, kHard);
        BodyDesc ball = sphere({0.0, kRadius, 0.0}, kRadius, kHard);
        ball.linear_velocity = {0.6 * kSpeed, 0.0, 0.8 * kSpeed};
        ball.angular_velocity = glm::dvec3(0.8 * kSpeed, 0.0, -0.6 * kSpeed) / kRadius;
        ruled.create_body(ball);
        ruled.set_pair_rule(std::make_shared<Sticky>());
        advance(ruled, 8.0, fps);
        CHECK(way_of(ruled) == doctest::Approx(expected).epsilon(0.03));
    }
}

TEST_CASE("rolling resistance: on a slope a ball stays below rho/r, and rolls off above it") {
    for (const std::string method : {"auto", "impulse_euler"}) {
        CAPTURE(method);
        World below = rolling(method, true, 0.0, std::atan(0.9 * kRolling / kRadius));
        World above = rolling(method, true, 0.0, std::atan(1.5 * kRolling / kRadius));
        const double slope = std::atan(1.5 * kRolling / kRadius);
        const double expected = 5.0 / 7.0 * kGravity * (std::sin(slope) - kRolling / kRadius * std::cos(slope));
        const double start = way_of(below);
        advance(below, 5.0);
        advance(above, 5.0);
        CHECK(std::abs(way_of(below) - start) <= 1e-4);
        CHECK(glm::length(ball_of(above).linear_velocity()) == doctest::Approx(5.0 * expected).epsilon(0.02));
    }
}

TEST_CASE("spinning resistance: a ball that spins slows down evenly, falls asleep, and the ledger says where it went") {
    const double rate = kSpinning * kGravity / kInertia; // rad/s^2
    for (const std::string method : {"auto", "rk4", "impulse_euler"}) {
        CAPTURE(method);
        WorldSettings settings = contact_settings({.method = method});
        settings.energy_ledger = true;
        settings.sleep.enabled = true;
        World world(settings);
        add_ground(world, kHard);
        BodyDesc ball = sphere({0.0, kRadius, 0.0}, kRadius, kSoft);
        ball.angular_velocity = {0.0, kSpin, 0.0};
        world.create_body(ball);
        advance(world, 4.0);
        CHECK(ball_of(world).angular_velocity().y == doctest::Approx(kSpin - 4.0 * rate).epsilon(0.02));
        const EnergyLedger ledger = world.energy_ledger();
        const double taken = 0.5 * kInertia * (kSpin * kSpin - std::pow(kSpin - 4.0 * rate, 2.0));
        CHECK(ledger.friction == doctest::Approx(-taken).epsilon(0.02));
        CHECK(std::abs(ledger.remainder()) <= 0.01 * taken);
        advance(world, 6.0);
        CHECK(glm::length(ball_of(world).angular_velocity()) == 0.0);
        CHECK(world.islands()[0].asleep);
    }
}

TEST_CASE("rolling resistance: a snapshot of what rolls goes on with the same bits") {
    World world = rolling("auto", true, kSpeed);
    world.set_pair_rule(std::make_shared<Sticky>());
    advance(world, 1.0);
    const WorldSnapshot snapshot = world.snapshot();
    advance(world, 2.0);
    const std::uint64_t there = world.hash();
    world.restore(snapshot);
    advance(world, 2.0);
    CHECK(world.hash() == there);
}

TEST_CASE("resistances of two surfaces: the larger one counts; what is below zero or not finite is refused") {
    const SurfacePair pair = combine({.rolling_resistance = 0.01, .spinning_resistance = 0.002},
                                     {.rolling_resistance = 0.004, .spinning_resistance = 0.003});
    CHECK(pair.rolling_resistance == 0.01);
    CHECK(pair.spinning_resistance == 0.003);
    CHECK(combine({}, {}).rolling_resistance == 0.0);

    World world(contact_settings({}));
    BodyDesc desc = sphere({0.0, 1.0, 0.0}, kRadius, {.rolling_resistance = -0.5});
    CHECK_THROWS_WITH_AS(world.create_body(desc), "The rolling resistance is -0.5 m; it must be 0 or more, and finite.",
                         std::invalid_argument);
    desc.material = {.spinning_resistance = std::numeric_limits<double>::infinity()};
    CHECK_THROWS_WITH_AS(world.create_body(desc), "The spinning resistance is inf m; it must be 0 or more, and finite.",
                         std::invalid_argument);
    desc.material = {.rolling_resistance = std::numeric_limits<double>::quiet_NaN()};
    CHECK_THROWS_WITH_AS(world.create_body(desc), "The rolling resistance is nan m; it must be 0 or more, and finite.",
                         std::invalid_argument);
}
