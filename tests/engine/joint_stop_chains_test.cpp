// Chains whose every hinge has hard limits and dry friction: held by modes, not handed over.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

// Links of half a metre, level, at rest; each hinge turns by 0.8 rad to both sides and has dry friction.
struct StoppedChain {
    World world;

    StoppedChain(const IntegratorSettings& integrator, int links, double dry)
        : world({.integrator = integrator, .energy_ledger = true}) {
        std::vector<BodyId> bodies;
        for (int i = 0; i < links; ++i) {
            BodyDesc desc;
            desc.shape = Box{{0.25, 0.05, 0.05}};
            desc.pose.position = {0.5 * i + 0.25, 0.0, 0.0};
            desc.collides = false;
            bodies.push_back(world.create_body(desc));
            JointDesc joint = hinge(world, i == 0 ? kWorldBody : bodies[bodies.size() - 2], bodies.back(),
                                    {0.5 * i, 0.0, 0.0}, {0.0, 0.0, 1.0});
            joint.limits = {{.axis = JointAxis::AngleZ, .lower = -0.8, .upper = 0.8, .restitution = 0.2}};
            joint.friction = {{.axis = JointAxis::AngleZ, .dry = dry}};
            world.create_joint(joint);
        }
    }
};

} // namespace

TEST_CASE("a falling chain with limits and dry friction in every hinge is held by modes") {
    IntegratorSettings settings;
    settings.method = "dormand_prince54";
    settings.atol = settings.rtol = 1e-6;
    for (const int links : {3, 4, 6}) {
        for (const double dry : {0.2, 2.0}) {
            CAPTURE(links);
            CAPTURE(dry);
            StoppedChain chain(settings, links, dry);
            int handed_over = 0;
            double beyond = 0.0;
            for (int frame = 0; frame < 300; ++frame) {
                const StepReport report = chain.world.advance(kFrame);
                REQUIRE(report.status == StepStatus::ReachedTarget);
                handed_over += report.order == 1 ? 1 : 0;
                for (const JointId joint : chain.world.joints()) {
                    beyond = std::max(beyond, std::abs(chain.world.joint_value(joint, JointAxis::AngleZ)) - 0.8);
                }
            }
            CHECK(handed_over == 0);
            // Where limits are hit more than eight times in a frame, what is within 1e-4 m is brought together, and
            // may push a neighbour so far: links reach 0.29 m from their hinges.
            CHECK(beyond < 1e-4 / 0.29);
        }
    }
}

TEST_CASE("what is handed over among stops of joints says so, and not that it were contacts") {
    // A method that takes no derivatives holds no modes: what rests on a limit is handed over.
    StoppedChain chain(fixed("velocity_verlet", 8), 2, 2.0);
    std::string message;
    for (int frame = 0; frame < 60 && message.empty(); ++frame) {
        const StepReport report = chain.world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        message = report.message;
    }
    CHECK(message.find("Limits or dry friction of joints") == 0);
}
