// Kicks and drifts of an island: leapfrog where nothing holds, RATTLE on a joint.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "dynamics/joint_closing.h"
#include "dynamics/kick_drift.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

struct Splitting : Moved {
    JointClosing closing{configuration};
    VelocityTurn turn{configuration, forces};
    KickDrift split{configuration, works, accelerations, closing, turn};
    std::vector<double> rates;

    explicit Splitting(Store from, bool with_ledger = false) : Moved(std::move(from), with_ledger), rates(y.size()) {
        closing.resize(y.size());
        split.resize(y.size());
    }
    void kick(double h) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] += h * rates[i];
        }
    }
    // A kick by the force at (t, y), whose momenta obey the joints.
    void kick_at(double t, double h) {
        split.force(t, y, rates);
        kick(h);
        split.project_momenta(t, y);
        split.correct_works(t, h, rates, y);
    }
    // Half a kick by the force that is known, a drift, half a kick: Verlet's step, which `rates` begins and ends with
    // the force at its ends.
    void step(double t, double h) {
        kick(0.5 * h);
        REQUIRE(split.drift(t, h, y));
        kick_at(t + h, 0.5 * h);
    }
    void run(int steps, double time) {
        split.force(0.0, y, rates);
        for (int i = 0; i < steps; ++i) {
            step(i * time / steps, time / steps);
        }
    }
};

double energy(const Splitting& bob) { return bob.kinetic_energy() + Pendulum::kMass * kGravity * bob.body(0).x.y; }

} // namespace

TEST_CASE("kick and drift: a force changes momenta alone, by F / m and the torque that a body feels") {
    Store store;
    BodyDesc brick;
    brick.collides = false;
    brick.shape = Box{{0.5, 0.2, 0.3}};
    brick.mass = 4.0;
    brick.angular_velocity = {1.0, 2.0, 3.0};
    store.add(brick);
    Splitting bricks(store);
    bricks.forces.push = {{8.0, 0.0, -2.0}, {0.5, 0.25, 0.0}};
    std::ranges::fill(bricks.rates, 7.0); // nothing is left of what was there
    bricks.split.force(0.0, bricks.y, bricks.rates);
    const BodyState first = read_body(0, bricks.rates);
    CHECK(near(first.v, {2.0, -kGravity, -0.5}));
    CHECK(first.L == glm::dvec3(0.5, 0.25, 0.0)); // no gyroscopic torque on L
    CHECK(first.x == glm::dvec3(0.0));
    CHECK(first.q == glm::dquat(0.0, 0.0, 0.0, 0.0));

    brick.angular_velocity = glm::dvec3(0.0);
    brick.locks_rotation = true;
    Store fixed;
    fixed.add(brick);
    Splitting locked(fixed);
    locked.forces.push = bricks.forces.push;
    locked.split.force(0.0, locked.y, locked.rates);
    CHECK(near(read_body(0, locked.rates).v, first.v));
    CHECK(read_body(0, locked.rates).L == glm::dvec3(0.0));
}

TEST_CASE("kick and drift: a free drift goes straight, keeps the momenta to the bit, and goes back the way it came") {
    Store store;
    BodyDesc brick;
    brick.mass = 1.0;
    brick.collides = false;
    brick.shape = Box{{0.5, 0.2, 0.3}};
    brick.linear_velocity = {1.0, -2.0, 0.5};
    brick.angular_velocity = {1.0, 2.0, -3.0};
    store.add(brick);
    Splitting free(store);
    const BodyState before = free.body(0);
    REQUIRE(free.split.drift(0.0, 0.25, free.y));
    const BodyState after = free.body(0);
    CHECK(near(after.x, {0.25, -0.5, 0.125}));
    CHECK(after.v == before.v);
    CHECK(after.L == before.L);
    CHECK(std::abs(glm::dot(after.q, before.q)) < 0.95);
    REQUIRE(free.split.drift(0.25, -0.25, free.y));
    CHECK(near(std::abs(glm::dot(free.body(0).q, before.q)), 1.0, 1e-14));

    // A spin about a principal axis is exact.
    brick.angular_velocity = {0.0, 0.0, 3.0};
    Store spinning;
    spinning.add(brick);
    Splitting top(spinning);
    REQUIRE(top.split.drift(0.0, 0.5, top.y));
    const glm::dquat turn = top.body(0).q * glm::conjugate(read_body(0, spinning.state()).q);
    CHECK(near(turn.w, std::cos(0.75)));
    CHECK(near(turn.z, std::sin(0.75)));
}

