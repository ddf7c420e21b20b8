// Steps whose bound is met before they begin: theta makes them in one substep, whose path begins as the body moves.
#include <doctest/doctest.h>

#include <cmath>

#include "contact_worlds.h"

using namespace engine_tests;

TEST_CASE("the path of a substep that theta finished begins with the body's velocity, in a clone too") {
    for (const char* const method : {"verner87", "dormand_prince54", "cash_karp54"}) {
        CAPTURE(std::string(method));
        WorldSettings settings;
        settings.integrator.method = method;
        settings.gravity = glm::dvec3(0.0);
        settings.bound = 1; // evaluation
        World world(settings);
        add_ground(world, {});
        BodyDesc desc;
        desc.shape = Box{{0.1, 0.2, 0.3}};
        desc.mass = 1.0;
        desc.pose.position = {0.0, 0.6, 0.0};
        desc.linear_velocity = {2.0, 0.0, 0.0};
        desc.angular_velocity = {0.0, 30.0, 0.0};
        const BodyId body = world.create_body(desc);
        for (int frame = 0; frame < 3; ++frame) {
            CAPTURE(frame);
            const double t0 = world.time();
            const Pose before = world.sample(body, t0);
            World clone = world.clone(); // with the segment of the step before made again
            const StepReport report = world.advance(kFrame);
            CHECK(clone.advance(kFrame).contact_work == report.contact_work);
            CHECK(clone.hash() == world.hash());
            REQUIRE(report.fallback_substeps == 1);
            constexpr double kMoment = 1e-3 * kFrame;
            const Pose begun = world.sample(body, t0 + kMoment);
            CHECK(begun.position.x - before.position.x == doctest::Approx(2.0 * kMoment).epsilon(0.01));
            const glm::dquat turn = begun.orientation * glm::conjugate(before.orientation);
            CHECK(2.0 * std::asin(turn.y) == doctest::Approx(30.0 * kMoment).epsilon(0.01));
        }
    }
}
