// Soft limits, drives and viscous friction of joints against closed forms.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "test_worlds.h"

using namespace engine_tests;

namespace {

IntegratorSettings precise(const char* method = "dormand_prince54") {
    IntegratorSettings settings;
    settings.method = method;
    settings.atol = settings.rtol = 1e-11;
    return settings;
}

constexpr double kInertia = 0.1 + 2.0 * 0.25; // kg m^2 about the hinge: of 2 kg at half a metre, and its own

// A wheel on an eccentric hinge along z at the origin, without gravity.
struct Wheel {
    World world;
    BodyId body;
    JointId joint;

    Wheel(const IntegratorSettings& settings, double rate, auto change)
        : world({.gravity = glm::dvec3(0.0), .integrator = settings}) {
        BodyDesc desc;
        desc.mass_properties = MassProperties{2.0, glm::dvec3(0.0), glm::dmat3(0.1)};
        desc.pose.position = {0.5, 0.0, 0.0};
        desc.angular_velocity = {0.0, 0.0, rate};
        desc.linear_velocity = {0.0, 0.5 * rate, 0.0};
        desc.collides = false;
        body = world.create_body(desc);
        JointDesc description = hinge(world, kGround, body, glm::dvec3(0.0), {0.0, 0.0, 1.0});
        change(description);
        joint = world.create_joint(description);
    }

    void run(double seconds) {
        for (int frame = 0; frame < static_cast<int>(std::lround(seconds * 60.0)); ++frame) {
            REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
        }
    }
    double angle() const { return world.joint_value(joint, JointAxis::AngleZ); }
    double rate() const { return world.joint_rate(joint, JointAxis::AngleZ); }
};

} // namespace

TEST_CASE("a soft limit is a spring: half an oscillation, and the speed comes back turned round") {
    const double k = 240.0; // N m/rad: 20 rad/s
    const double omega = std::sqrt(k / kInertia);
    Wheel wheel(precise(), 3.0, [&](JointDesc& joint) {
        joint.limits = {{.axis = JointAxis::AngleZ, .lower = -1.0, .upper = 0.45, .stiffness = k}};
    });
    wheel.run(0.15); // reaches the limit
    wheel.run(0.05);
    CHECK(wheel.angle() == doctest::Approx(0.45 + 3.0 / omega * std::sin(omega * 0.05)).epsilon(1e-8));
    wheel.run(0.15);
    const double back = 0.15 + std::numbers::pi / omega; // s, when it leaves again
    // Where the spring begins the force has a kink, which the tolerance bounds like everything else.
    CHECK(std::abs(wheel.angle() - (0.45 - 3.0 * (0.35 - back))) < 1e-8);
    CHECK(std::abs(wheel.rate() + 3.0) < 1e-8);

    // The other end: angles with whole turns count, and a damped limit gives back less.
    Wheel wound(precise(), -9.0, [&](JointDesc& joint) {
        joint.limits = {{.axis = JointAxis::AngleZ, .lower = -7.5, .stiffness = k, .damping = 2.0}};
    });
    wound.run(2.0);
    CHECK(wound.rate() > 1.0);
    CHECK(wound.rate() < 8.0);
    CHECK(wound.angle() > -7.5);
}

TEST_CASE("a servo answers as the second-order system that it is, in acceleration units whatever it drives") {
    const double natural = 15.0; // rad/s
    const double ratio = 0.3;    // of critical damping
    for (const char* method : {"dormand_prince853", "rk4", "velocity_verlet"}) {
        for (const DriveUnit unit : {DriveUnit::Force, DriveUnit::Acceleration}) {
            CAPTURE(method);
            const double scale = unit == DriveUnit::Force ? kInertia : 1.0;
            IntegratorSettings settings = precise(method);
            settings.substeps = 200;
            Wheel wheel(settings, 0.0, [&](JointDesc& joint) {
                joint.drives = {{.axis = JointAxis::AngleZ,
                                 .target_position = 0.8,
                                 .stiffness = scale * natural * natural,
                                 .damping = scale * 2.0 * ratio * natural,
                                 .unit = unit}};
            });
            for (int i = 1; i <= 5; ++i) {
                wheel.run(0.1);
                const double t = 0.1 * i;
                const double damped = natural * std::sqrt(1.0 - ratio * ratio);
                const double expected =
                    0.8 * (1.0 - std::exp(-ratio * natural * t) *
                                     (std::cos(damped * t) + ratio * natural / damped * std::sin(damped * t)));
                // h = 83 us: rk4's error is (omega h)^4 of the way, the splitting's first order with damping.
                const double bound = std::string_view(method) == "velocity_verlet" ? 1e-3 : 1e-9;
                CHECK(std::abs(wheel.angle() - expected) < bound);
            }
        }
    }
}

