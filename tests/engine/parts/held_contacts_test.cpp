// What contacts that hold transmit: by closed form, and how long it is kept.
#include <doctest/doctest.h>

#include <vector>

#include "contact_modes/held_contacts.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

struct Holding : Moved {
    HeldContacts held{configuration, accelerations, regime};

    explicit Holding(Store from) : Moved(std::move(from)) {
        held.resize(y.size());
        held.forget();
    }
    // As the derivative does.
    void evaluate(double t, std::uint64_t revision = 0) {
        REQUIRE(accelerations.solve(t, y));
        held.keep(t, y, revision);
    }
};

Holding sliding_ball() {
    return Holding(BallOnPlane{.velocity = {3.0, 0.0, 4.0}, .material = {.friction = 0.25}}.store());
}

} // namespace

TEST_CASE("held contacts: a ball that slides is carried by its weight and braked by its friction") {
    Holding ball = sliding_ball();
    ball.hold(0, ContactMode::Slide, {0.6, 0.0, 0.8});
    const std::span<const HeldContact> held = ball.held.at(0.0, ball.y, 0);
    REQUIRE(held.size() == 1);
    CHECK(near(held[0].pressure, kGravity));
    CHECK(near(held[0].friction, 0.25 * kGravity));
    CHECK(near(held[0].force, kGravity * glm::dvec3(-0.25 * 0.6, 1.0, -0.25 * 0.8)));
    CHECK(near(held[0].slip, {3.0, 0.0, 4.0}));
    const HeldSurfaces surfaces = HeldContacts::surfaces_of(ball.configuration.contacts()[0], held[0]);
    CHECK(near(surfaces.pressure, kGravity));
    CHECK(near(surfaces.slip, 5.0)); // it stops where its slip turns round
    CHECK(surfaces.cone > 0.5);      // no rod whose friction jams it
}

TEST_CASE("held contacts: a ball rolls down a slope by 2/7 of the pull as friction, as far as the cone goes") {
    Holding ball(BallOnPlane{.material = {.friction = 0.2, .static_friction = 0.3}}.store());
    const double slope = 0.4;
    ball.forces.gravity = kGravity * glm::dvec3(std::sin(slope), -std::cos(slope), 0.0);
    ball.hold(0, ContactMode::Stick);
    const HeldContact held = ball.held.at(0.0, ball.y, 0)[0];
    CHECK(near(held.pressure, kGravity * std::cos(slope)));
    CHECK(near(held.friction, 2.0 / 7.0 * kGravity * std::sin(slope)));
    CHECK(near(held.force.x, -2.0 / 7.0 * kGravity * std::sin(slope)));
    const HeldSurfaces surfaces = HeldContacts::surfaces_of(ball.configuration.contacts()[0], held);
    CHECK(near(surfaces.cone, 0.3 * held.pressure - held.friction, 1e-14));
    CHECK(surfaces.slip == 1.0); // none
}

TEST_CASE("held contacts: what the derivative found is kept for the same bits, and found anew elsewhere") {
    Holding ball = sliding_ball();
    ball.hold(0, ContactMode::Slide, {0.6, 0.0, 0.8});
    ball.evaluate(0.0, 7);
    ball.forces.gravity.y = -2.0 * kGravity; // nobody said so
    CHECK(near(ball.held.at(0.0, ball.y, 7)[0].pressure, kGravity));
    CHECK(near(ball.held.at(0.5, ball.y, 7)[0].pressure, 2.0 * kGravity));
    CHECK(near(ball.held.at(0.0, ball.y, 8)[0].pressure, 2.0 * kGravity));
    std::vector<double> elsewhere = ball.y;
    elsewhere[kPosition] += 1e-9;
    CHECK(near(ball.held.at(0.0, elsewhere, 7)[0].pressure, 2.0 * kGravity));
    CHECK(near(ball.held.at(0.0, ball.y, 7)[0].pressure, kGravity)); // still

    ball.hold(0, ContactMode::Slide, {0.6, 0.0, 0.8}); // modes may be others now
    CHECK(near(ball.held.at(0.0, ball.y, 7)[0].pressure, 2.0 * kGravity));
    ball.evaluate(0.0, 7);
    ball.forces.gravity.y = -kGravity;
    CHECK(near(ball.held.at(0.0, ball.y, 7)[0].pressure, 2.0 * kGravity));
    ball.held.forget();
    CHECK(near(ball.held.at(0.0, ball.y, 7)[0].pressure, kGravity));
}

TEST_CASE("held contacts: stages tell of a substep where no surface lost half, and of none beyond it") {
    // The pressure falls to 60 % or to 40 % of what it was.
    for (const double fall : {0.4, 0.6}) {
        Holding ball = sliding_ball();
        ball.hold(0, ContactMode::Slide, {0.6, 0.0, 0.8});
        ball.held.forget();
        ball.forces.gravity_rate = {0.0, fall * kGravity, 0.0};
        ball.held.begin_substep(0.0, ball.y, 0);
        for (const double t : {0.25, 0.5, 0.75, 1.0}) {
            ball.evaluate(t);
        }
        CHECK_FALSE(ball.held.are_surfaces_far(0.3, ball.y, 0)); // it has not ended yet
        ball.configuration.contacts().end_substep(1.0);
        CHECK(ball.held.are_surfaces_far(0.3, ball.y, 0) == (fall < 0.5));
        CHECK(ball.held.are_surfaces_far(0.8, ball.y, 0) == (fall < 0.5));
        CHECK_FALSE(ball.held.are_surfaces_far(1.0, ball.y, 0));
        CHECK_FALSE(ball.held.are_surfaces_far(0.3, ball.y, 1)); // of another model
        CHECK(near(ball.held.stage_range(0).most.pressure, kGravity));
        CHECK(near(ball.held.stage_range(0).least.pressure, (1.0 - fall) * kGravity));

        // Where fields act, which may be as sharp as they like, what is between stages is looked at.
        ball.forces.uniform = false;
        CHECK(ball.held.are_surfaces_far(0.51, ball.y, 0) == (fall < 0.5)); // near a stage
        ball.forces.gravity = glm::dvec3(0.0, -0.1 * kGravity, 0.0);
        ball.forces.gravity_rate = glm::dvec3(0.0);
        CHECK_FALSE(ball.held.are_surfaces_far(0.6, ball.y, 0));
    }
}

