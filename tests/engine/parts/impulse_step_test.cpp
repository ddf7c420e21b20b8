// Velocity steps: symplectic Euler, with impulses of contacts, joints and stops by closed form.
#include <doctest/doctest.h>

#include <vector>

#include "dynamics/joint_closing.h"
#include "part_builders.h"
#include "velocity_steps/impulse_step.h"

using namespace engine_parts;

namespace {

constexpr double kRadius = BallOnPlane::kRadius;
constexpr double kStep = 0.01;

struct Stepping : Moved {
    JointClosing closing{configuration};
    VelocityTurn turn{configuration, forces};
    ContactRegime regime;
    StiffElements elements{configuration, accelerations, turn, regime};
    ImpulseStep impulses{configuration, works, accelerations, closing, elements, turn, regime};
    std::vector<RememberedForce> memory; ///< of the last step
    VelocityStepResult result;

    explicit Stepping(Store from, bool with_ledger = false) : Moved(std::move(from), with_ledger) {
        accelerations.actuators().use_sides(false);
        closing.resize(y.size());
        impulses.resize(y.size());
    }
    void step(double h = kStep) {
        impulses.find_contacts(0.0, h, y);
        std::vector<RememberedForce> next(impulses.memory_size());
        const std::vector<double> start = y;
        result = impulses.velocity_step(
            {.h = h, .guess = start, .memory = memory, .tolerance = 1e-13, .iterations = 500}, y, next);
        memory = next;
        REQUIRE(result.ok);
    }
};

double angle_after(int steps) {
    Stepping bob(Pendulum{.angle = 1.0, .rate = -0.5}.store());
    for (int i = 0; i < steps; ++i) {
        bob.step(1.0 / steps);
    }
    return angle_of(bob);
}

} // namespace

TEST_CASE("impulse step: a free body makes a step of symplectic Euler") {
    Store store;
    BodyDesc cube;
    cube.mass = 2.0;
    cube.shape = Sphere{kRadius};
    cube.linear_velocity = {1.0, 0.0, 0.0};
    cube.angular_velocity = {0.0, 0.0, 2.0};
    store.add(cube);
    Stepping free(store);
    free.forces.push.torque = {0.0, 0.0, 0.5};
    free.step(0.1);
    CHECK(near(free.body(0).v, {1.0, -0.1 * kGravity, 0.0}));
    CHECK(near(free.body(0).x, {0.1, -0.01 * kGravity, 0.0}));
    const double spin = 2.0 + 0.1 * 0.5 / (2.0 * BallOnPlane::kMoment);
    CHECK(near(free.angular_velocity(0).z, spin));
    const glm::dquat turn = free.body(0).q * glm::conjugate(read_body(0, store.state()).q);
    CHECK(near(turn.z, std::sin(0.05 * spin)));
    CHECK(free.result.contacts == 0);
}

TEST_CASE("impulse step: what rests stays where it is, and its weight is what it remembers") {
    // Two balls, one on the other.
    Store store = BallOnPlane{}.store();
    BodyDesc upper;
    upper.shape = Sphere{kRadius};
    upper.mass = 10.0;
    upper.pose.position = {0.0, 3.0 * kRadius, 0.0};
    upper.material = {.friction = 0.0};
    const BodyId second = store.add(upper);
    store.touch(second, store.dynamic[0]);
    Stepping stack(store);
    stack.step();
    CHECK(stack.result.converged);
    CHECK(stack.result.contacts == 2);
    CHECK(stack.result.fresh_contacts == 2);
    CHECK(near(stack.body(0).x, {0.0, kRadius, 0.0}, 1e-12));
    CHECK(near(stack.body(1).x, {0.0, 3.0 * kRadius, 0.0}, 1e-12));
    REQUIRE(stack.memory.size() == 2);
    CHECK(near(stack.memory[0].force[1], 11.0 * kGravity, 1e-8));
    CHECK(near(stack.memory[1].force[1], 10.0 * kGravity, 1e-8));
    const int cold = stack.result.iterations;
    CHECK(cold > 10); // a heavy one on a light one
    stack.step();
    CHECK(stack.result.fresh_contacts == 0);
    CHECK(2 * stack.result.iterations < cold); // from the forces remembered
}

TEST_CASE(
    "impulse step: a ball meets its floor where the step ends, and one that bounces leaves at e times its speed") {
    Stepping lands(BallOnPlane{.gap = 0.01, .velocity = {0.0, -3.0, 0.0}}.store());
    lands.forces.gravity = glm::dvec3(0.0);
    lands.step();
    CHECK(near(lands.body(0).x.y, kRadius));
    CHECK(near(lands.body(0).v.y, -0.01 / kStep)); // the next step takes it
    lands.step();
    CHECK(near(lands.body(0).v.y, 0.0));

    Stepping bounces(
        BallOnPlane{.gap = 0.01, .velocity = {0.0, -3.0, 0.0}, .material = {.friction = 0.0, .restitution = 0.5}}
            .store(),
        true);
    bounces.forces.gravity = glm::dvec3(0.0);
    bounces.step();
    CHECK(near(bounces.body(0).v.y, 1.5));
    CHECK(near(bounces.body(0).x.y, kRadius + 0.01 + 1.5 * kStep));
    CHECK(near(bounces.works.booked(kRestitutionWork, bounces.y), -0.5 * 9.0 * 0.75));
    CHECK(near(bounces.booked(), -0.5 * 9.0 * 0.75));
    // It left at the step's start, a third of a step before it had met the floor.
    REQUIRE(bounces.impulses.early_impacts().size() == 1);
    CHECK(near(bounces.impulses.early_impacts()[0].by, 4.5 * 0.01 / 3.0));
    CHECK(near(bounces.impulses.early_impacts()[0].at_most, 4.5 * kStep));

    Stepping far(BallOnPlane{.gap = 0.5, .velocity = {0.0, -3.0, 0.0}}.store());
    far.step();
    CHECK(far.result.contacts == 0);
}