TEST_CASE("a motor spins up at its greatest torque, then holds its speed") {
    Wheel wheel(precise(), 0.0, [](JointDesc& joint) {
        joint.drives = {{.axis = JointAxis::AngleZ, .target_rate = 6.0, .damping = 50.0, .maximum_force = 1.8}};
    });
    wheel.run(1.0);
    CHECK(wheel.rate() == doctest::Approx(1.8 / kInertia).epsilon(1e-9));
    CHECK(wheel.angle() == doctest::Approx(0.5 * 1.8 / kInertia).epsilon(1e-9));
    // Saturated until 1.8 N m / 50 is missing, then the rest decays with kInertia / 50 = 12 ms.
    const double saturated = (6.0 - 1.8 / 50.0) * kInertia / 1.8;
    wheel.run(1.0);
    CHECK(std::abs(wheel.rate() - (6.0 - 1.8 / 50.0 * std::exp(-50.0 / kInertia * (2.0 - saturated)))) < 1e-7);
    wheel.run(1.0);
    CHECK(std::abs(wheel.rate() - 6.0) < 1e-9);
}

TEST_CASE("viscous friction in a joint slows it exponentially") {
    Wheel wheel(precise(), 5.0,
                [](JointDesc& joint) { joint.friction = {{.axis = JointAxis::AngleZ, .viscous = 0.3}}; });
    wheel.run(2.0);
    CHECK(wheel.rate() == doctest::Approx(5.0 * std::exp(-0.3 / kInertia * 2.0)).epsilon(1e-9));
}

TEST_CASE("a drive far stiffer than the step is stable in steps at velocity level, and gets where it should") {
    for (const char* method : {"impulse_euler", "theta"}) {
        CAPTURE(method);
        Wheel wheel(fixed(method, 1), 0.0, [](JointDesc& joint) {
            joint.drives = {{.axis = JointAxis::AngleZ, .target_position = 1.0, .stiffness = 1e7, .damping = 1e4}};
            joint.limits = {{.axis = JointAxis::AngleZ, .upper = 0.5, .stiffness = 1e3, .damping = 10.0}};
        });
        for (int frame = 0; frame < 120; ++frame) {
            wheel.run(kFrame);
            REQUIRE(std::abs(wheel.angle()) < 1.5);
        }
        CHECK(wheel.angle() == doctest::Approx((1e7 + 1e3 * 0.5) / (1e7 + 1e3)).epsilon(1e-6));
        CHECK(std::abs(wheel.rate()) < 1e-6);
    }
}

TEST_CASE("a drive's target may change in mid-run, and the next step follows it") {
    Wheel wheel(precise(), 0.0, [](JointDesc& joint) {
        joint.drives = {{.axis = JointAxis::AngleZ, .target_rate = 1.0, .damping = 20.0}};
    });
    wheel.run(1.0);
    CHECK(wheel.rate() == doctest::Approx(1.0).epsilon(1e-9));
    JointDrive drive = wheel.world.joint(wheel.joint).drives.front();
    drive.target_rate = -2.0;
    wheel.world.set_drive(wheel.joint, 0, drive);
    wheel.run(1.0);
    CHECK(wheel.rate() == doctest::Approx(-2.0).epsilon(1e-9));
    CHECK_THROWS_AS(wheel.world.set_drive(wheel.joint, 1, drive), std::invalid_argument);
    drive.damping = -1.0;
    CHECK_THROWS_AS(wheel.world.set_drive(wheel.joint, 0, drive), std::invalid_argument);
}

