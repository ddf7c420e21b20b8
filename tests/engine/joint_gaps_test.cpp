// Joints that a step leaves open: none where velocity steps take over, and said where there are.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

BodyDesc sphere_at(const glm::dvec3& position, const glm::dvec3& velocity, double radius = 0.3) {
    BodyDesc desc;
    desc.mass = 1.0;
    desc.shape = Sphere{radius};
    desc.pose.position = position;
    desc.linear_velocity = velocity;
    desc.material = {.friction = 0.4, .restitution = 0.5};
    return desc;
}

// Two spheres on a ball joint, and a third one that meets them, with a budget that the meeting spends.
struct Meeting {
    World world;
    JointId joint;

    Meeting(JointCorrection correction, const char* method, int budget)
        : world({.gravity = glm::dvec3(0.0), .integrator = fixed(method, 1), .impulse_euler = {correction}}) {
        WorldSettings settings = world.settings();
        settings.integrator.budget = budget;
        world.set_settings(settings);
        const BodyId left = world.create_body(sphere_at({}, {}));
        const BodyId right = world.create_body(sphere_at({1.0, 0.0, 0.0}, {}));
        world.create_body(sphere_at({1.1, 2.0, 0.1}, {0.0, -20.0, 0.0}));
        joint = world.create_joint(ball(world, left, right, {0.5, 0.0, 0.0}));
    }
};

// A bob of 1 kg that goes round a pin, by a rate in rad/s.
struct Whirl {
    World world;
    JointId joint;

    Whirl(JointCorrection correction, double rate)
        : world({.gravity = glm::dvec3(0.0), .integrator = fixed("impulse_euler", 1), .impulse_euler = {correction}}) {
        BodyDesc desc = sphere_at({1.0, 0.0, 0.0}, {0.0, rate, 0.0}, 0.1);
        desc.angular_velocity = {0.0, 0.0, rate};
        joint = world.create_joint(hinge(world, kGround, world.create_body(desc), {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    }
};

} // namespace

TEST_CASE("velocity steps that take over close joints whatever the correction that impulse_euler would have") {
    bool handed_over = false;
    for (const char* method : {"rk4", "cash_karp54", "velocity_verlet", "theta"}) {
        CAPTURE(std::string(method));
        Meeting fed(JointCorrection::Baumgarte, method, 5);
        Meeting projected(JointCorrection::PositionProjection, method, 5);
        for (int frame = 0; frame < 120; ++frame) {
            const StepReport report = fed.world.advance(kFrame);
            projected.world.advance(kFrame);
            handed_over |= fed.world.islands().front().handed_over || fed.world.islands().back().handed_over;
            CHECK((fed.world.joint_error(fed.joint) < 1e-9 || report.degraded));
            CHECK(fed.world.joint_error(fed.joint) < 1e-6);
        }
        CHECK(handed_over); // under rk4, the first one, at least
        for (std::size_t i = 0; i < fed.world.bodies().size(); ++i) {
            CHECK(fed.world.pose(fed.world.bodies()[i]).position ==
                  projected.world.pose(projected.world.bodies()[i]).position);
        }
    }
}

TEST_CASE("a gap of more than a millimetre under Baumgarte's correction is degraded, and names its joint") {
    for (const double rate : {0.5, 20.0}) {
        CAPTURE(rate);
        Whirl whirl(JointCorrection::Baumgarte, rate);
        bool was_open = false, was_closed = false;
        for (int frame = 0; frame < 60; ++frame) {
            const StepReport report = whirl.world.advance(kFrame);
            const double gap = whirl.world.joint_error(whirl.joint);
            CAPTURE(gap);
            const bool open = gap > 1e-3;
            was_open |= open;
            was_closed |= !open;
            CHECK(report.degraded == open);
            CHECK((report.message.find("The joint with index 0 and generation 0 was left open") !=
                   std::string_view::npos) == open);
            CHECK((!open || report.achieved_tolerance >= 0.5 * gap)); // the largest component of the gap
        }
        CHECK(was_open == (rate > 1.0));
        CHECK((was_closed || rate > 1.0));
    }
    Whirl closed(JointCorrection::PositionProjection, 20.0);
    for (int frame = 0; frame < 60; ++frame) {
        const StepReport report = closed.world.advance(kFrame);
        CHECK_FALSE(report.degraded);
        CHECK(report.message.empty());
    }
}

TEST_CASE("ends of a joint that are further apart than any number tell a finite error, before a step and behind it") {
    for (const bool is_rod : {false, true}) {
        for (const double far : {1e200, 1e308}) {
            CAPTURE(is_rod);
            CAPTURE(far);
            World world;
            const BodyId left = world.create_body(sphere_at({}, {}));
            const BodyId right = world.create_body(sphere_at({1.0, 0.0, 0.0}, {}));
            JointDesc joint = is_rod ? rod(world, left, right, {}, {1.0, 0.0, 0.0}) : ball(world, left, right, {});
            joint.frame_a.position = {far, far, -far};
            joint.frame_b.position = {-far, -far, far};
            joint.frame_b.orientation = glm::normalize(glm::dquat(0.4, -0.6, -0.5, -0.45));
            const JointId id = world.create_joint(joint);
            CHECK(world.joint_error(id) > 1e150);
            CHECK(std::isfinite(world.joint_error(id)));
            world.advance(kFrame);
            CHECK(world.joint_error(id) > 1e150);
            CHECK(std::isfinite(world.joint_error(id)));
        }
    }
}
