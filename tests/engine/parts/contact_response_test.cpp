// Impacts by closed form, and the modes that follow.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "contact_modes/contact_response.h"
#include "dynamics/manifold_projection.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

constexpr double kRadius = BallOnPlane::kRadius;

struct Responding : Moved {
    ManifoldProjection projection{configuration, works};
    ContactResponse response{configuration, works, accelerations, projection, regime};

    explicit Responding(Store from, bool with_ledger = false) : Moved(std::move(from), with_ledger) {
        projection.resize(y.size());
        response.resize(y.size());
    }
    bool respond(double parting_speed = kStillSpeed) {
        response.find_answering(0.0, y, kTouch, parting_speed, {});
        return response.respond_to_all(0.0, y, kTouch, parting_speed, {});
    }
};

Store row_of_balls(int count, double gap) {
    Store store;
    BodyDesc ball;
    ball.mass = 1.0;
    ball.shape = Sphere{kRadius};
    ball.material = {.friction = 0.0, .restitution = 1.0};
    for (int i = 0; i < count; ++i) {
        ball.pose.position = {i * (2.0 * kRadius + gap), 0.0, 0.0};
        store.add(ball);
    }
    for (std::size_t i = 1; i < store.dynamic.size(); ++i) {
        store.touch(store.dynamic[i - 1], store.dynamic[i]);
    }
    return store;
}

} // namespace

TEST_CASE("contact response: a ball leaves at e times the speed that it came with, and the report says what was lost") {
    Responding ball(
        BallOnPlane{.velocity = {0.0, -3.0, 0.0}, .material = {.friction = 0.0, .restitution = 0.5}}.store());
    REQUIRE(ball.respond());
    CHECK(near(ball.body(0).v, {0.0, 1.5, 0.0}));
    CHECK(ball.mode(0) == ContactMode::Separate);
    REQUIRE(ball.response.impacts().size() == 1);
    const Impact& impact = ball.response.impacts()[0];
    CHECK(near(impact.impulse, {0.0, 4.5, 0.0}));
    CHECK(near(impact.approach_speed, 3.0));
    CHECK(near(impact.restitution_loss, 0.5 * 9.0 * 0.75));
    CHECK(near(impact.point, glm::dvec3(0.0), 1e-15));
    CHECK(impact.normal == glm::dvec3(0.0, 1.0, 0.0));
    ball.response.forget_impacts();
    CHECK(ball.response.impacts().empty());
}

TEST_CASE("contact response: friction turns a ball that lands by mu times the impulse, or until it rolls") {
    const auto landing = [](double friction) {
        return BallOnPlane{.velocity = {2.0, -1.0, 0.0}, .material = {.friction = friction}}.store();
    };
    const auto land = [](Responding& ball) {
        const double before = ball.kinetic_energy();
        REQUIRE(ball.respond());
        CHECK(near(ball.booked(), ball.kinetic_energy() - before, 1e-14));
        CHECK(near(ball.works.booked(kRestitutionWork, ball.y), -0.5));
    };
    Responding slides(landing(0.125), true);
    land(slides);
    CHECK(near(slides.body(0).v, {2.0 - 0.125, 0.0, 0.0}, 1e-13));
    CHECK(near(slides.angular_velocity(0), {0.0, 0.0, -0.125 * kRadius / BallOnPlane::kMoment}, 1e-13));
    CHECK(slides.mode(0) == ContactMode::Slide);
    CHECK(near(slides.configuration.contacts()[0].memory.slip_direction, {1.0, 0.0, 0.0}));
    Responding rolls(landing(5.0), true);
    land(rolls);
    CHECK(near(rolls.body(0).v, {2.0 * 5.0 / 7.0, 0.0, 0.0}, 1e-13)); // what slips first and rolls then keeps 5/7
    CHECK(near(rolls.angular_velocity(0).z, -2.0 * 5.0 / 7.0 / kRadius, 1e-12));
    CHECK(rolls.mode(0) == ContactMode::Stick);
}

TEST_CASE("contact response: balls at rest on a slope roll, slide or stay by the angle of friction, others let go") {
    struct Slope {
        double tangent;
        ContactMode mode;
    };
    // A ball rolls as long as tan <= 7/2 mu.
    for (const Slope slope : {Slope{0.69, ContactMode::Stick}, Slope{0.71, ContactMode::Slide}}) {
        Responding ball(BallOnPlane{.material = {.friction = 0.2}}.store());
        ball.forces.gravity = kGravity * glm::normalize(glm::dvec3(slope.tangent, -1.0, 0.0));
        REQUIRE(ball.respond());
        CHECK(ball.mode(0) == slope.mode);
        CHECK(near(ball.body(0).v, glm::dvec3(0.0)));
        CHECK(ball.response.impacts().empty());
    }
    Responding lifted(BallOnPlane{.material = {.friction = 0.2}}.store());
    lifted.forces.push.force = {0.0, 10.0, 0.0};
    REQUIRE(lifted.respond());
    CHECK(lifted.mode(0) == ContactMode::Separate);
    CHECK(lifted.configuration.contacts()[0].memory.floor < 0.0); // a gap of zero must be seen to fall
    CHECK(lifted.configuration.contacts()[0].memory.floor >= -2.0 * kGapFloor);
}

