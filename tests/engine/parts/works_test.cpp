// Works of an island against the energy that its bodies gained.
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "dynamics/joint_closing.h"
#include "dynamics/works.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

struct Booked : Placed {
    Works works{configuration};

    explicit Booked(Store from, std::size_t terms = kLedgerTerms) : Placed(std::move(from)) {
        works.set_terms(terms);
        y.resize(y.size() + terms);
    }
    double work(LedgerTerm term) const { return works.booked(term, y); }
    double all() const {
        double sum = 0.0;
        for (std::size_t term = 0; term < works.terms(); ++term) {
            sum += works.booked(term, y);
        }
        return sum;
    }
};

// A brick on a ball joint whose other end a kinematic body carries along x at 2 m/s. It moves along.
Store carried_brick() {
    Store store;
    BodyDesc brick;
    brick.collides = false;
    brick.shape = Box{{0.5, 0.2, 0.3}};
    brick.mass = 3.0;
    brick.pose.position = {0.0, -1.0, 0.0};
    brick.linear_velocity = {2.0, 0.0, 0.0};
    JointDesc ball;
    ball.body_b = store.add(brick);
    ball.frame_b.position = {0.0, 1.0, 0.0};
    BodyDesc carrier;
    carrier.motion = MotionType::Kinematic;
    carrier.linear_velocity = {2.0, 0.0, 0.0};
    ball.body_a = store.add(carrier);
    store.join(ball);
    return store;
}

} // namespace

TEST_CASE("works: what is booked is what is read, and nothing where no ledger is kept") {
    Booked brick(carried_brick());
    brick.works.book(kDriveWork, 2.5, brick.y);
    brick.works.book(kDriveWork, -0.25, brick.y);
    brick.works.powers()[kAppliedWork] = 12.0;
    brick.works.book_powers(0.5, brick.y);
    CHECK(brick.work(kDriveWork) == 2.25);
    CHECK(brick.work(kAppliedWork) == 6.0);
    CHECK(brick.all() == 8.25);
    CHECK(brick.body(0).x == glm::dvec3(0.0, -1.0, 0.0));

    Booked none(carried_brick(), 0);
    const std::vector<double> before = none.y;
    none.works.book(kDriveWork, 2.5, none.y);
    none.works.book_powers(0.5, none.y);
    none.works.book_impact(std::array{1.0, 2.0}, true, before, none.y);
    CHECK(none.y == before);
    CHECK_FALSE(none.works.is_kept());
}

TEST_CASE("works: the kinetic energy is that of a box that moves and spins, at any length of its quaternion") {
    Store store;
    BodyDesc brick;
    brick.collides = false;
    brick.shape = Box{{0.5, 0.2, 0.3}};
    brick.mass = 3.0;
    brick.linear_velocity = {1.0, -2.0, 0.5};
    brick.pose.orientation = glm::angleAxis(0.75, glm::normalize(glm::dvec3(1.0, 2.0, 3.0)));
    brick.angular_velocity = brick.pose.orientation * glm::dvec3(2.0, 0.0, 1.0);
    store.add(brick);
    Booked box(store);
    const double energy = 0.5 * 3.0 * 5.25 + 0.5 * (4.0 * (0.04 + 0.09) + 1.0 * (0.25 + 0.04));
    CHECK(near(box.works.kinetic_energy(box.y), energy, 1e-14));
    BodyState longer = box.body(0);
    longer.q = 1.5 * longer.q;
    box.set_body(0, longer);
    CHECK(near(box.works.kinetic_energy(box.y), energy, 1e-14));
}

