// Swing and twist limits of a cone-twist joint, against the geometry of rotations.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kInertia = 0.1; // kg m^2 about any axis

IntegratorSettings precise() {
    IntegratorSettings settings;
    settings.method = "dormand_prince853";
    settings.atol = settings.rtol = 1e-12;
    return settings;
}

// A body that turns about its centre of mass, the point of a cone along y; no gravity.
struct Cone {
    World world;
    BodyId body;
    JointId joint;

    Cone(const ConeTwistLimits& limits, const glm::dvec3& omega)
        : world({.gravity = glm::dvec3(0.0), .integrator = precise()}) {
        BodyDesc desc;
        desc.mass_properties = MassProperties{2.0, glm::dvec3(0.0), glm::dmat3(kInertia)};
        desc.angular_velocity = omega;
        desc.collides = false;
        body = world.create_body(desc);
        joint = world.create_joint(cone_twist(world, kGround, body, glm::dvec3(0.0), {0.0, 1.0, 0.0}, limits));
    }

    // From the orientation alone: the angle between y before and now, and that about y which is left once the shortest
    // way from one to the other is taken back (the quaternion's part along y).
    double swing() const { return std::acos(std::min(1.0, (q() * glm::dvec3(0.0, 1.0, 0.0)).y)); }
    double twist() const { return 2.0 * std::atan2(q().y, q().w); }
    glm::dquat q() const {
        const glm::dquat now = world.pose(body).orientation;
        return now.w < 0.0 ? -now : now;
    }
};

} // namespace

TEST_CASE("a swing goes to and fro between the sides of its cone as a triangle wave, a twist between its ends") {
    const double rate = 1.7;
    for (const bool twists : {false, true}) {
        CAPTURE(twists);
        const ConeTwistLimits limits{.swing = twists ? std::numbers::pi : 0.7,
                                     .twist_lower = twists ? -0.7 : -std::numbers::pi,
                                     .twist_upper = twists ? 0.7 : std::numbers::pi,
                                     .restitution = 1.0};
        Cone cone(limits, twists ? glm::dvec3(0.0, rate, 0.0) : glm::dvec3(rate, 0.0, 0.0));
        std::vector<Impact> impacts;
        for (int frame = 1; frame <= 180; ++frame) {
            REQUIRE(cone.world.advance(kFrame).status == StepStatus::ReachedTarget);
            impacts.insert(impacts.end(), cone.world.impacts().begin(), cone.world.impacts().end());
            const double way = std::fmod(rate * cone.world.time() + 0.7, 2.8); // from one end to the other and back
            const double angle = way < 1.4 ? way - 0.7 : 2.1 - way;
            REQUIRE(std::abs((twists ? cone.twist() : cone.swing()) - (twists ? angle : std::abs(angle))) < 1e-9);
            REQUIRE(std::abs(cone.world.joint_value(cone.joint, twists ? JointAxis::AngleZ : JointAxis::Swing) -
                             (twists ? angle : std::abs(angle))) < 1e-9);
        }
        REQUIRE(impacts.size() == 4); // of 5.1 rad, one at 0.7 and each 1.4 on
        for (std::size_t i = 0; i < impacts.size(); ++i) {
            CHECK(std::abs(impacts[i].t - (0.7 + 1.4 * static_cast<double>(i)) / rate) < 1e-9);
            CHECK(std::abs(impacts[i].approach_speed - rate) < 1e-9);
        }
    }
}

