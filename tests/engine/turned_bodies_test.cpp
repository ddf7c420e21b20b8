// Slender bodies that turn far within an interval of soft steps: what they answer contacts by is not what it was where
// the interval began.
#include <doctest/doctest.h>

#include <algorithm>

#include "../sanitized.h"
#include "bodies/rigid_motion.h"
#include "pile_driver.h"
#include "substep/engine/world.h"
#include "substep/numerics/elementary_functions.h"

using namespace substep;
using namespace substep::detail;
using namespace substep::test;

namespace {

constexpr Box kRod{{0.5, 0.025, 0.025}}; // its largest moment of inertia is 201 times its smallest

glm::dquat any_rotation(PileNumbers& numbers) {
    const double x = numbers.next(), y = numbers.next(), z = numbers.next();
    return glm::normalize(quaternion(1.0, x, y, z));
}

/// Gives all bodies that move up to `rate` (rad/s) about each axis, and 1 m/s downwards.
void set_going(PileDriver& pile, double rate, PileNumbers& numbers) {
    for (PileBody& body : pile.bodies) {
        if (body.is_prescribed()) {
            continue;
        }
        const double x = numbers.between(-rate, rate), y = numbers.between(-rate, rate);
        body.angular_velocity = {x, y, numbers.between(-rate, rate)};
        body.angular_momentum = angular_momentum(body.rotation, 1.0 / body.inverse_moments, body.angular_velocity);
        body.velocity = {numbers.between(-1.0, 1.0), -1.0, numbers.between(-1.0, 1.0)};
    }
}

/// Advances by a second. Returns the most kinetic energy on the way, as a part of that at its begin; there is no
/// gravity.
double most_energy(PileDriver& pile) {
    pile.gravity = glm::dvec3(0.0);
    const double begin = pile.kinetic_energy();
    double most = begin;
    for (int i = 0; i < 60; ++i) {
        REQUIRE(pile.advance().is_finite);
        most = std::max(most, pile.kinetic_energy());
    }
    return most / begin;
}

} // namespace

// With the inertia of where an interval began they had more than 1e290 times their energy within the second.
TEST_CASE("turned bodies: rods that spin in a heap lose energy") {
    for (const double rate : {30.0, 60.0, 120.0, 300.0}) { // rad/s
        for (std::uint64_t seed = 1; seed <= (kSanitized ? 1 : 5); ++seed) {
            PileDriver pile;
            PileNumbers numbers(seed);
            add_pit(pile, 0.6);
            for (int i = 0; i < 8; ++i) {
                pile.add(kRod, {0.1 * (i % 2), 0.3 + 0.1 * i, 0.1 * (i / 2 % 2)}, 1.0, any_rotation(numbers));
            }
            set_going(pile, rate, numbers);
            CAPTURE(rate);
            CAPTURE(seed);
            CHECK(most_energy(pile) < 1.05);
        }
    }
}

// A rod that was stopped on its way and turned back to where it was then had up to 65 times its energy there.
TEST_CASE("turned bodies: who is stopped on his way has no more energy there than where he would have gone") {
    for (const double rate : {60.0, 120.0}) { // rad/s
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            PileDriver pile;
            PileNumbers numbers(seed);
            pile.add(kRod, {0.0, 0.0, 0.0}, 1.0);
            pile.add(kRod, {0.3 * numbers.next(), 0.06, 0.0}, 1.0, any_rotation(numbers));
            set_going(pile, rate, numbers);
            CAPTURE(rate);
            CAPTURE(seed);
            CHECK(most_energy(pile) < 1.05);
        }
    }
}