TEST_CASE("limits, drives and friction that make no sense are refused") {
    Wheel wheel(precise(), 0.0, [](JointDesc&) {});
    const JointDesc good = wheel.world.joint(wheel.joint);
    const auto refused = [&](auto change) {
        JointDesc joint = good;
        change(joint);
        CHECK_THROWS_AS(wheel.world.create_joint(joint), std::invalid_argument);
    };
    const double nan = std::nan("");
    refused([](JointDesc& j) { j.limits = {{.axis = JointAxis::AngleX, .upper = 1.0, .stiffness = 1.0}}; });
    refused(
        [](JointDesc& j) { j.limits = {{.axis = JointAxis::AngleZ, .lower = 2.0, .upper = 1.0, .stiffness = 1.0}}; });
    refused([&](JointDesc& j) { j.limits = {{.axis = JointAxis::AngleZ, .upper = nan, .stiffness = 1.0}}; });
    refused([](JointDesc& j) { j.limits = {{.axis = JointAxis::AngleZ, .upper = 1.0, .stiffness = -1.0}}; });
    refused([](JointDesc& j) { j.limits = {{.axis = JointAxis::AngleZ, .upper = 1.0, .damping = 1.0}}; });
    refused([](JointDesc& j) { j.limits = {{.axis = JointAxis::AngleZ, .upper = 1.0, .restitution = 1.1}}; });
    refused([](JointDesc& j) { j.limits = {{.axis = JointAxis::AngleZ, .lower = 1.0, .upper = 1.0}}; });
    refused([](JointDesc& j) {
        j.limits = {{.axis = JointAxis::AngleZ, .upper = 1.0, .stiffness = 1.0, .restitution = 0.5}};
    });
    refused([](JointDesc& j) { j.drives = {{.axis = JointAxis::X, .damping = 1.0}}; });
    refused([&](JointDesc& j) { j.drives = {{.axis = JointAxis::AngleZ, .stiffness = nan}}; });
    refused([](JointDesc& j) { j.drives = {{.axis = JointAxis::AngleZ, .damping = 1.0, .maximum_force = -1.0}}; });
    refused([](JointDesc& j) { j.friction = {{.axis = JointAxis::AngleZ, .viscous = -0.1}}; });
    refused([&](JointDesc& j) { j.friction = {{.axis = JointAxis::AngleZ, .dry = nan}}; });
    CHECK(wheel.world.joints().size() == 1);
}

TEST_CASE("motors and servos work in both regimes, in units of force and of acceleration") {
    const double damping = 8.0; // 1/s
    for (const char* method : {"dormand_prince54", "rk4", "velocity_verlet", "theta", "impulse_euler"}) {
        for (const DriveUnit unit : {DriveUnit::Force, DriveUnit::Acceleration}) {
            CAPTURE(method);
            CAPTURE(static_cast<int>(unit));
            const double scale = unit == DriveUnit::Force ? kInertia : 1.0;
            const bool smooth = std::string_view(method) == "dormand_prince54" || std::string_view(method) == "rk4";
            IntegratorSettings settings = precise(method);
            settings.substeps = 16;
            Wheel motor(settings, 0.0, [&](JointDesc& joint) {
                joint.drives = {
                    {.axis = JointAxis::AngleZ, .target_rate = 2.5, .damping = scale * damping, .unit = unit}};
            });
            motor.run(0.25);
            // rk4: (8/s x 1 ms)^4; the others are of first order here, 8/s x 1 ms of the way at most.
            CHECK(std::abs(motor.rate() - 2.5 * (1.0 - std::exp(-damping * 0.25))) < (smooth ? 1e-9 : 0.02));
            motor.run(3.0); // the others' velocity is that of a step's start or middle: a step turns it by 2.6e-3
            CHECK(std::abs(motor.rate() - 2.5) < (smooth ? 1e-9 : 5e-3));

            Wheel servo(settings, 0.0, [&](JointDesc& joint) {
                joint.drives = {{.axis = JointAxis::AngleZ,
                                 .target_position = -0.6,
                                 .stiffness = scale * 0.25 * damping * damping,
                                 .damping = scale * damping,
                                 .unit = unit}};
            });
            servo.run(0.25); // critically damped: x = 1 - (1 + w t) exp(-w t), w = damping / 2
            const double wt = 0.5 * damping * 0.25;
            CHECK(std::abs(servo.angle() + 0.6 * (1.0 - (1.0 + wt) * std::exp(-wt))) < (smooth ? 1e-9 : 0.01));
            servo.run(8.0);
            CHECK(std::abs(servo.angle() + 0.6) < 1e-9);
        }
    }
}

