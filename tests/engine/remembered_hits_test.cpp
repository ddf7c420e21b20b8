// Forces that velocity steps remember go on into steps of other lengths and to other solvers: hits do not.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

/// Balls that touch one another in a row, the first of which comes at `speed` (m/s); of equal size and mass, or not.
World struck_row(const std::string& method, int balls, double restitution, double speed, unsigned seed) {
    std::mt19937_64 random(seed);
    const auto drawn = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    WorldSettings settings;
    settings.gravity = glm::dvec3(0.0);
    settings.integrator.method = method;
    World world(settings);
    double x = 0.0;
    for (int i = 0; i < balls; ++i) {
        const double radius = seed == 0 ? 0.05 : 0.05 * (0.3 + 2.0 * drawn());
        x += i > 0 ? radius : 0.0;
        BodyDesc ball = sphere({x, 0.0, 0.0}, radius, {.friction = 0.0, .restitution = restitution});
        ball.mass = seed == 0 ? 1.0 : std::pow(10.0, 2.0 * drawn() - 1.0);
        ball.linear_velocity.x = i == 0 ? speed : 0.0;
        world.create_body(ball);
        x += radius;
    }
    return world;
}

/// Kinetic energy where frames end, over what there was before the first.
std::vector<double> energies(World& world, const std::vector<double>& frames) {
    const double first = world.energy().kinetic;
    std::vector<double> after;
    for (const double dt : frames) {
        world.advance(dt);
        after.push_back(world.energy().kinetic / first);
    }
    return after;
}

/// The largest part by which kinetic energy has risen at the end of a frame.
double largest_gain(World& world, const std::vector<double>& frames) {
    double before = 1.0;
    double gain = 0.0;
    for (const double now : energies(world, frames)) {
        gain = std::max(gain, now - before);
        before = now;
    }
    return gain;
}

/// Calls `check` with rows that are struck, and with the frames (s) that they are to be advanced by: one as short as
/// the ratio says, a long one, and so on.
template <class Check>
void for_struck_rows(const char* method, const Check& check) {
    for (const int balls : {5, 20, 40}) {
        for (const double ratio : {1.0, 10.0, 100.0}) {
            for (const double restitution : {0.0, 0.5, 1.0}) {
                INFO(std::string(method) << ", " << balls << " balls, frames 1 to " << ratio << ", e " << restitution);
                World world = struck_row(method, balls, restitution, 10.0, 0);
                check(world, std::vector<double>{0.1 / ratio, 0.1, 0.1 / ratio, 0.1, 0.1});
            }
        }
    }
}

} // namespace

TEST_CASE("a hit in a short step gives a long one no energy, by rebounds or without") {
    for (const char* const method : {"impulse_euler", "impulse_euler_doubling"}) {
        for_struck_rows(
            method, [](World& world, const std::vector<double>& frames) { CHECK(largest_gain(world, frames) < 1e-9); });
    }
}

TEST_CASE("a hit in a short step makes soft and convex steps give no more energy than there was") {
    // They let what is hit into one another, and push it apart later: with what the hit took, never with more.
    for (const char* const method : {"soft_steps", "convex_step"}) {
        for_struck_rows(method, [](World& world, const std::vector<double>& frames) {
            CHECK(std::ranges::max(energies(world, frames)) <= 1.0 + 1e-9);
        });
    }
}

TEST_CASE("the forces of a hit are not handed over to convex steps") {
    for (const double frequency : {60.0, 240.0, 1000.0}) {
        for (unsigned seed = 1; seed <= 20; ++seed) {
            CAPTURE(frequency);
            CAPTURE(seed);
            World world = struck_row("rk4", 20, 1.0, 1.0, seed);
            CHECK(largest_gain(world, std::vector<double>(8, 1.0 / frequency)) < 1e-9);
        }
    }
}

TEST_CASE("forces that press go on, from a short step into a long one") {
    const auto column = [] {
        WorldSettings settings;
        settings.integrator.method = "impulse_euler";
        World world(settings);
        add_ground(world, {.friction = 0.5});
        for (int i = 0; i < 6; ++i) {
            world.create_body(sphere({0.0, 0.1 + 0.2 * i, 0.0}, 0.1, {.friction = 0.5}));
        }
        return world;
    };
    World cold = column();
    const std::int64_t from_nothing = cold.advance(0.02).velocity_steps.iterations;
    World warm = column();
    for (int i = 0; i < 60; ++i) {
        warm.advance(1e-3);
    }
    const StepReport report = warm.advance(0.02);
    CAPTURE(from_nothing);
    CHECK(report.velocity_steps.fresh_contacts == 0);
    CHECK(3 * report.velocity_steps.iterations < from_nothing);
    CHECK(warm.energy().kinetic < 1e-12);
}