// In one turn about each axis a substep, as others make it, it had up to 200 times its energy.
TEST_CASE("turned bodies: a rod that flies keeps its momentum, and its energy to a hundredth, however fast it turns") {
    for (const double rate : {60.0, 300.0, 1000.0, 1e5}) { // rad/s
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            PileDriver pile;
            PileNumbers numbers(seed);
            pile.add(kRod, {0.0, 0.0, 0.0}, 1.0);
            set_going(pile, rate, numbers);
            const glm::dvec3 momentum = pile.bodies[0].angular_momentum;
            CAPTURE(rate);
            CAPTURE(seed);
            CHECK(most_energy(pile) < 1.01);
            if (rate < 1e4) {
                CHECK(glm::length(pile.bodies[0].angular_momentum - momentum) < 1e-10 * glm::length(momentum));
            }
        }
    }
}

// Nobody meets the rod: what is looked at for those who turn far changes nothing for the rest.
TEST_CASE("turned bodies: a rod that turns far in a pile keeps its momentum, and those who rest keep every bit") {
    const auto make = [](bool with_rod) {
        PileDriver pile;
        pile.gravity = glm::dvec3(0.0, -9.8, 0.0);
        add_floor(pile);
        for (int i = 0; i < 3; ++i) {
            pile.add(Box{glm::dvec3(0.5)}, {3.0 * i, 0.499, 0.0}, 1.0);
            pile.add(Box{glm::dvec3(0.5)}, {3.0 * i, 1.498, 0.0}, 1.0);
        }
        if (with_rod) {
            pile.add(kRod, {0.0, 900.0, 0.0}, 1.0);
            PileBody& rod = pile.bodies.back();
            rod.angular_momentum = angular_momentum(rod.rotation, 1.0 / rod.inverse_moments, {3.0, 80.0, 20.0});
        }
        return pile;
    };
    PileDriver alone = make(false);
    PileDriver both = make(true);
    const glm::dvec3 before = both.bodies.back().angular_momentum;
    for (int i = 0; i < 60; ++i) {
        alone.advance();
        both.advance();
    }
    for (std::size_t i = 0; i < alone.bodies.size(); ++i) {
        CHECK(alone.bodies[i].position == both.bodies[i].position);
        CHECK(alone.bodies[i].angular_momentum == both.bodies[i].angular_momentum);
    }
    CHECK(glm::length(both.bodies.back().angular_momentum - before) < 1e-12 * glm::length(before));
}

// The same in a world: a box without a lid, and no gravity.
TEST_CASE("turned bodies: rods that spin in a box of a world lose energy under soft steps") {
    WorldSettings settings;
    settings.gravity = glm::dvec3(0.0);
    settings.integrator.method = "soft_steps";
    World world(settings);
    for (const glm::dvec3& axis : {glm::dvec3(0.0, 1.0, 0.0), glm::dvec3(1.0, 0.0, 0.0), glm::dvec3(-1.0, 0.0, 0.0),
                                   glm::dvec3(0.0, 0.0, 1.0), glm::dvec3(0.0, 0.0, -1.0)}) {
        BodyDesc wall;
        wall.motion = MotionType::Static;
        wall.shape = Plane{};
        wall.pose.orientation = glm::angleAxis(axis.y > 0.0 ? 0.0 : 0.25 * kTwoPi,
                                               axis.y > 0.0 ? axis : glm::cross(glm::dvec3(0.0, 1.0, 0.0), axis));
        wall.pose.position = -0.6 * axis;
        world.create_body(wall);
    }
    PileNumbers numbers(1);
    for (int i = 0; i < 8; ++i) {
        BodyDesc rod;
        rod.shape = kRod;
        rod.mass = 1.0;
        rod.pose.position = {0.1 * (i % 2), 0.1 * i - 0.3, 0.1 * (i / 2 % 2)};
        rod.pose.orientation = any_rotation(numbers);
        const double x = numbers.between(-60.0, 60.0), y = numbers.between(-60.0, 60.0);
        rod.angular_velocity = {x, y, numbers.between(-60.0, 60.0)};
        world.create_body(rod);
    }
    const double begin = world.energy().kinetic;
    for (int i = 0; i < 60; ++i) {
        REQUIRE(succeeded(world.advance(1.0 / 60.0).status));
        CHECK(world.energy().kinetic < 1.05 * begin);
    }
}
