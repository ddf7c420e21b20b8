// Returning to where joints are closed, contacts hold without gaps and limits are kept.
#include <doctest/doctest.h>

#include <numbers>
#include <vector>

#include "dynamics/manifold_projection.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

struct Projecting : Placed {
    Works works{configuration};
    ManifoldProjection projection{configuration, works};

    explicit Projecting(Store from) : Placed(std::move(from)) { projection.resize(y.size()); }

    glm::dvec3 velocity_of_contact() const { // of a ball on a floor that rests
        return body(0).v + glm::cross(angular_velocity(0), glm::dvec3(0.0, -BallOnPlane::kRadius, 0.0));
    }
};

// Bob by its angle alone, with velocities as they are.
void turn_bob(Projecting& bob, double angle) {
    BodyState body = bob.body(0);
    body.x = Pendulum::kArm * glm::dvec3(std::sin(angle), -std::cos(angle), 0.0);
    body.q = glm::angleAxis(angle, glm::dvec3(0.0, 0.0, 1.0));
    bob.set_body(0, body);
}

} // namespace

TEST_CASE("projection: a free body gets an orientation of unit length, and nothing else changes") {
    Store store;
    BodyDesc brick;
    brick.shape = Sphere{0.5};
    brick.mass = 1.0;
    brick.pose = {{1.0, 2.0, 3.0}, glm::normalize(glm::dquat(0.9, 0.1, -0.3, 0.2))};
    brick.linear_velocity = {1.0, 0.0, 0.5};
    brick.angular_velocity = {0.3, 0.2, 0.1};
    store.add(brick);
    Projecting free(store);
    const BodyState before = free.body(0);
    BodyState longer = before;
    longer.q = 1.001 * before.q;
    free.set_body(0, longer);
    REQUIRE(free.projection.project(0.0, free.y));
    const BodyState after = free.body(0);
    CHECK(near(glm::dot(after.q, before.q), 1.0, 1e-15));
    CHECK(near(glm::length(after.q), 1.0, 1e-15));
    CHECK(after.x == before.x);
    CHECK(after.v == before.v);
    CHECK(after.L == before.L);
}

TEST_CASE("projection: a substep's drift is taken back to the joint, and the momentum about it stays") {
    Projecting bob(Pendulum{.angle = 0.3, .rate = 2.0}.store());
    BodyState body = bob.body(0);
    body.x += glm::dvec3(1e-4, -2e-4, 5e-5);
    body.v += glm::dvec3(1e-3, 2e-3, -1e-3);
    body.q = 1.0001 * turned(body.q, {1e-4, 0.0, -1e-4});
    bob.set_body(0, body);
    REQUIRE(bob.projection.project(0.0, bob.y));
    CHECK(near(glm::length(bob.body(0).x), Pendulum::kArm, 1e-15));
    CHECK(near(bob.body(0).v, glm::cross(bob.angular_velocity(0), bob.body(0).x), 1e-13));
    CHECK(near(glm::length(bob.body(0).q), 1.0, 1e-15));
    // Impulses at the hinge have no moment about its axis, at the places where they act.
    const glm::dvec3 x = bob.body(0).x;
    const double moment = Pendulum::kMass * (x.x * body.v.y - x.y * body.v.x) + body.L.z;
    CHECK(near(bob.angular_velocity(0).z, moment / Pendulum::kAboutHinge, 1e-13));
}

TEST_CASE("projection: contacts that hold have no gap, no closing, and where they stick no slip") {
    for (const ContactMode mode : {ContactMode::Slide, ContactMode::Stick}) {
        Projecting ball(BallOnPlane{.gap = -1e-4, .velocity = {1.0, -0.25, 0.5}, .spin = {2.0, 3.0, 4.0}}.store());
        const glm::dvec3 about(0.0, 0.0, 0.0); // beneath the ball
        const glm::dvec3 moment = ball.angular_momentum(about);
        ball.hold(0, mode, {1.0, 0.0, 0.0});
        REQUIRE(ball.projection.project(0.0, ball.y));
        CHECK(near(ball.body(0).x, {0.0, BallOnPlane::kRadius, 0.0}, 1e-15));
        CHECK(near(ball.velocity_of_contact().y, 0.0, 1e-15));
        if (mode == ContactMode::Slide) { // without friction
            CHECK(near(ball.body(0).v, {1.0, 0.0, 0.5}, 1e-15));
            CHECK(near(ball.angular_velocity(0), {2.0, 3.0, 4.0}, 1e-14));
        } else { // impulses act at the contact: the moment about it stays
            CHECK(near(ball.velocity_of_contact(), glm::dvec3(0.0), 1e-14));
            CHECK(near(ball.angular_momentum(about), moment, 2e-4)); // the ball was 1e-4 m lower
            CHECK(near(ball.body(0).v.x, -BallOnPlane::kRadius * ball.angular_velocity(0).z, 1e-14));
        }
        CHECK(ball.configuration.contacts().substep_end() == 0.0);
    }
}