TEST_CASE("held contacts: evaluations inside a substep that is over replace nothing; few stages tell nothing") {
    Holding ball = sliding_ball();
    ball.hold(0, ContactMode::Slide, {0.6, 0.0, 0.8});
    ball.held.forget();
    ball.forces.gravity_rate = {0.0, 0.1 * kGravity, 0.0};
    ball.held.begin_attempt(0.0);
    for (const double t : {0.0, 0.25, 0.5, 1.0}) { // the first is no stage behind the start
        ball.evaluate(t);
    }
    ball.configuration.contacts().end_substep(1.0);
    CHECK_FALSE(ball.held.are_surfaces_far(0.3, ball.y, 0));
    ball.evaluate(0.75); // for a dense output: the fourth
    CHECK(ball.held.are_surfaces_far(0.3, ball.y, 0));
    ball.forces.gravity = glm::dvec3(0.0);
    CHECK(near(ball.held.at(1.0, ball.y, 0)[0].pressure, 0.9 * kGravity)); // still of the end

    // The next substep begins with what this one ended with, which costs nothing.
    ball.forces.gravity = {0.0, -0.7 * kGravity, 0.0};
    ball.forces.gravity_rate = glm::dvec3(0.0);
    ball.held.begin_substep(1.0, ball.y, 0);
    CHECK_FALSE(ball.configuration.contacts().substep_end().has_value());
    ball.evaluate(1.5);
    CHECK(near(ball.held.stage_range(0).most.pressure, 0.9 * kGravity));
    CHECK(near(ball.held.stage_range(0).least.pressure, 0.7 * kGravity));
    ball.configuration.contacts().end_substep(1.5);
    CHECK_FALSE(ball.held.are_surfaces_far(1.2, ball.y, 0)); // one stage
}

TEST_CASE("held contacts: what was evaluated in an attempt that was rejected tells nothing of the next one") {
    // The pressure falls by a third within the substep, and by nine tenths within three times that.
    const auto range_behind = [](bool rejected) {
        Holding ball = sliding_ball();
        ball.hold(0, ContactMode::Slide, {0.6, 0.0, 0.8});
        ball.held.forget();
        ball.forces.gravity_rate = {0.0, 0.3 * kGravity, 0.0};
        if (rejected) {
            ball.held.begin_substep(0.0, ball.y, 0);
            for (const double t : {0.0, 1.0, 2.0, 3.0}) {
                ball.evaluate(t);
            }
        }
        ball.held.begin_attempt(0.0);
        for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            ball.evaluate(t);
        }
        ball.configuration.contacts().end_substep(1.0);
        CHECK(ball.held.are_surfaces_far(0.3, ball.y, 0));
        return ball.held.stage_range(0);
    };
    const StageRange alone = range_behind(false);
    const StageRange after = range_behind(true);
    CHECK(after.least.pressure == alone.least.pressure);
    CHECK(after.most.pressure == alone.most.pressure);
    CHECK(near(alone.most.pressure, kGravity));
}

TEST_CASE("held contacts: of dry friction in a joint the slip counts along its coordinate, down to its floor") {
    Holding bob(Pendulum{.rate = 1.5, .friction = {{.dry = 0.5}}}.store());
    bob.hold(0, ContactMode::Slide, {1.0, 0.0, 0.0});
    const HeldContact held = bob.held.at(0.0, bob.y, 0)[0];
    CHECK(near(held.rate, 1.5));
    CHECK(near(held.friction, 0.5));
    HeldSurfaces surfaces = HeldContacts::surfaces_of(bob.configuration.contacts()[0], held);
    CHECK(surfaces.pressure == 1.0); // it always presses
    CHECK(near(surfaces.slip, 1.5));
    bob.configuration.contacts()[0].memory.floor = -0.25;
    CHECK(near(HeldContacts::surfaces_of(bob.configuration.contacts()[0], held).slip, 1.75));

    bob.hold(0, ContactMode::Stick);
    BodyState body = bob.body(0);
    body.v = body.L = glm::dvec3(0.0);
    body.q = glm::angleAxis(0.02, glm::dvec3(0.0, 0.0, 1.0));
    body.x = Pendulum::kArm * glm::dvec3(std::sin(0.02), -std::cos(0.02), 0.0);
    bob.set_body(0, body);
    const HeldContact stuck = bob.held.at(0.0, bob.y, 0)[0];
    const double moment = Pendulum::kMass * kGravity * Pendulum::kArm * std::sin(0.02); // about the hinge
    CHECK(near(stuck.friction, moment, 1e-13));
}
