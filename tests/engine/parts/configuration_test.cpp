// Bodies, joints and contacts at one place: gaps, their rates, and what is computed anew when.
#include <doctest/doctest.h>

#include <numbers>
#include <vector>

#include "part_builders.h"

using namespace engine_parts;

namespace {

// Largest equation of the joints at the places of (t, y).
double worst_gap(Placed& placed, double t) {
    placed.configuration.place(t, placed.y);
    std::vector<double> gaps(static_cast<std::size_t>(placed.configuration.joints().rows()));
    return placed.configuration.joints().violation(
        placed.configuration.bodies().frames(), placed.configuration.memory(std::span<const double>(placed.y)), gaps);
}

// y after a time at its velocities.
std::vector<double> moved(const Placed& placed, double h) {
    std::vector<double> y = placed.y;
    for (std::size_t i = 0; i < placed.store.dynamic.size(); ++i) {
        BodyState body = placed.body(i);
        body.x += h * body.v;
        body.q = turned(body.q, h * placed.angular_velocity(i));
        write_body(i, body, y);
    }
    return y;
}

} // namespace

TEST_CASE("configuration: a joint's rates are how fast its equations change, and its S is J M^-1 J^T") {
    Placed boxes(joined_boxes());
    Configuration& c = boxes.configuration;
    BodyState body = boxes.body(1);
    body.x += glm::dvec3(0.1, -0.05, 0.02);
    boxes.set_body(1, body);
    CHECK(near(worst_gap(boxes, 0.0), 0.1)); // the largest component
    body.q = turned(body.q, {0.3, -0.2, 0.5});
    body.v = {1.0, 2.0, -0.5};
    body.L = {0.3, 0.1, -0.2};
    boxes.set_body(1, body);
    const auto gaps_after = [&](double h) {
        std::vector<double> gaps(3);
        c.place(0.0, moved(boxes, h));
        c.joints().violation(c.bodies().frames(), {}, gaps);
        return gaps;
    };
    const std::vector<double> ahead = gaps_after(1e-5);
    const std::vector<double> behind = gaps_after(-1e-5);
    std::vector<double> rates(3);
    c.place_and_move(0.0, boxes.y);
    c.joints().rates(c.bodies().velocities(), rates);
    for (std::size_t row = 0; row < 3; ++row) {
        CHECK(near(rates[row], (ahead[row] - behind[row]) / 2e-5, 1e-8));
    }

    // Impulses J^T S^-1 b change the rates by b.
    const std::vector<double> wanted{0.7, -0.3, 0.2};
    std::vector<double> lambda = wanted;
    c.joints().solve(lambda);
    std::vector<Wrench> impulses(2);
    c.joints().add_forces(lambda, impulses);
    c.bodies().add_impulses(impulses, boxes.y);
    c.bodies().set_velocities(boxes.y);
    std::vector<double> changed(3);
    c.joints().rates(c.bodies().velocities(), changed);
    for (std::size_t row = 0; row < 3; ++row) {
        CHECK(near(changed[row] - rates[row], wanted[row], 1e-13));
    }
}

TEST_CASE("configuration: gaps of balls are distances of their surfaces, at any time and state, and rows their rates") {
    BallOnPlane ball{
        .gap = 0.25, .velocity = {1.0, -2.0, 0.5}, .spin = {0.0, 0.0, 3.0}, .floor_velocity = {0.0, 0.5, 0.0}};
    Store store = ball.store();
    BodyDesc other;
    other.mass = 1.0;
    other.shape = Sphere{0.75};
    other.pose.position = {3.0, 4.5, 0.0};
    other.linear_velocity = {-1.0, 0.0, 0.0};
    const BodyId second = store.add(other);
    store.touch(store.dynamic[0], second);
    Placed balls(store);
    Configuration& c = balls.configuration;
    CHECK(near(c.gap(0, 0.0, balls.y), 0.25));
    CHECK(near(c.gap(0, 0.4, balls.y), 0.25 - 0.2)); // the floor rises
    CHECK(near(c.gap(1, 0.0, balls.y), std::hypot(3.0, 3.75) - 1.25));
    CHECK(c.distance(0, 0.0, balls.y) == c.gap(0, 0.0, balls.y));

    const double ahead = c.gap(1, 0.0, moved(balls, 1e-5));
    const double behind = c.gap(1, 0.0, moved(balls, -1e-5));
    c.place_and_move(0.0, balls.y);
    CHECK(near(balls.rate(0, 0), -2.5));
    CHECK(near(balls.rate(1, 0), (ahead - behind) / 2e-5, 1e-9));
    const ConstraintPlace place = c.constraint_place(0);
    CHECK(near(place.gap, 0.25));
    CHECK(near(place.point, {0.0, 0.25, 0.0}));
    // The slip is that of the lowest point, which the spin of 3 rad/s carries along +x.
    const glm::dvec3 slip = balls.rate(0, 1) * place.row[1].linear + balls.rate(0, 2) * place.row[2].linear;
    CHECK(near(slip, {1.0 + 3.0 * BallOnPlane::kRadius, 0.0, 0.5}));
}

