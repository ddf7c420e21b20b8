// What counts as touching, or as stopped, of a joint's angle is a length at the reach of its body.
#include <doctest/doctest.h>

#include <cmath>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kTolerance = 1e-4; // m

// An arm of 2 kg on a hinge along z through the origin, along x, `scale` times 0.5 m long.
struct ScaledArm {
    World world;
    BodyId body;
    JointId joint;
    double inertia; ///< kg m^2, about the hinge
    double lever;   ///< m, radius of gyration about it

    ScaledArm(double scale, const glm::dvec3& gravity, double rate, auto change)
        : world({.gravity = gravity, .integrator = settings()}) {
        const double length = 0.5 * scale;
        const double own = 0.1 * scale * scale;
        inertia = own + 2.0 * length * length;
        lever = std::sqrt(inertia / 2.0);
        BodyDesc desc;
        desc.mass_properties = MassProperties{2.0, glm::dvec3(0.0), glm::dmat3(own)};
        desc.pose.position = {length, 0.0, 0.0};
        desc.angular_velocity = {0.0, 0.0, rate};
        desc.linear_velocity = {0.0, length * rate, 0.0};
        desc.collides = false;
        body = world.create_body(desc);
        JointDesc description = hinge(world, kGround, body, glm::dvec3(0.0), {0.0, 0.0, 1.0});
        change(description, *this);
        joint = world.create_joint(description);
    }
    static IntegratorSettings settings() {
        IntegratorSettings settings;
        settings.method = "dormand_prince54";
        settings.atol = settings.rtol = kTolerance;
        return settings;
    }
    double angle() const { return world.joint_value(joint, JointAxis::AngleZ); }
};

} // namespace

TEST_CASE("dry friction of a hinge rounds no turn away by which the body moves more than the tolerance") {
    // It stops after I w^2 / (2 M): by 9e-6 rad here, which of the largest arm is nine tolerances.
    constexpr double kTurn = 9e-6;
    constexpr double kRate = 1e-3;
    for (const double scale : {0.01, 1.0, 100.0}) {
        CAPTURE(scale);
        ScaledArm arm(scale, glm::dvec3(0.0), kRate, [](JointDesc& joint, const ScaledArm& a) {
            joint.friction = {{.axis = JointAxis::AngleZ, .dry = a.inertia * kRate * kRate / (2.0 * kTurn)}};
        });
        for (int frame = 0; frame < 6; ++frame) {
            REQUIRE(arm.world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        CHECK(std::abs(arm.world.joint_rate(arm.joint, JointAxis::AngleZ)) < 1e-15); // round-off of its start
        CHECK(std::abs(arm.angle() - kTurn) * arm.lever <= kTolerance);
    }
}

TEST_CASE("an arm that is lifted off its stop by half a millimetre is off it, however long the arm is") {
    constexpr double kLift = 5e-4; // m
    for (const double scale : {0.01, 1.0, 100.0}) {
        CAPTURE(scale);
        ScaledArm arm(scale, {0.0, -9.8, 0.0}, 0.0, [](JointDesc& joint, const ScaledArm&) {
            joint.limits = {{.axis = JointAxis::AngleZ, .lower = 0.0, .upper = 1.0}};
        });
        for (int frame = 0; frame < 3; ++frame) {
            REQUIRE(arm.world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
        CHECK(std::abs(arm.angle()) * arm.lever < 1e-12 * arm.lever);

        const double lift = kLift / arm.lever;
        const double length = 0.5 * scale;
        arm.world.body(arm.body).set_pose(
            {{length * std::cos(lift), length * std::sin(lift), 0.0}, glm::angleAxis(lift, glm::dvec3(0.0, 0.0, 1.0))});
        constexpr double kMoment = 1e-3; // s
        REQUIRE(arm.world.advance(kMoment).status == StepStatus::ReachedTarget);
        // It falls by g l m / (2 I) t^2.
        const double fallen = 9.8 * length * 2.0 / (2.0 * arm.inertia) * kMoment * kMoment;
        CHECK(std::abs(arm.angle() - (lift - fallen)) * arm.lever <= kTolerance);
    }
}