TEST_CASE("kick and drift: a drift ends on the joint, by impulses at the hinge where it began") {
    Splitting bob(Pendulum{.angle = 0.7, .rate = 2.5}.store());
    const glm::dvec3 moment = bob.angular_momentum();
    REQUIRE(bob.split.drift(0.0, 0.05, bob.y));
    CHECK(near(glm::length(bob.body(0).x), Pendulum::kArm));
    CHECK(near(bob.body(0).q * glm::dvec3(0.0, Pendulum::kArm, 0.0), -bob.body(0).x));
    CHECK(near(bob.angular_momentum(), moment)); // they have no moment about it
    CHECK(std::abs(glm::dot(bob.body(0).x, bob.body(0).v)) > 0.01);
    CHECK(near(bob.y.back(), angle_of(bob), 1e-14));
    const double before = bob.kinetic_energy();
    bob.split.project_momenta(0.05, bob.y);
    CHECK(near(bob.body(0).v, glm::cross(bob.angular_velocity(0), bob.body(0).x)));
    CHECK(near(bob.angular_momentum(), moment));
    CHECK(bob.kinetic_energy() < before);
    CHECK(near(bob.kinetic_energy(), 0.5 * moment.z * moment.z / Pendulum::kAboutHinge));
}

TEST_CASE("kick and drift: a pendulum's error falls with the square of the step, and its energy does not drift") {
    const double exact = exact_angle(1.2, 0.5, 1.0, 4000);
    std::vector<double> errors;
    for (const int steps : {20, 40, 80}) {
        Splitting bob(Pendulum{.angle = 1.2, .rate = 0.5}.store());
        bob.run(steps, 1.0);
        errors.push_back(std::abs(angle_of(bob) - exact));
    }
    CHECK(errors[0] < 0.05);
    CHECK(std::log2(errors[0] / errors[1]) == doctest::Approx(2.0).epsilon(0.05));
    CHECK(std::log2(errors[1] / errors[2]) == doctest::Approx(2.0).epsilon(0.02));

    Splitting bob(Pendulum{.angle = 1.2}.store());
    double early = 0.0;
    double late = 0.0;
    const double start = energy(bob);
    bob.split.force(0.0, bob.y, bob.rates);
    for (int i = 0; i < 4000; ++i) {
        bob.step(0.02 * i, 0.02);
        double& worst = i < 400 ? early : late;
        worst = std::max(worst, std::abs(energy(bob) - start));
    }
    CHECK(early > 1e-4); // it swings with h^2
    CHECK(late < 1.05 * early);
}

TEST_CASE("kick and drift: the work of a push is booked at the velocities where a kick ends") {
    Store store;
    BodyDesc cube;
    cube.shape = Sphere{0.5};
    cube.mass = 2.0;
    cube.linear_velocity = {1.0, 0.0, 0.0};
    store.add(cube);
    Splitting pushed(store, true);
    pushed.forces.gravity = glm::dvec3(0.0);
    pushed.forces.push.force = {6.0, 0.0, 0.0};
    pushed.kick_at(0.0, 0.5); // 1 m/s -> 2.5 m/s
    CHECK(near(pushed.body(0).v.x, 2.5));
    CHECK(near(pushed.works.booked(kAppliedWork, pushed.y), 0.5 * 6.0 * 2.5));
    CHECK(near(pushed.works.booked(kAppliedWork, pushed.rates), 6.0 * 2.5)); // the next kick begins with it

    // On a hinge works and energy agree to the method's order.
    std::vector<double> missing;
    for (const int steps : {25, 50}) {
        Splitting bob(Pendulum{.angle = 0.4, .rate = 2.0}.store(), true);
        bob.forces.push = {{3.0, -1.0, 0.0}, {0.0, 0.0, 0.5}};
        const double before = energy(bob);
        bob.run(steps, 1.0);
        CHECK(std::abs(energy(bob) - before) > 0.5);
        missing.push_back(std::abs(energy(bob) - before - bob.booked()));
    }
    CHECK(missing[0] < 0.05);
    CHECK(std::log2(missing[0] / missing[1]) == doctest::Approx(2.0).epsilon(0.1));
}