TEST_CASE("configuration: rows of contacts follow the places and the modes, of those involved alone") {
    Store store = BallOnPlane{}.store();
    Placed ball(store);
    Configuration& c = ball.configuration;
    c.place(0.0, ball.y);
    CHECK(c.contacts().involved().empty());
    ball.hold(0, ContactMode::Slide, {1.0, 0.0, 0.0});
    c.place(0.0, ball.y);
    REQUIRE(c.contacts().involved().size() == 1);
    CHECK(near(c.contacts().involved_place(0).gap, 0.0));
    CHECK(near(c.contacts().problem().a(0, 0), 1.0));                                      // 1 / m
    CHECK(near(c.contacts().problem().a(1, 1), 1.0 + 0.25 / BallOnPlane::kMoment, 1e-13)); // 1 / m + r^2 / I

    BodyState body = ball.body(0);
    body.x.y += 0.125;
    ball.set_body(0, body);
    c.place(0.0, ball.y);
    CHECK(near(c.contacts().involved_place(0).gap, 0.125));

    c.involve_none();
    CHECK(c.contacts().involved().empty());
    c.place(0.0, ball.y);
    CHECK(c.contacts().involved().size() == 1);
    ball.hold(0, ContactMode::Separate);
    const std::vector<int> all{0};
    c.place(0.0, ball.y);
    CHECK(c.contacts().involved().empty());
    c.involve(all);
    CHECK(near(c.contacts().involved_place(0).gap, 0.125));
}

TEST_CASE("configuration: limits count the turns that a joint remembers, and what they hold lasts from step to step") {
    const double turn = 2.0 * std::numbers::pi;
    Placed bob(Pendulum{.angle = 0.5, .limits = {{.lower = -1.0, .upper = 7.0}}}.store());
    Configuration& c = bob.configuration;
    REQUIRE(c.contacts().size() == 2);
    CHECK(c.memory_count() == 1);
    CHECK(near(c.gap(0, 0.0, bob.y), 1.5));
    CHECK(near(c.gap(1, 0.0, bob.y), 6.5));
    c.memory(std::span<double>(bob.y))[0] = turn + 0.4;
    CHECK(near(c.gap(0, 0.0, bob.y), turn + 1.5, 1e-13));
    CHECK(near(c.gap(1, 0.0, bob.y), 6.5 - turn, 1e-13));
    // An angle's gap is as long as its body reaches: sqrt(k^2 + r^2) about the hinge.
    const double reach = std::sqrt(Pendulum::kAboutHinge / Pendulum::kMass);
    CHECK(near(c.distance(1, 0.0, bob.y), reach * (6.5 - turn), 1e-13));

    bob.hold(1, ContactMode::Slide);
    c.set_contacts({}, {}, {}, true);
    CHECK(bob.mode(1) == ContactMode::Slide);
    c.start_anew(bob.store.motions());
    CHECK(bob.mode(1) == ContactMode::Separate);
}

TEST_CASE("configuration: a joint's end goes where the body that carries it is set, and so do rows placed elsewhere") {
    Store store;
    BodyDesc carrier;
    carrier.motion = MotionType::Kinematic;
    carrier.shape = Sphere{0.1};
    const BodyId hook = store.add(carrier);
    BodyDesc weight;
    weight.shape = Sphere{0.5};
    weight.mass = 1.0;
    weight.pose.position = {0.0, -1.0, 0.0};
    JointDesc ball;
    ball.body_a = hook;
    ball.body_b = store.add(weight);
    ball.frame_b.position = {0.0, 1.0, 0.0};
    store.join(ball);
    Placed hung(store);
    CHECK(worst_gap(hung, 0.0) == 0.0);
    PrescribedMotion other = store.motions()[0];
    other.x0 = {0.0, 0.5, 0.0};
    hung.configuration.set_prescribed(0, other);
    CHECK(near(worst_gap(hung, 0.0), 0.5));
    other.velocity.linear = {0.25, 0.0, 0.0};
    hung.configuration.set_prescribed(0, other);
    CHECK(near(worst_gap(hung, 4.0), 1.0)); // the carrier moves on by 1 m

    // J of elsewhere lasts until the bodies are placed again.
    std::vector<BodyFrame> frames(hung.configuration.bodies().frames().begin(),
                                  hung.configuration.bodies().frames().end());
    const std::vector<Twist> spin{{glm::dvec3(0.0), {0.0, 0.0, 1.0}}, {}};
    std::vector<double> rates(3);
    const auto speed_of_end = [&] {
        hung.configuration.joints().rates(spin, rates);
        return glm::dvec3(rates[0], rates[1], rates[2]);
    };
    CHECK(near(speed_of_end(), {1.0, 0.0, 0.0})); // of the hook past it
    frames[0].rotation = glm::mat3_cast(glm::angleAxis(0.5 * std::numbers::pi, glm::dvec3(0.0, 0.0, 1.0)));
    hung.configuration.place_joints(frames, {});
    CHECK(near(speed_of_end(), {0.0, 1.0, 0.0}));
    hung.configuration.place(4.0, hung.y);
    CHECK(near(speed_of_end(), {1.0, 0.0, 0.0}));
}
