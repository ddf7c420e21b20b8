// The energy ledger of joints: springs of servos and limits, motors and friction, each alone against a closed form.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "ledger_worlds.h"

using namespace engine_tests;

namespace {

constexpr double kInertia = 0.1 + 2.0 * 0.25; // kg m^2 about the hinge: of 2 kg at half a metre, and its own

// A wheel on an eccentric hinge along z, without gravity, on the ground or on a carrier that turns about the same axis.
struct Wheel {
    World world;
    JointId joint;

    Wheel(double rate, auto change, double carrier_rate = 0.0) : world(with_ledger(precise(Boundary::Exact))) {
        BodyDesc desc;
        desc.mass_properties = MassProperties{2.0, glm::dvec3(0.0), glm::dmat3(0.1)};
        desc.pose.position = {0.5, 0.0, 0.0};
        desc.angular_velocity = {0.0, 0.0, rate};
        desc.linear_velocity = {0.0, 0.5 * rate, 0.0};
        desc.collides = false;
        const BodyId body = world.create_body(desc);
        BodyId carrier = kGround;
        if (carrier_rate != 0.0) {
            BodyDesc turning;
            turning.motion = MotionType::Kinematic;
            turning.angular_velocity = {0.0, 0.0, carrier_rate};
            turning.collides = false;
            carrier = world.create_body(turning);
        }
        JointDesc description = hinge(world, carrier, body, glm::dvec3(0.0), {0.0, 0.0, 1.0});
        change(description);
        joint = world.create_joint(description);
        world.advance(kFrame);
        world.reset_energy_ledger();
    }
    double angle() const { return world.joint_value(joint, JointAxis::AngleZ); }
    double rate() const { return world.joint_rate(joint, JointAxis::AngleZ); }
};

double kinetic(double rate) { return 0.5 * kInertia * rate * rate; }

} // namespace

TEST_CASE("the spring of a servo holds energy like any other, and gives it back") {
    const double k = 30.0;
    Wheel wheel(0.0, [&](JointDesc& joint) {
        joint.drives = {{.axis = JointAxis::AngleZ, .target_position = 2.0, .stiffness = k}};
    });
    const double omega = std::sqrt(k / kInertia);
    for (int i = 0; i < 10; ++i) {
        run(wheel.world, 0.1);
        const double t = wheel.world.time();
        const EnergyLedger ledger = wheel.world.energy_ledger();
        const double away = 2.0 * std::cos(omega * t);
        CHECK(std::abs(ledger.joint_springs - 0.5 * k * away * away) < 1e-7); // J: 60 J at 1e-12 of the angle, added up
        CHECK(std::abs(wheel.world.energy().potential - ledger.joint_springs) < 1e-12);
        CHECK(std::abs(wheel.world.energy().total() - 0.5 * k * 4.0) < kPrecise * 60.0);
        CHECK(std::abs(ledger.drives) < kPrecise);
        CHECK(std::abs(ledger.remainder()) < kPrecise * 60.0);
    }
}