TEST_CASE("projection: an assembly closes from afar and shares an impulse; what cannot be closed stays and is named") {
    Projecting boxes(joined_boxes());
    BodyState body = boxes.body(0);
    body.x += glm::dvec3(2.0, 1.0, -1.0);
    body.q = turned(body.q, {0.0, 2.0, 1.0});
    body.v = {0.0, 3.0, 0.0};
    boxes.set_body(0, body);
    const Assembly assembly = boxes.projection.assemble(0.0, boxes.y);
    CHECK(assembly.closed);
    const auto end_of = [&](std::size_t i, double side) {
        const glm::dquat to_body = boxes.store.bodies[boxes.store.dynamic[i]].principal_to_body;
        return boxes.body(i).x + boxes.body(i).q * (glm::conjugate(to_body) * glm::dvec3(side, 0.0, 0.0));
    };
    CHECK(near(end_of(0, 0.5), end_of(1, -0.5), 1e-14));
    CHECK(near(boxes.momentum(), {0.0, 4.5, 0.0}, 1e-14));
    CHECK(glm::length(boxes.body(1).v) > 0.1);

    Projecting torn(rod_between_far_hooks());
    const BodyState before = torn.body(0);
    const Assembly failed = torn.projection.assemble(0.0, torn.y);
    CHECK_FALSE(failed.closed);
    CHECK(failed.unit == JointSolver::RowUnit::Length);
    CHECK(failed.gap > 1.0 - 1e-12);                         // of the 2 m that are left one end has half, or more
    CHECK((failed.worst_row == 0 || failed.worst_row == 3)); // along x, at either end
    CHECK(torn.body(0).x == before.x);
    CHECK(torn.body(0).q == before.q);
}

TEST_CASE("projection: limits that are passed are brought back to their ends, along the joint") {
    const std::vector<JointLimit> limits{{.lower = -0.5, .upper = 0.75}};
    Projecting bob(Pendulum{.limits = limits}.store());
    turn_bob(bob, 0.9);
    const std::vector<double> passed = bob.y;
    CHECK(bob.projection.bring_within_limits(0.0, bob.y).stop == -1);
    CHECK(near(angle_of(bob), 0.75, 1e-12));
    CHECK(near(glm::length(bob.body(0).x), Pendulum::kArm, 1e-14));
    CHECK(bob.mode(1) == ContactMode::Separate);

    bob.y = passed;
    CHECK(bob.projection.return_to_limits(0.0, bob.y));
    CHECK(near(angle_of(bob), 0.75, 1e-12));
    turn_bob(bob, -0.7);
    CHECK(bob.projection.assemble(0.0, bob.y).closed);
    CHECK(near(angle_of(bob), -0.5, 1e-12));

    turn_bob(bob, 0.25);
    const std::vector<double> within = bob.y;
    CHECK(bob.projection.return_to_limits(0.0, bob.y));
    CHECK(bob.y == within);
}

TEST_CASE("projection: what is read from dense output is brought to the manifold, and is no substep's end") {
    Projecting ball(BallOnPlane{.velocity = {1.0, 0.0, 0.0}}.store());
    ball.hold(0, ContactMode::Slide, {1.0, 0.0, 0.0});
    REQUIRE(ball.projection.project(2.0, ball.y));
    CHECK(ball.configuration.contacts().substep_end() == 2.0);
    BodyState body = ball.body(0);
    const double height = body.x.y;
    body.x.y += 1e-4;
    ball.set_body(0, body);
    REQUIRE(ball.projection.project_within(1.5, ball.y));
    CHECK(near(ball.body(0).x.y, height, 1e-15));
    CHECK(ball.configuration.contacts().substep_end() == 2.0);
}