TEST_CASE("works: of what a moving hook does to a brick its motion is the cause, and a hook at rest does nothing") {
    for (const double speed : {2.0, 0.0}) {
        Store store = carried_brick();
        store.bodies[store.dynamic[0]].now.v.x = speed;
        BodyRecord& hook = store.bodies[store.prescribed[0]];
        PrescribedMotion motion = hook.prescribed();
        motion.velocity.linear.x = speed;
        hook.motions.set(motion);
        Booked brick(store);
        brick.configuration.place_and_move(0.0, brick.y);
        // A field pulls with 5 N along x, the hook with 7 N; each at `speed`.
        std::vector<Wrench> wrenches{{{5.0, -20.0, 0.0}, glm::dvec3(0.0)}};
        brick.works.clear_powers();
        brick.works.take_forces(wrenches);
        const std::vector<double> multipliers{-7.0, 0.0, 0.0}; // on the hook
        brick.configuration.joints().add_forces(multipliers, wrenches);
        CHECK(near(wrenches[0].force.x, 12.0));
        CHECK(near(brick.works.power_on_bodies(wrenches), 12.0 * speed));
        CHECK(near(brick.works.joint_power(multipliers), 0.0));
        std::vector<double> rates(brick.y.size());
        brick.works.write_rates(multipliers, wrenches, rates);
        CHECK(near(brick.works.booked(kPrescribedWork, rates), 7.0 * speed));
        CHECK(near(brick.works.booked(kJointWork, rates), 0.0));
        CHECK(near(brick.works.booked(kFrictionWork, rates), 0.0));
    }
}

TEST_CASE("works: joint impulses do what the kinetic energy shows, at the mean of the velocities around them") {
    Booked brick(carried_brick());
    JointClosing closing(brick.configuration);
    closing.resize(brick.y.size());
    BodyState body = brick.body(0);
    body.v = {-1.0, 3.0, 0.5};
    body.L = {0.2, 0.1, -0.4};
    brick.set_body(0, body);
    const std::vector<double> before = brick.y;
    const double energy = brick.kinetic_energy();
    closing.obey(0.0, brick.y);
    brick.works.book_impulses(closing.multipliers(), closing.reactions(), before, brick.y);
    CHECK(std::abs(brick.kinetic_energy() - energy) > 0.1);
    CHECK(near(brick.all(), brick.kinetic_energy() - energy, 1e-14));
    // On the hook -p acts, which moves at 2 m/s: p . v is what it gave, the rest the joint took.
    const glm::dvec3 p = 3.0 * (brick.body(0).v - body.v);
    CHECK(near(brick.work(kPrescribedWork), 2.0 * p.x, 1e-14));
    CHECK(brick.work(kJointWork) < -0.1);
}

TEST_CASE("works: impulses before a drift do what the kinetic energy shows, where the velocities obeyed before") {
    Booked brick(carried_brick());
    const double energy = brick.kinetic_energy();
    brick.configuration.place(0.0, brick.y);
    const std::vector<double> multipliers{-1.5, 0.5, 0.25}; // on the hook, N s
    std::vector<Wrench> impulses(1);
    brick.configuration.joints().add_forces(multipliers, impulses);
    brick.configuration.bodies().add_impulses(impulses, brick.y);
    brick.works.book_drift(multipliers, impulses, brick.y);
    CHECK(near(brick.work(kPrescribedWork), 2.0 * 1.5)); // the hook goes on at 2 m/s
    CHECK(near(brick.all(), brick.kinetic_energy() - energy));
    CHECK(std::abs(brick.work(kJointWork)) > 0.1);
}

TEST_CASE("works: an impact books its losses, and leaves the rest to who was hit or to stopped slips") {
    for (const bool hit_moving : {true, false}) {
        Booked ball(BallOnPlane{.velocity = {1.0, -2.0, 0.0}}.store());
        const std::vector<double> before = ball.y;
        BodyState body = ball.body(0);
        body.v = {0.5, 1.0, 0.0};
        ball.set_body(0, body);
        ball.works.book_impact(std::array{1.25, 0.5}, hit_moving, before, ball.y);
        // It had 2.5 J and has 0.625 J: 0.125 J beyond the losses.
        CHECK(near(ball.work(kRestitutionWork), -1.25));
        CHECK(near(ball.work(kPrescribedWork), hit_moving ? -0.125 : 0.0));
        CHECK(near(ball.work(kFrictionWork), hit_moving ? -0.5 : -0.625));
        CHECK(near(ball.all(), -1.875));
    }
}