TEST_CASE("a servo that may not pull harder pulls with what it may, and its spring's energy falls in proportion") {
    // From rest, 10 rad away, at 3 N m until 30 (2 - angle) is less: far beyond half a second.
    Wheel wheel(0.0, [&](JointDesc& joint) {
        joint.drives = {{.axis = JointAxis::AngleZ, .target_position = 10.0, .stiffness = 30.0, .maximum_force = 3.0}};
    });
    const EnergyLedger before = wheel.world.energy_ledger();
    const double start = wheel.angle();
    CHECK(std::abs(before.joint_springs - 3.0 * (10.0 - start - 0.05)) < kPrecise); // F (s - F / 2 k)
    run(wheel.world, 0.5);
    const EnergyLedger ledger = wheel.world.energy_ledger();
    CHECK(std::abs(before.joint_springs - ledger.joint_springs - 3.0 * (wheel.angle() - start)) < kPrecise);
    CHECK(std::abs(ledger.kinetic - kinetic(3.0 / kInertia * wheel.world.time())) < kPrecise);
    CHECK(std::abs(ledger.drives) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("a damped servo that reaches its greatest force, and its spring alone elsewhere, leaves no remainder") {
    // From rest, 2 rad away, at 12 N m: the spring is as strong from 0.4 rad away, spring and damper together
    // elsewhere. The energy's law changes there; inside a substep that left 0.016 J.
    for (const double damping : {0.9, 6.0, 30.0}) {
        Wheel wheel(0.0, [&](JointDesc& joint) {
            joint.drives = {{.axis = JointAxis::AngleZ,
                             .target_position = 2.0,
                             .stiffness = 30.0,
                             .damping = damping,
                             .maximum_force = 12.0}};
        });
        for (int i = 0; i < 20; ++i) {
            run(wheel.world, 0.1);
            CAPTURE(damping);
            CHECK(std::abs(wheel.world.energy_ledger().remainder()) < 30.0 * kPrecise); // of 24 J
        }
    }
}

TEST_CASE(
    "a motor's work is its torque times the angle, and its damper's what is missing in the spring's oscillation") {
    Wheel motor(0.0, [](JointDesc& joint) {
        joint.drives = {{.axis = JointAxis::AngleZ, .target_rate = 60.0, .damping = 50.0, .maximum_force = 1.8}};
    });
    const double start = motor.angle();
    run(motor.world, 1.0);
    const EnergyLedger driven = motor.world.energy_ledger();
    CHECK(std::abs(driven.drives - 1.8 * (motor.angle() - start)) < kPrecise);
    CHECK(driven.joint_springs == 0.0);
    CHECK(std::abs(driven.remainder()) < kPrecise);

    // x'' = -k x - d x' per inertia, from 1 rad at rest.
    const double k = 30.0, d = 0.9;
    Wheel servo(0.0, [&](JointDesc& joint) {
        joint.drives = {{.axis = JointAxis::AngleZ, .target_position = 1.0, .stiffness = k, .damping = d}};
    });
    const double first = servo.world.energy_ledger().total();
    run(servo.world, 1.0);
    const double t = servo.world.time();
    const double decay = 0.5 * d / kInertia, omega = std::sqrt(k / kInertia - decay * decay);
    const double x = std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
    const double v = std::exp(-decay * t) * k / kInertia / omega * std::sin(omega * t);
    const EnergyLedger ledger = servo.world.energy_ledger();
    CHECK(std::abs(ledger.joint_springs - 0.5 * k * x * x) < 10.0 * kPrecise);
    CHECK(std::abs(ledger.drives - (0.5 * k * x * x + kinetic(v) - first)) < 10.0 * kPrecise);
    CHECK(std::abs(ledger.remainder()) < 10.0 * kPrecise);
}

TEST_CASE("what a servo in units of acceleration gives is all booked as the drive's") {
    Wheel wheel(0.0, [](JointDesc& joint) {
        joint.drives = {{.axis = JointAxis::AngleZ,
                         .target_position = 1.0,
                         .stiffness = 50.0,
                         .damping = 3.0,
                         .unit = DriveUnit::Acceleration}};
    });
    const double before = wheel.world.energy_ledger().kinetic;
    run(wheel.world, 0.3);
    const EnergyLedger ledger = wheel.world.energy_ledger();
    CHECK(ledger.joint_springs == 0.0);
    CHECK(ledger.drives > 1.0);
    CHECK(std::abs(ledger.drives - (kinetic(wheel.rate()) - before)) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("viscous friction in a joint is booked as friction, and nothing else is") {
    Wheel wheel(5.0, [](JointDesc& joint) { joint.friction = {{.axis = JointAxis::AngleZ, .viscous = 0.3}}; });
    const double begin = wheel.world.time();
    run(wheel.world, 1.0);
    const auto energy = [](double t) { return kinetic(5.0 * std::exp(-0.3 / kInertia * t)); };
    const EnergyLedger ledger = wheel.world.energy_ledger();
    CHECK(std::abs(ledger.friction - (energy(wheel.world.time()) - energy(begin))) < kPrecise);
    CHECK(std::abs(ledger.drives) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("a soft limit's spring gives back what it took; its damper's share is the drive's") {
    for (const double damping : {0.0, 2.0}) {
        CAPTURE(damping);
        Wheel wheel(3.0, [&](JointDesc& joint) {
            joint.limits = {{.axis = JointAxis::AngleZ, .upper = 0.45, .stiffness = 240.0, .damping = damping}};
        });
        run(wheel.world, 0.2 - kFrame); // at the limit from 0.15 s on, for pi / 20 s
        const double beyond = wheel.angle() - 0.45;
        CHECK(beyond > 0.01);
        CHECK(std::abs(wheel.world.energy_ledger().joint_springs - 120.0 * beyond * beyond) < kPrecise);
        run(wheel.world, 0.3);
        const EnergyLedger ledger = wheel.world.energy_ledger();
        CHECK(ledger.joint_springs == 0.0);
        // Where it begins the spring's force has a kink, and the damper's a jump of 6 N m: one substep's error.
        const double bound = damping > 0.0 ? 1e-3 : 1e-7;
        CHECK(std::abs(ledger.drives - (kinetic(wheel.rate()) - kinetic(3.0))) < bound);
        CHECK((damping > 0.0) == (ledger.drives < -0.1));
        CHECK(std::abs(ledger.remainder()) < bound);
    }
}

TEST_CASE("a clutch to a turning carrier: half of what the carrier gives, the drive loses") {
    // The wheel's rate is w (1 - exp(-d t / I)); torque d (w - rate) times w is the carrier's power, times the slip the
    // clutch's loss.
    const double w = 4.0, d = 1.2;
    Wheel wheel(
        0.0, [&](JointDesc& joint) { joint.drives = {{.axis = JointAxis::AngleZ, .damping = d}}; }, w);
    const double begin = wheel.world.time();
    run(wheel.world, 1.0);
    const auto left = [&](double t) { return std::exp(-d / kInertia * t); };
    const double a = left(begin), b = left(wheel.world.time());
    const EnergyLedger ledger = wheel.world.energy_ledger();
    CHECK(std::abs(ledger.prescribed - kInertia * w * w * (a - b)) < kPrecise);
    CHECK(std::abs(ledger.drives + 0.5 * kInertia * w * w * (a * a - b * b)) < kPrecise);
    CHECK(std::abs(ledger.joints) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < kPrecise);
}

TEST_CASE("a drive's target that jumps is an edit: its spring is stretched from outside") {
    Wheel wheel(0.0, [](JointDesc& joint) { joint.drives = {{.axis = JointAxis::AngleZ, .stiffness = 30.0}}; });
    JointDrive drive = wheel.world.joint(wheel.joint).drives.front();
    drive.target_position = 1.0;
    wheel.world.set_drive(wheel.joint, 0, drive);
    CHECK(std::abs(wheel.world.energy_ledger().edits - 15.0) < kPrecise);
    run(wheel.world, 0.5);
    const EnergyLedger ledger = wheel.world.energy_ledger();
    CHECK(std::abs(ledger.edits - 15.0) < kPrecise);
    CHECK(std::abs(ledger.remainder()) < 15.0 * kPrecise);
}

TEST_CASE("methods that kick and drift close the ledger at their order") {
    // A pendulum of 25 J: its joint does no work of its own, a carrier that moves and turns does, by the joint or by a
    // spring, so do a motor at its maximum force, a field that goes round in time, and a force applied every frame.
    // Drag, which a kick takes at the velocity before it, makes all of them first order, and the ledger second.
    enum class Worker { None, Carrier, Motor, CarriedMotor, Spring, Field, Applied, Drag };
    const auto remainder = [](const char* method, int substeps, Worker worker) {
        World world(with_ledger(fixed(method, substeps), {0.0, -9.8, 0.0}));
        BodyDesc desc;
        desc.mass_properties = MassProperties{5.0, glm::dvec3(0.0), glm::dmat3(0.1)};
        desc.pose.position = {0.5, 0.0, 0.0};
        desc.collides = false;
        const BodyId body = world.create_body(desc);
        BodyDesc carrier;
        carrier.motion = MotionType::Kinematic;
        carrier.linear_velocity = {0.3, 0.2, 0.0};
        carrier.angular_velocity = {0.0, 0.0, 1.0};
        carrier.collides = false;
        const bool carried = worker == Worker::Carrier || worker == Worker::CarriedMotor;
        const bool driven = worker == Worker::Motor || worker == Worker::CarriedMotor;
        const BodyId holder = carried || worker == Worker::Spring ? world.create_body(carrier) : kGround;
        JointDesc joint = hinge(world, carried ? holder : kGround, body, glm::dvec3(0.0), {0.0, 0.0, 1.0});
        if (driven) {
            joint.drives = {{.axis = JointAxis::AngleZ, .target_rate = 60.0, .damping = 50.0, .maximum_force = 1.8}};
        }
        world.create_joint(joint);
        if (worker == Worker::Spring) {
            world.add_force_field(std::make_unique<Spring>(
                SpringDesc{.body_a = holder, .body_b = body, .stiffness = 60.0, .rest_length = 0.1}));
        }
        if (worker == Worker::Drag) {
            world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 0.5, .quadratic = 0.2}));
        }
        if (worker == Worker::Field) {
            world.add_force_field(std::make_unique<CustomField>([](double t, const BodyMotion&) {
                return Wrench{glm::dvec3(9.0 * std::cos(2.0 * t), 9.0 * std::sin(2.0 * t), 0.0), glm::dvec3(0.0)};
            }));
        }
        const auto pass = [&](int frames) {
            for (int frame = 0; frame < frames; ++frame) {
                if (worker == Worker::Applied) {
                    world.body(body).apply_force({3.0, 2.0, 0.0});
                }
                REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
            }
        };
        pass(1);
        world.reset_energy_ledger();
        pass(60);
        const EnergyLedger ledger = world.energy_ledger();
        CHECK((std::abs(ledger.prescribed) > 1.0) == (carried || worker == Worker::Spring));
        CHECK((std::abs(ledger.drives) > 1.0) == driven);
        CHECK((std::abs(ledger.applied) > 1.0) == (worker == Worker::Applied));
        CHECK((!ledger.fields.empty() && std::abs(ledger.fields[0].work) > 1.0) ==
              (worker == Worker::Field || worker == Worker::Drag));
        return glm::dvec2(std::abs(ledger.remainder()), std::abs(ledger.joints));
    };
    struct Row {
        const char* method;
        double order;
        double coarse; // J, ten times what is measured at two substeps
    };
    for (const Row& row : {Row{"symplectic_euler", 1.0, 3.0}, Row{"velocity_verlet", 2.0, 0.02},
                           Row{"yoshida4", 4.0, 1e-4}, Row{"sofroniou_spaletta6", 6.0, 1e-8}}) {
        for (const Worker worker : {Worker::None, Worker::Carrier, Worker::Motor, Worker::CarriedMotor, Worker::Spring,
                                    Worker::Field, Worker::Applied, Worker::Drag}) {
            CAPTURE(row.method);
            CAPTURE(static_cast<int>(worker));
            const glm::dvec2 few = remainder(row.method, 2, worker);
            const glm::dvec2 many = remainder(row.method, 4, worker);
            for (int i = 0; i < 2; ++i) {
                CAPTURE(few[i]);
                CAPTURE(many[i]);
                const bool is_drag = worker == Worker::Drag;
                CHECK(few[i] < (is_drag ? std::max(row.coarse, 0.02) : row.coarse));
                CHECK((few[i] < 1e-11 ||
                       many[i] < 1.5 * few[i] / std::pow(2.0, is_drag ? std::min(row.order, 2.0) : row.order)));
            }
        }
    }
}

TEST_CASE("velocity steps book viscous friction as friction alone") {
    for (const char* method : {"impulse_euler", "theta"}) {
        CAPTURE(method);
        Wheel wheel(3.0, [&](JointDesc& joint) { joint.friction = {{.axis = JointAxis::AngleZ, .viscous = 0.5}}; });
        WorldSettings settings = wheel.world.settings();
        settings.integrator = fixed(method, 4);
        wheel.world.set_settings(settings);
        run(wheel.world, 1.0);
        const EnergyLedger ledger = wheel.world.energy_ledger();
        CHECK(ledger.friction < -1.0);
        CHECK(std::abs(ledger.drives) < 1e-12); // they solve for it implicitly, so it is less than at the step's start
    }
}

TEST_CASE("what a velocity step's joint takes is booked as the joint's, as its closed form says") {
    // A bob on a rod of length r, without forces. Each step takes the part of its velocity along the new direction, and
    // moves it by h v across it: the turn is atan(h v/r), v' = v cos(turn), so 1/v^2 grows by (h/r)^2 a step; in the
    // first there is nothing to take. The joint's impulse at the mean velocity is exactly what is missing.
    WorldSettings settings = with_ledger(fixed("impulse_euler", 1));
    World world(settings);
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 2.0;
    desc.pose.position = {0.5, 0.0, 0.0};
    desc.linear_velocity = {0.0, 3.0, 0.0};
    desc.collides = false;
    const BodyId body = world.create_body(desc);
    world.create_joint(rod(world, kGround, body, glm::dvec3(0.0), desc.pose.position));
    run(world, 1.0);
    const double growth = 59.0 * kFrame * kFrame / 0.25;
    const EnergyLedger ledger = world.energy_ledger();
    CHECK(std::abs(ledger.joints - (1.0 / (1.0 / 9.0 + growth) - 9.0)) < 1e-12); // J: -3.34 of 9
    CHECK(std::abs(ledger.remainder()) < 1e-12);
}

TEST_CASE(
    "a carrier that turns works through a slider as its closed form says, by every method in steps of the world") {
    // r = r0 cosh(omega t) on the carrier: the body, which turns with it, gains m (r0 omega sinh(omega t))^2.
    const double distance = 0.5, rate = 2.0, time = 1.0;
    const double gained = std::pow(distance * rate * std::sinh(rate * time), 2);
    for (const char* const method : {"theta", "impulse_euler", "convex_step", "soft_steps", "symplectic_euler"}) {
        CAPTURE(method);
        std::array<double, 2> errors{};
        for (const int number : {0, 1}) {
            World world(with_ledger(fixed(method, 8)));
            BodyDesc desc;
            desc.motion = MotionType::Kinematic;
            desc.angular_velocity = {0.0, rate, 0.0};
            desc.collides = false;
            const BodyId carrier = world.create_body(desc);
            desc.motion = MotionType::Dynamic;
            desc.shape = Box{{0.1, 0.1, 0.1}};
            desc.mass = 1.0;
            desc.pose.position = {distance, 0.0, 0.0};
            desc.linear_velocity = {0.0, 0.0, -rate * distance};
            world.create_joint(slider(world, carrier, world.create_body(desc), {distance, 0.0, 0.0}, {1.0, 0.0, 0.0}));
            run(world, time, number == 0 ? kFrame : 0.5 * kFrame);
            CHECK(std::abs(world.energy_ledger().remainder()) < kPrecise);
            errors[static_cast<std::size_t>(number)] = std::abs(world.energy_ledger().prescribed / gained - 1.0);
        }
        CAPTURE(errors[0]);
        CHECK(errors[0] < 0.02);
        CHECK(errors[1] < 0.6 * errors[0]);
    }
}

TEST_CASE("what theta takes from chains is booked as their joints', and what turns their end as prescribed") {
    for (const bool is_carried : {false, true}) {
        CAPTURE(is_carried);
        World world(with_ledger(fixed("theta", 1), {0.0, -9.8, 0.3}));
        BodyId last = kGround;
        BodyDesc desc;
        desc.collides = false;
        if (is_carried) {
            desc.motion = MotionType::Kinematic;
            desc.angular_velocity = {0.3, 1.5, 0.2};
            desc.linear_velocity = {0.1, 0.2, 0.0};
            last = world.create_body(desc);
            desc = {};
            desc.collides = false;
        }
        desc.shape = Box{{0.15, 0.05, 0.04}};
        for (int i = 0; i < 6; ++i) {
            desc.mass = 1.0 + 0.5 * i;
            desc.pose.position = {0.3 * i + 0.15, 0.0, 0.0};
            const BodyId link = world.create_body(desc);
            world.create_joint(hinge(world, last, link, {0.3 * i, 0.0, 0.0}, {0.1 * i, 0.0, 1.0}));
            last = link;
        }
        run(world, 3.0);
        const EnergyLedger ledger = world.energy_ledger();
        MESSAGE("joints " << ledger.joints << " J, prescribed " << ledger.prescribed << ", remainder "
                          << ledger.remainder());
        CHECK(ledger.joints < -50.0); // it damps what swings faster than its steps
        CHECK(std::abs(ledger.remainder()) < 0.02 * std::abs(ledger.joints));
        CHECK((std::abs(ledger.prescribed) > 10.0) == is_carried);
    }
}