TEST_CASE("contact response: many at once keep momentum and energy, and joints let none through") {
    // One ball into a row of two that touch: the first hit makes the second, so that the last leaves.
    Store store = row_of_balls(3, 0.0);
    store.bodies[store.dynamic[0]].now.v = {2.0, 0.0, 0.0};
    Responding row(store);
    row.forces.gravity = glm::dvec3(0.0);
    REQUIRE(row.respond());
    CHECK(near(row.momentum(), {2.0, 0.0, 0.0}));
    CHECK(near(row.kinetic_energy(), 2.0));
    CHECK(near(row.body(0).v.x, 0.0));
    CHECK(near(row.body(1).v.x, 0.0));
    CHECK(near(row.body(2).v.x, 2.0));
    CHECK(row.response.impacts().size() == 2);

    // So it is where the second comes to meet the first: equal balls hand on their velocities.
    store = row_of_balls(3, 0.0);
    store.bodies[store.dynamic[0]].now.v = {2.0, 0.0, 0.0};
    store.bodies[store.dynamic[1]].now.v = {-0.5, 0.0, 0.0};
    Responding parting(store);
    parting.forces.gravity = glm::dvec3(0.0);
    REQUIRE(parting.respond());
    CHECK(near(parting.kinetic_energy(), 0.5 * (4.0 + 0.25), 1e-10));
    CHECK(near(parting.body(0).v.x, -0.5));
    CHECK(near(parting.body(1).v.x, 0.0));
    CHECK(near(parting.body(2).v.x, 2.0));

    // A limit of a pendulum throws it back as a whole: joint and impact at once.
    Responding bob(Pendulum{.angle = 0.5, .rate = 2.0, .limits = {{.upper = 0.5, .restitution = 0.25}}}.store(), true);
    const double before = bob.kinetic_energy();
    REQUIRE(bob.respond());
    CHECK(near(bob.angular_velocity(0).z, -0.5));
    CHECK(near(bob.body(0).v, glm::cross(bob.angular_velocity(0), bob.body(0).x)));
    CHECK(near(bob.booked(), bob.kinetic_energy() - before));
    REQUIRE(bob.response.impacts().size() == 1);
    CHECK(near(glm::length(bob.response.impacts()[0].impulse), 2.5 * Pendulum::kAboutHinge)); // N m s
}

TEST_CASE("contact response: what touches is found by its distance; too many or too deep is refused") {
    Responding ball(BallOnPlane{.gap = 1e-6, .velocity = {0.0, -1.0, 0.0}}.store());
    ball.response.find_touching(0.0, ball.y, 1e-7);
    CHECK(ball.response.clusters() == 0);
    REQUIRE(ball.response.respond_to_all(0.0, ball.y, 1e-7, kStillSpeed, {}));
    CHECK(ball.body(0).v.y == -1.0); // too far off
    ball.response.find_touching(0.0, ball.y, 1e-5);
    CHECK(ball.response.clusters() == 1);
    REQUIRE(ball.response.respond(0, 0.0, ball.y, kStillSpeed, {}));
    CHECK(near(ball.body(0).v.y, 0.0));
    CHECK(near(ball.body(0).x.y, kRadius)); // what holds has no gap

    Responding deep(BallOnPlane{.gap = -1.1 * kDeepest}.store());
    deep.response.find_touching(0.0, deep.y, kTouch);
    CHECK(deep.response.can_be_held());
    CHECK_FALSE(deep.response.respond(0, 0.0, deep.y, kStillSpeed, {}));
    Responding most(row_of_balls(kMostContacts + 1, 0.0));
    most.response.find_touching(0.0, most.y, kTouch);
    CHECK(most.response.can_be_held());
    CHECK(most.response.respond(0, 0.0, most.y, kStillSpeed, {}));
    Responding more(row_of_balls(kMostContacts + 2, 0.0));
    more.response.find_touching(0.0, more.y, kTouch);
    CHECK_FALSE(more.response.can_be_held());
    CHECK_FALSE(more.response.respond(0, 0.0, more.y, kStillSpeed, {}));
}

