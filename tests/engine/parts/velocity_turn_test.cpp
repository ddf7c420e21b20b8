// Turns of velocities at fixed places, free and beside joints.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "dynamics/joint_closing.h"
#include "dynamics/velocity_turn.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

// Turns every body alike.
struct Turning final : ForceModel {
    VelocityRotation rotation;
    void write_wrenches(double, std::span<const RigidState>, std::span<Wrench>, std::span<double>) noexcept override {}
    bool turns_velocities() const noexcept override { return true; }
    void write_rotations(double, std::span<const RigidState>, std::span<VelocityRotation> rotations) noexcept override {
        for (VelocityRotation& each : rotations) {
            each.rate += rotation.rate;
            each.moment += rotation.moment;
        }
    }
};

struct Turned : Placed {
    Turning forces;
    VelocityTurn turns{configuration, forces};

    explicit Turned(Store from) : Placed(std::move(from)) {
        forces.rotation = {{0.4, -1.3, 2.1}, {0.2, 0.5, -0.3}};
        turns.resize();
    }
    double turn(double h) { return turns.turn(0.0, h, y); }
    double energy() {
        configuration.place_and_move(0.0, y);
        double sum = 0.0;
        for (std::size_t i = 0; i < configuration.body_count(); ++i) {
            const Twist& u = configuration.bodies().velocities()[i];
            sum += 0.5 * configuration.bodies().inertia(i).mass * glm::dot(u.linear, u.linear) +
                   0.5 * glm::dot(u.angular, body(i).L);
        }
        return sum;
    }
};

BodyDesc brick(const glm::dvec3& place) {
    BodyDesc desc;
    desc.collides = false;
    desc.shape = Box{{0.5, 0.2, 0.3}};
    desc.mass = 4.0;
    desc.pose = {place, glm::normalize(glm::dquat(1.0, 0.3, -0.2, 0.5))};
    desc.linear_velocity = {1.0, -2.0, 0.5};
    desc.angular_velocity = {1.0, 2.0, -3.0};
    return desc;
}

// A brick on a ball joint at the origin, and another one hinged to it, with velocities that the joints allow not all
// of.
Store jointed_bricks(MotionType pivot) {
    Store store;
    const BodyId a = store.add(brick({0.6, 0.1, 0.0}));
    const BodyId b = store.add(brick({1.2, 0.4, 0.3}));
    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1.0;
    desc.motion = pivot;
    if (pivot == MotionType::Kinematic) {
        desc.linear_velocity = {0.5, 0.3, -0.2};
    }
    const BodyId anchor = store.add(desc);
    JointDesc ball;
    ball.body_a = anchor;
    ball.body_b = a;
    ball.frame_b.position = {-0.4, 0.1, 0.2};
    store.join(ball);
    JointDesc hinge;
    hinge.body_a = a;
    hinge.body_b = b;
    hinge.frame_a.position = {0.5, 0.0, 0.1};
    hinge.frame_b.position = {-0.5, 0.1, 0.0};
    hinge.locked_rotation = {true, true, false};
    store.join(hinge);
    return store;
}

} // namespace

TEST_CASE("velocity turn: a free body's velocity turns by the rate, its spin keeps its energy, and a turn is undone") {
    Store store;
    store.add(brick({1.0, 0.0, 0.0}));
    Turned free(store);
    const std::vector<double> start = free.y;
    const double before = free.energy();
    CHECK(free.turn(0.7) == 0.0);
    CHECK(std::abs(free.energy() - before) < 1e-13 * before);
    const glm::dvec3 rate = free.forces.rotation.rate;
    const glm::dquat turn = glm::angleAxis(0.7 * glm::length(rate), glm::normalize(rate));
    CHECK(near(free.body(0).v, turn * glm::dvec3(1.0, -2.0, 0.5)));
    CHECK(glm::length(free.body(0).L - read_body(0, start).L) > 0.1);
    free.turn(-0.7);
    for (std::size_t i = 0; i < start.size(); ++i) {
        CHECK(std::abs(free.y[i] - start[i]) < 1e-13);
    }

    // Of a small turn dL = moment x omega h.
    const BodyState state = free.body(0);
    free.configuration.place_and_move(0.0, free.y);
    const glm::dvec3 omega = free.configuration.bodies().velocities()[0].angular;
    constexpr double kSmall = 1e-7;
    free.turn(kSmall);
    CHECK(near((free.body(0).L - state.L) / kSmall, glm::cross(free.forces.rotation.moment, omega), 1e-6));
}

TEST_CASE(
    "velocity turn: beside joints the energy of what they allow stays, whatever the length, and a turn is undone") {
    for (const double h : {1e-3, 0.1, 1.0, 30.0, 1e5}) {
        CAPTURE(h);
        Turned bricks(jointed_bricks(MotionType::Static));
        JointClosing closing(bricks.configuration);
        closing.resize(bricks.y.size());
        closing.obey(0.0, bricks.y);
        const std::vector<double> start = bricks.y;
        const double before = bricks.energy();
        CHECK(bricks.turn(h) == 0.0);
        CHECK(std::abs(bricks.energy() - before) < 1e-12 * before);
        // Nothing that the joints forbid has come in.
        std::vector<double> rates(static_cast<std::size_t>(bricks.configuration.joints().rows()));
        bricks.configuration.place_and_move(0.0, bricks.y);
        bricks.configuration.joints().rates(bricks.configuration.bodies().velocities(), rates);
        for (const double rate : rates) {
            CHECK(std::abs(rate) < 1e-12);
        }
        if (h < 2.0) { // beyond, iterations end before the turn is found to the last digit
            CHECK(bricks.y != start);
            bricks.turn(-h);
            for (std::size_t i = 0; i < start.size(); ++i) {
                CHECK(std::abs(bricks.y[i] - start[i]) < 1e-11);
            }
        }
    }
}

TEST_CASE("velocity turn: what joints do not allow stays, and what drives them across the field gives its work") {
    Turned bricks(jointed_bricks(MotionType::Static));
    const std::vector<double> with_kick = bricks.y;
    JointClosing closing(bricks.configuration);
    closing.resize(bricks.y.size());
    closing.obey(0.0, bricks.y);
    const std::vector<double> allowed = bricks.y;
    bricks.turn(0.3);
    const std::vector<double> of_allowed = bricks.y;
    bricks.y = with_kick;
    bricks.turn(0.3);
    for (std::size_t i = 0; i < allowed.size(); ++i) {
        CHECK(std::abs((bricks.y[i] - with_kick[i]) - (of_allowed[i] - allowed[i])) < 1e-12);
    }

    Turned driven(jointed_bricks(MotionType::Kinematic));
    closing = JointClosing(driven.configuration);
    closing.resize(driven.y.size());
    closing.obey(0.0, driven.y);
    const double before = driven.energy();
    const double work = driven.turn(0.3);
    CHECK(std::abs(work) > 0.1);
    CHECK(driven.energy() - before == doctest::Approx(work).epsilon(1e-11));
}
