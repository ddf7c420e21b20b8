// Joints, force fields and surfaces replaced between two steps: what an editor does.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "contact_worlds.h"

using namespace engine_tests;

namespace {

IntegratorSettings precise() {
    IntegratorSettings settings;
    settings.method = "dormand_prince853";
    settings.atol = settings.rtol = 1e-11;
    return settings;
}

void run(World& world, double seconds) {
    for (int frame = 0; frame < static_cast<int>(std::lround(seconds * 60.0)); ++frame) {
        REQUIRE(world.advance(kFrame).status == StepStatus::ReachedTarget);
    }
}

// A ball of 2 kg on a spring along x, without gravity, held at 0.1 m and let go.
struct Oscillator {
    World world{{.gravity = glm::dvec3(0.0), .integrator = precise(), .energy_ledger = true}};
    BodyId body;
    ForceFieldId spring;
    SpringDesc desc{.body_a = kGround};

    Oscillator() {
        BodyDesc ball;
        ball.shape = Sphere{0.5};
        ball.mass = 2.0;
        ball.pose.position = {1.1, 0.0, 0.0};
        body = world.create_body(ball);
        desc = {.body_a = kGround, .body_b = body, .stiffness = 50.0, .rest_length = 1.0};
        spring = world.add_force_field(std::make_unique<Spring>(desc));
        world.reset_energy_ledger();
    }
    double x() const { return world.pose(body).position.x - 1.0; }
};

} // namespace

TEST_CASE("a joint that is replaced by itself goes on as it was, at the same angle and turn") {
    Pendulum pendulum(precise());
    Pendulum twin(precise());
    for (Pendulum* each : {&pendulum, &twin}) {
        JointDesc driven = each->world.joint(each->joint);
        driven.drives = {{.axis = JointAxis::AngleZ, .target_rate = 9.0, .damping = 30.0}};
        each->world.set_joint(each->joint, driven);
        run(each->world, 1.5); // more than one turn
    }
    const double turned = pendulum.world.joint_value(pendulum.joint, JointAxis::AngleZ);
    REQUIRE(turned > 2.0 * std::numbers::pi);
    pendulum.world.set_joint(pendulum.joint, pendulum.world.joint(pendulum.joint));
    CHECK(pendulum.world.joint_value(pendulum.joint, JointAxis::AngleZ) == turned);
    run(pendulum.world, 1.0);
    run(twin.world, 1.0);
    // The replaced one closes its joint anew and steps from there: two runs at a tolerance of 1e-11 for a second.
    CHECK(pendulum.world.joint_value(pendulum.joint, JointAxis::AngleZ) ==
          doctest::Approx(twin.world.joint_value(twin.joint, JointAxis::AngleZ)).epsilon(1e-9));
}

TEST_CASE("a limit put on a hinge in mid-run holds it, and taken away lets it go") {
    Pendulum pendulum(precise());
    const JointDesc free = pendulum.world.joint(pendulum.joint);
    JointDesc limited = free;
    limited.limits = {{.axis = JointAxis::AngleZ, .lower = -0.1, .upper = 0.1, .stiffness = 1e5}};
    pendulum.world.set_joint(pendulum.joint, limited);
    double farthest = 0.0;
    for (int frame = 0; frame < 120; ++frame) {
        pendulum.world.advance(kFrame);
        farthest = std::max(farthest, std::abs(pendulum.angle()));
    }
    CHECK(farthest < 0.11); // 1/2 k x^2 = 1/2 m v^2 at 2 m/s gives 6 mrad beyond the limit
    CHECK(farthest > 0.1);
    pendulum.world.set_joint(pendulum.joint, free);
    for (int frame = 0; frame < 120; ++frame) {
        pendulum.world.advance(kFrame);
        farthest = std::max(farthest, std::abs(pendulum.angle()));
    }
    CHECK(farthest > 0.5); // it swings to acos(1 - 2/9.8) = 0.65 rad
}

TEST_CASE("a replaced joint keeps its bodies and what couplings need, or nothing changes") {
    World world({.integrator = precise()});
    const std::vector<BodyId> bodies = add_chain(world, 3);
    const JointId first = world.create_joint(hinge(world, kGround, bodies[0], {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}));
    const JointId second = world.create_joint(hinge(world, kGround, bodies[1], {1.0, 1.0, 0.0}, {0.0, 0.0, 1.0}));
    const CouplingId wheels = world.create_coupling(gear(world, first, second, 2.0));
    const JointDesc good = world.joint(first);

    JointDesc bad = good;
    bad.body_b = bodies[2];
    CHECK_THROWS_AS(world.set_joint(first, bad), std::invalid_argument);
    bad = good;
    bad.locked_rotation = {true, true, true}; // no angle is left for the gear
    CHECK_THROWS_AS(world.set_joint(first, bad), std::invalid_argument);
    bad = good;
    bad.drives = {{.axis = JointAxis::X, .damping = 1.0}};
    CHECK_THROWS_AS(world.set_joint(first, bad), std::invalid_argument);
    CouplingDesc none = world.coupling(wheels);
    none.ratio = 0.0;
    CHECK_THROWS_AS(world.set_coupling(wheels, none), std::invalid_argument);
    CHECK_THROWS_AS(world.set_joint({.index = 99, .generation = 0}, good), std::invalid_argument);
    CHECK(world.joint(first).locked_rotation == good.locked_rotation);
    CHECK(world.coupling(wheels).ratio == 2.0);
}