namespace {

// A motor that pushes with all it has until its target is near: 5 N m s/rad, 1.8 N m, 6 rad/s.
double saturated_error(const IntegratorSettings& settings, std::int64_t* evaluations, std::int64_t* rejected) {
    Wheel wheel(settings, 0.0, [](JointDesc& joint) {
        joint.drives = {{.axis = JointAxis::AngleZ, .target_rate = 6.0, .damping = 5.0, .maximum_force = 1.8}};
    });
    for (int frame = 0; frame < 120; ++frame) {
        const StepReport report = wheel.world.advance(kFrame);
        REQUIRE(report.status == StepStatus::ReachedTarget);
        *evaluations += report.evaluations;
        *rejected += report.rejected;
    }
    const double missing = 1.8 / 5.0; // rad/s, where the torque begins to fall
    const double saturated = (6.0 - missing) * kInertia / 1.8;
    return std::abs(wheel.rate() - (6.0 - missing * std::exp(-5.0 / kInertia * (2.0 - saturated))));
}

} // namespace

TEST_CASE(
    "a drive that reaches its greatest force is a switch: fixed methods keep their order, adaptive do not thrash") {
    std::int64_t evaluations = 0;
    std::int64_t rejected = 0;
    const double coarse = saturated_error(fixed("rk4", 1), &evaluations, &rejected);
    const double fine = saturated_error(fixed("rk4", 2), &evaluations, &rejected);
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(std::log2(coarse / fine) > 3.5);

    evaluations = rejected = 0;
    const double error = saturated_error(precise(), &evaluations, &rejected);
    CAPTURE(error);
    CAPTURE(evaluations);
    CAPTURE(rejected);
    CHECK(error < 1e-10);
    CHECK(rejected <= 2); // found by its crossing, not by steps that fail
}

TEST_CASE("a damped soft limit begins with a jump and ends where it would pull: fixed methods keep their order") {
    const double k = 240.0;
    const double d = 6.0;
    const double rate = 3.0;
    // Beyond the limit x = (v / w) exp(-s t) sin(w t), until k x + d x' = 0; from there it flies.
    const double s = 0.5 * d / kInertia;
    const double w = std::sqrt(k / kInertia - s * s);
    const double release = (std::numbers::pi - std::atan2(d * w, k - d * s)) / w;
    const double x = rate / w * std::exp(-s * release) * std::sin(w * release);
    const double v = rate / w * std::exp(-s * release) * (w * std::cos(w * release) - s * std::sin(w * release));
    const auto error = [&](const IntegratorSettings& settings) {
        Wheel wheel(settings, rate, [&](JointDesc& joint) {
            joint.limits = {{.axis = JointAxis::AngleZ, .upper = 0.45, .stiffness = k, .damping = d}};
        });
        wheel.run(0.4);
        return std::abs(wheel.angle() - (0.45 + x + v * (0.4 - 0.15 - release)));
    };
    const double coarse = error(fixed("rk4", 2));
    const double fine = error(fixed("rk4", 4));
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(std::log2(coarse / fine) > 3.5);
    CHECK(error(precise()) < 1e-10);
}