TEST_CASE("a body thrown about in its cone passes neither limit, and keeps its energy where they are elastic") {
    const ConeTwistLimits limits{.swing = 0.9, .twist_lower = -0.5, .twist_upper = 1.1, .restitution = 1.0};
    Cone cone(limits, {2.0, 1.5, -1.2});
    const double start = cone.world.energy().total();
    double largest_swing = 0.0;
    double least_twist = 0.0;
    double largest_twist = 0.0;
    std::size_t impacts = 0;
    for (int frame = 0; frame < 600; ++frame) {
        REQUIRE(cone.world.advance(kFrame).status == StepStatus::ReachedTarget);
        impacts += cone.world.impacts().size();
        largest_swing = std::max(largest_swing, cone.swing());
        least_twist = std::min(least_twist, cone.twist());
        largest_twist = std::max(largest_twist, cone.twist());
    }
    CHECK(impacts > 10);
    CHECK(largest_swing < 0.9 + 1e-9);
    CHECK(largest_swing > 0.85); // it was there: a frame's way is 0.05 rad
    CHECK(least_twist > -0.5 - 1e-9);
    CHECK(least_twist < -0.45);
    CHECK(largest_twist < 1.1 + 1e-9);
    CHECK(std::abs(cone.world.energy().total() - start) < 1e-9 * start * static_cast<double>(impacts));
}

TEST_CASE("a top pressed against its cone goes round on it at a constant rate") {
    // Upright on its point with the centre of mass above, leaning on the cone and going round without a spin of its
    // own: the cone's push has no moment about y, so the moment of momentum about y, and with it the rate, stays.
    const double lean = 0.6;
    const double rate = 2.0;
    World world({.integrator = precise()});
    BodyDesc desc;
    desc.mass_properties = MassProperties{2.0, glm::dvec3(0.0), glm::dmat3(kInertia)};
    desc.pose.position = {0.0, 0.5, 0.0};
    desc.collides = false;
    const BodyId body = world.create_body(desc);
    const JointId joint =
        world.create_joint(cone_twist(world, kGround, body, glm::dvec3(0.0), {0.0, 1.0, 0.0}, {.swing = lean}));
    const glm::dquat leaning = glm::angleAxis(lean, glm::dvec3(1.0, 0.0, 0.0));
    const glm::dvec3 axis = leaning * glm::dvec3(0.0, 1.0, 0.0);
    const glm::dvec3 omega = rate * (glm::dvec3(0.0, 1.0, 0.0) - std::cos(lean) * axis);
    Body top = world.body(body);
    top.set_pose({0.5 * axis, leaning});
    top.set_angular_velocity(omega);
    top.set_linear_velocity(glm::cross(omega, 0.5 * axis));
    for (int frame = 1; frame <= 240; ++frame) {
        const StepReport report = world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        REQUIRE(report.order == 8);
        const glm::dvec3 p = world.pose(body).position;
        const double azimuth = rate * world.time();
        REQUIRE(glm::length(p - 0.5 * glm::dvec3(std::sin(lean) * std::sin(azimuth), std::cos(lean),
                                                 std::sin(lean) * std::cos(azimuth))) < 1e-9);
        REQUIRE(std::abs(world.joint_value(joint, JointAxis::Swing) - lean) < 1e-12);
    }
    CHECK(world.impacts().empty());
}

TEST_CASE("a soft cone is a spring: half an oscillation beyond it, and the swing comes back as fast as it came") {
    const double rate = 1.7;
    const double k = 40.0;
    Cone cone({.swing = 0.7, .stiffness = k}, {rate, 0.0, 0.0});
    const double beyond = std::numbers::pi / std::sqrt(k / kInertia); // s
    const double deepest = 0.7 + rate / std::sqrt(k / kInertia);
    double largest = 0.0;
    for (int frame = 1; frame <= 60; ++frame) {
        REQUIRE(cone.world.advance(kFrame).status == StepStatus::ReachedTarget);
        largest = std::max(largest, cone.swing());
        if (cone.world.time() > 0.7 / rate + beyond) {
            const double back = cone.world.time() - 0.7 / rate - beyond;
            REQUIRE(std::abs(cone.swing() - std::abs(0.7 - rate * back)) < 1e-8);
        }
    }
    CHECK(largest <= deepest + 1e-9);
    CHECK(largest > 0.72);
}