TEST_CASE("impulse step: friction brakes by mu times the impulse or holds, and what is too deep is pushed apart") {
    Stepping slides(BallOnPlane{.velocity = {2.0, 0.0, 0.0}, .material = {.friction = 0.25}}.store());
    slides.step();
    CHECK(near(slides.body(0).v, {2.0 - 0.25 * kGravity * kStep, 0.0, 0.0}));
    CHECK(near(slides.angular_velocity(0).z, -0.25 * kGravity * kStep * kRadius / BallOnPlane::kMoment, 1e-13));
    CHECK(near(slides.memory[0].force[0], -0.25 * kGravity, 1e-12));

    Stepping rolls(BallOnPlane{.velocity = {2.0, 0.0, 0.0}, .material = {.friction = 100.0}}.store());
    rolls.step();
    CHECK(near(rolls.body(0).v.x, 2.0 * 5.0 / 7.0, 1e-12));
    CHECK(near(rolls.angular_velocity(0).z, -rolls.body(0).v.x / kRadius, 1e-12));

    Stepping deep(BallOnPlane{.gap = -0.01}.store());
    deep.step();
    CHECK(near(deep.body(0).x.y, kRadius));
    CHECK(near(deep.result.deepest, 0.0));
    CHECK(near(deep.body(0).v, glm::dvec3(0.0))); // it has no speed from that
}

TEST_CASE("impulse step: joints are obeyed and closed to first order, or fed back a fifth of their gap") {
    const double exact = exact_angle(1.0, -0.5, 1.0, 4000);
    const double coarse = std::abs(angle_after(200) - exact);
    const double fine = std::abs(angle_after(400) - exact);
    CHECK(coarse < 0.05);
    CHECK(std::log2(coarse / fine) == doctest::Approx(1.0).epsilon(0.05));

    for (const JointCorrection correction : {JointCorrection::PositionProjection, JointCorrection::Baumgarte}) {
        Stepping bob(Pendulum{}.store());
        bob.forces.gravity = glm::dvec3(0.0);
        bob.impulses.joints().set_correction(correction);
        BodyState body = bob.body(0);
        body.x.y -= 0.01; // along the arm: nothing turns
        bob.set_body(0, body);
        bob.step();
        const bool feeds_back = correction == JointCorrection::Baumgarte;
        CHECK(near(bob.body(0).x.y, -Pendulum::kArm - (feeds_back ? 0.008 : 0.0), 1e-14));
        CHECK(near(bob.body(0).v.y, feeds_back ? 0.002 / kStep : 0.0, 1e-13));
    }
}

TEST_CASE("impulse step: limits stop a joint where they end or throw it back, and dry friction takes its share") {
    Stepping stops(Pendulum{.rate = 2.0, .limits = {{.upper = 0.01}}}.store());
    stops.forces.gravity = glm::dvec3(0.0);
    stops.step();
    CHECK(near(stops.angular_velocity(0).z, 0.01 / kStep, 1e-12));
    CHECK(near(angle_of(stops), 0.01, 1e-6)); // the arc is closed behind it
    stops.step();
    CHECK(near(stops.angular_velocity(0).z, 0.0, 1e-2));
    CHECK(angle_of(stops) < 0.01 + 1e-8);

    Stepping thrown(Pendulum{.rate = 2.0, .limits = {{.upper = 0.01, .restitution = 0.25}}}.store(), true);
    thrown.forces.gravity = glm::dvec3(0.0);
    const double before = thrown.kinetic_energy();
    thrown.step();
    CHECK(near(thrown.angular_velocity(0).z, -0.5, 1e-12));
    CHECK(near(thrown.works.booked(kRestitutionWork, thrown.y), 0.5 * Pendulum::kAboutHinge * (0.25 - 4.0), 1e-12));
    CHECK(near(thrown.booked(), thrown.kinetic_energy() - before, 1e-12));

    Stepping rubs(Pendulum{.rate = 2.0, .friction = {{.dry = 0.7}}}.store());
    rubs.forces.gravity = glm::dvec3(0.0);
    rubs.step();
    CHECK(near(rubs.angular_velocity(0).z, 2.0 - 0.7 * kStep / Pendulum::kAboutHinge, 1e-12));
    CHECK(near(rubs.accelerations.stop_force(0), 0.0));
    CHECK(near(rubs.configuration.contacts()[0].memory.force.x, -0.7, 1e-12));
    Stepping held(Pendulum{.angle = 0.1, .friction = {{.dry = 2.0}}}.store());
    held.step();
    CHECK(near(angle_of(held), 0.1, 1e-14));
    const double moment = Pendulum::kMass * kGravity * Pendulum::kArm * std::sin(0.1);
    CHECK(near(held.configuration.contacts()[0].memory.force.x, moment, 1e-11));
}
