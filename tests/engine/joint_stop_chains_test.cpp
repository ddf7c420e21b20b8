// Chains whose every hinge has hard limits and dry friction: held by modes, and within them by velocity steps.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "test_worlds.h"

using namespace engine_tests;

namespace {

// Links of half a metre, level, at rest; each hinge turns by the limit to both sides and has dry friction.
struct StoppedChain {
    World world;

    StoppedChain(const IntegratorSettings& integrator, int links, double dry, double limit = 0.8)
        : world({.integrator = integrator, .energy_ledger = true}) {
        std::vector<BodyId> bodies;
        for (int i = 0; i < links; ++i) {
            BodyDesc desc;
            desc.mass = 1.0;
            desc.shape = Box{{0.25, 0.05, 0.05}};
            desc.pose.position = {0.5 * i + 0.25, 0.0, 0.0};
            desc.collides = false;
            bodies.push_back(world.create_body(desc));
            JointDesc joint = hinge(world, i == 0 ? kGround : bodies[bodies.size() - 2], bodies.back(),
                                    {0.5 * i, 0.0, 0.0}, {0.0, 0.0, 1.0});
            joint.limits = {{.axis = JointAxis::AngleZ, .lower = -limit, .upper = limit, .restitution = 0.2}};
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

TEST_CASE("velocity steps keep chains within their limits without giving them energy, with and without dry friction") {
    // Links fall and fold until every hinge has met a limit. Those near are solved at once (12 and 30 links), in groups
    // (80: limits and friction are 160); of twelve, potential energy of 350 J is let go.
    struct Case {
        int links;
        double limit; // rad
        double dry;   // N m
        int frames;
    };
    for (const Case& c : {Case{12, 0.8, 0.0, 300}, Case{30, 0.4, 0.5, 120}, Case{80, 0.2, 0.5, 20}}) {
        if (kSanitized && c.links > 12) {
            continue;
        }
        CAPTURE(c.links);
        StoppedChain chain(fixed("impulse_euler", 4), c.links, c.dry, c.limit);
        World& world = chain.world;
        const double start = world.energy().total();
        double most = 0.0;
        double beyond = 0.0;
        for (int frame = 0; frame < c.frames; ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            most = std::max(most, world.energy().total() - start);
            for (const JointId joint : world.joints()) {
                beyond = std::max(beyond, std::abs(world.joint_value(joint, JointAxis::AngleZ)) - c.limit);
            }
        }
        CHECK(most < 3.5);    // a hundredth of what twelve let go: first order
        CHECK(beyond < 1e-7); // 3.4e-9 rad measured: what is left to the next step
    }
}