TEST_CASE("contact response: what happens to a cluster leaves the others of its island as they are, to the last bit") {
    // Two rows of two, a tenth of a radius apart: both are about to be hit.
    Store store = row_of_balls(4, 0.0);
    Responding balls(std::move(store));
    for (std::size_t i = 2; i < 4; ++i) {
        balls.y[i * kNumbersPerBody + kPosition] += 0.1 * kRadius;
    }
    for (const std::size_t i : {0u, 2u}) {
        balls.y[i * kNumbersPerBody + kVelocity] = 1.0;
        balls.y[i * kNumbersPerBody + kOrientation] = 1.0 + 1e-15; // a projection would mend it
    }
    const std::vector<double> before = balls.y;
    balls.response.find_touching(0.0, balls.y, kTouch);
    REQUIRE(balls.response.clusters() == 2);
    CHECK(balls.response.cluster_of(0) == 0);
    CHECK(balls.response.cluster_of(1) == 2); // between the rows: in none
    CHECK(balls.response.cluster_of(2) == 1);
    CHECK(balls.response.closes(0, 0.0, balls.y));
    CHECK(balls.response.closes(1, 0.0, balls.y));
    REQUIRE(balls.response.respond(0, 0.0, balls.y, kStillSpeed, {}));
    CHECK(near(balls.body(0).v, {0.0, 0.0, 0.0}));
    CHECK(near(balls.body(1).v, {1.0, 0.0, 0.0}));
    CHECK(std::ranges::equal(std::span(before).subspan(2 * kNumbersPerBody, 2 * kNumbersPerBody),
                             std::span(balls.y).subspan(2 * kNumbersPerBody, 2 * kNumbersPerBody)));
    REQUIRE(balls.response.impacts().size() == 1);
    CHECK_FALSE(balls.response.closes(0, 0.0, balls.y));
    REQUIRE(balls.response.respond(1, 0.0, balls.y, kStillSpeed, {}));
    CHECK(near(balls.body(3).v, {1.0, 0.0, 0.0}));
    CHECK(balls.response.impacts().size() == 2);
}

TEST_CASE("contact response: bounces that move nothing are none, and where modes do not hold nothing happens") {
    // All bounces take T = 2 v e / (g (1 - e)): of 0.5 m/s with e = 1/2 0.102 s. What may move is g T^2, and along the
    // surface what friction makes of it: 7/2 mu g T^2 of a sphere, but for no more than it must do.
    const double length = 0.5 * 0.5 * 4.0 / kGravity; // m
    struct Case {
        double friction, slip, pull, part;
    };
    for (const Case& of : {Case{0.0, 0.0, 0.0, 1.0}, Case{0.1, 1.0, 0.0, 1.0}, Case{0.5, 3.0, 0.0, 1.75},
                           Case{0.5, 0.0, 0.0, 1.0}, Case{0.5, 0.0, 1.5, 1.5}, Case{0.5, 0.0, 3.0, 1.75}}) {
        for (const double resolution : {0.99 * of.part * length, 1.01 * of.part * length}) {
            CAPTURE(of.friction);
            CAPTURE(of.pull);
            Responding ball(
                BallOnPlane{.velocity = {of.slip, -0.5, 0.0}, .material = {.friction = of.friction, .restitution = 0.5}}
                    .store());
            ball.forces.push.force = {of.pull * kGravity, 0.0, 0.0}; // on 1 kg
            ball.accelerations.friction_threshold().length = resolution;
            REQUIRE(ball.respond());
            const bool ends = resolution > of.part * length;
            CHECK(near(ball.body(0).v.y, ends ? 0.0 : 0.25));
            CHECK((ball.mode(0) == ContactMode::Separate) == !ends);
            CHECK(ball.response.impacts().size() == 1); // the one that was made
            CHECK(ball.regime.given_up() == 0.0);
        }
    }
    // The same of one that is pushed off by another body, or pulled: it does not part.
    for (const double resolution : {0.99 * length, 1.01 * length}) {
        Responding ball(
            BallOnPlane{.velocity = {0.0, 0.25, 0.0}, .material = {.friction = 0.0, .restitution = 0.5}}.store());
        ball.accelerations.friction_threshold().length = resolution;
        REQUIRE(ball.respond());
        CHECK((ball.mode(0) == ContactMode::Separate) == (resolution < length));
    }
    Responding ball(BallOnPlane{.velocity = {0.0, -0.5, 0.0}}.store());
    ball.regime.choose(MethodNeeds::KickDriftSplit, true, false);
    const std::vector<double> before = ball.y;
    CHECK_FALSE(ball.respond()); // it would rest
    CHECK(ball.y == before);
    CHECK(ball.response.impacts().empty());
    CHECK(ball.mode(0) == ContactMode::Separate);
}