TEST_CASE("a spring replaced in mid-run swings at its new frequency from there") {
    Oscillator oscillator;
    const double omega = std::sqrt(oscillator.desc.stiffness / 2.0);
    run(oscillator.world, 0.5);
    const double x = 0.1 * std::cos(omega * 0.5);
    const double v = -0.1 * omega * std::sin(omega * 0.5);
    REQUIRE(oscillator.x() == doctest::Approx(x).epsilon(1e-8));

    oscillator.desc.stiffness *= 4.0;
    oscillator.world.set_force_field(oscillator.spring, std::make_unique<Spring>(oscillator.desc));
    run(oscillator.world, 0.5);
    CHECK(oscillator.x() ==
          doctest::Approx(x * std::cos(2.0 * omega * 0.5) + v / (2.0 * omega) * std::sin(2.0 * omega * 0.5))
              .epsilon(1e-8));

    // The stretched spring became stiffer by hand: that energy, 3/2 k x^2, is an edit, and nothing is left over.
    const EnergyLedger ledger = oscillator.world.energy_ledger();
    CHECK(ledger.edits == doctest::Approx(1.5 * 50.0 * x * x).epsilon(1e-8));
    CHECK(std::abs(ledger.remainder()) < 1e-9);
}

TEST_CASE("drag replaced in mid-run acts from then on, its work stays booked under its handle") {
    World world({.gravity = glm::dvec3(0.0), .integrator = precise(), .energy_ledger = true});
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1.0;
    desc.linear_velocity = {3.0, 0.0, 0.0};
    const BodyId body = world.create_body(desc);
    const ForceFieldId drag = world.add_force_field(std::make_unique<Drag>(DragDesc{.linear = 1.0}));
    run(world, 1.0);
    CHECK(world.body(body).linear_velocity().x == doctest::Approx(3.0 * std::exp(-1.0)).epsilon(1e-9));
    const double work = world.energy_ledger().fields.at(0).work;
    CHECK(work == doctest::Approx(4.5 * (std::exp(-2.0) - 1.0)).epsilon(1e-9));

    world.set_force_field(drag, std::make_unique<Drag>(DragDesc{}));
    run(world, 1.0);
    CHECK(world.body(body).linear_velocity().x == doctest::Approx(3.0 * std::exp(-1.0)).epsilon(1e-9));
    CHECK(world.energy_ledger().fields.at(0).work == doctest::Approx(work).epsilon(1e-12));
    CHECK(world.energy_ledger().removed_fields == 0.0);

    CHECK_THROWS_AS(world.set_force_field(drag, nullptr), std::invalid_argument);
    CHECK_THROWS_AS(world.set_force_field(drag, std::make_unique<Spring>(SpringDesc{})), std::invalid_argument);
    CHECK(world.force_field(drag).name() == "drag");
}

TEST_CASE("a surface made smooth under a block at rest lets it slide, and rough again stops it") {
    const double tilt = 0.3;
    World world(contact_settings(precise()));
    add_ground(world, {.friction = 1.0, .friction_combine = CombineRule::Minimum}, tilt);
    BodyDesc desc = sphere({-0.1 * std::sin(tilt), 0.1 * std::cos(tilt), 0.0}, 0.1, {.friction = 1.0});
    desc.locks_rotation = true;
    const BodyId block = world.create_body(desc);
    run(world, 0.5);
    const double speed = glm::length(world.body(block).linear_velocity());
    CHECK(speed < 1e-9); // tan 0.3 is less than the friction

    world.body(block).set_material({.friction = 0.0, .friction_combine = CombineRule::Minimum});
    CHECK(world.body(block).material().friction == 0.0);
    run(world, 0.5);
    CHECK(glm::length(world.body(block).linear_velocity()) ==
          doctest::Approx(kGravity * std::sin(tilt) * 0.5).epsilon(1e-8));

    world.body(block).set_material({.friction = 1.0});
    run(world, 1.0); // stops after v / (g (cos a - sin a)) = 0.22 s
    CHECK(glm::length(world.body(block).linear_velocity()) < 1e-9);
    CHECK_THROWS_AS(world.body(block).set_material({.friction = -1.0}), std::invalid_argument);
}

TEST_CASE("a snapshot from before a joint, a field and a surface were replaced goes back across all three") {
    Oscillator oscillator;
    World& world = oscillator.world;
    const JointId joint = world.create_joint(slider(world, kGround, oscillator.body, {1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}));
    run(world, 0.3);
    const WorldSnapshot before = world.snapshot();
    run(world, 0.3);
    const std::uint64_t there = world.hash();

    world.restore(before);
    JointDesc rubbing = world.joint(joint);
    rubbing.friction = {{.axis = JointAxis::Z, .viscous = 5.0}};
    world.set_joint(joint, rubbing);
    world.set_force_field(oscillator.spring, std::make_unique<Spring>(SpringDesc{
                                                 .body_a = kGround, .body_b = oscillator.body, .stiffness = 1.0}));
    world.body(oscillator.body).set_material({.friction = 0.9});
    run(world, 0.3);
    REQUIRE(world.hash() != there);

    world.restore(before);
    CHECK(world.joint(joint).friction.empty());
    CHECK(world.body(oscillator.body).material().friction == Material{}.friction);
    run(world, 0.3);
    CHECK(world.hash() == there);
}
