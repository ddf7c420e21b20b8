// Whoever is stopped because he would pass through another one goes on with what that rests on: on a train as on the
// ground.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kLongFrame = 0.1; // s: bodies that fall move by half of their size in it

WorldSettings soft_settings() {
    WorldSettings settings;
    settings.integrator.method = "soft_steps";
    return settings;
}

BodyDesc box(const glm::dvec3& half_sizes, const glm::dvec3& place, const glm::dvec3& velocity) {
    BodyDesc desc;
    desc.shape = Box{half_sizes};
    desc.mass = 1.0;
    desc.material = {.friction = 0.5};
    desc.pose.position = place;
    desc.linear_velocity = velocity;
    return desc;
}

/// Where three boxes are on a carriage, after they have fallen on it and on one another.
std::vector<glm::dvec3> places_on_train(double speed, int frames) {
    World world(soft_settings());
    const glm::dvec3 velocity(speed, 0.0, 0.0);
    BodyDesc carriage = box({2.0, 0.5, 2.0}, {0.0, -0.5, 0.0}, velocity);
    carriage.motion = MotionType::Kinematic;
    carriage.mass.reset();
    const BodyId train = world.create_body(carriage);
    std::vector<BodyId> riders;
    for (int i = 0; i < 3; ++i) {
        const glm::dvec3 place(0.02 * i, 0.25 + 0.5 * i + 0.1 * (i + 1), 0.0);
        riders.push_back(world.create_body(box(glm::dvec3(0.25), place, velocity)));
    }
    for (int frame = 0; frame < frames; ++frame) {
        world.advance(kLongFrame);
    }
    std::vector<glm::dvec3> places;
    for (const BodyId id : riders) {
        places.push_back(world.pose(id).position - world.pose(train).position);
    }
    return places;
}

} // namespace

TEST_CASE("soft steps stack boxes on a train as on the ground, though each frame is longer than their way through") {
    const std::vector<glm::dvec3> at_rest = places_on_train(0.0, 30);
    CHECK(at_rest[2].y > 1.7); // stacked
    for (const double speed : {3.0, 30.0, 300.0}) {
        CAPTURE(speed);
        const std::vector<glm::dvec3> moving = places_on_train(speed, 30);
        for (std::size_t i = 0; i < moving.size(); ++i) {
            CHECK(glm::length(moving[i] - at_rest[i]) < 1e-3);
        }
    }
}

TEST_CASE("two bodies that would pass through one another in free flight lose no way that they have in common") {
    for (const double speed : {0.0, 7.0, 200.0}) {
        CAPTURE(speed);
        WorldSettings settings = soft_settings();
        settings.gravity = glm::dvec3(0.0);
        World world(settings);
        const glm::dvec3 common(speed, 0.0, 0.0);
        const BodyId a =
            world.create_body(box(glm::dvec3(0.25), {0.0, 0.0, -2.1}, common + glm::dvec3(0.0, 0.0, 20.0)));
        const BodyId b = world.create_body(box(glm::dvec3(0.25), {0.1, 0.0, 2.0}, common - glm::dvec3(0.0, 0.0, 21.0)));
        const glm::dvec3 start = 0.5 * (world.pose(a).position + world.pose(b).position);
        for (int frame = 1; frame <= 10; ++frame) {
            world.advance(kLongFrame);
            const glm::dvec3 middle = 0.5 * (world.pose(a).position + world.pose(b).position);
            const glm::dvec3 expected = start + frame * kLongFrame * (common - glm::dvec3(0.0, 0.0, 0.5));
            CHECK(glm::length(middle - expected) < 1e-9 * (1.0 + speed));
        }
        CHECK(world.pose(a).position.z < world.pose(b).position.z); // and not through one another
    }
}
