// Event functions of contacts and switches, and what is done where one has happened.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "contact_modes/contact_events.h"
#include "part_builders.h"

using namespace engine_parts;

namespace {

constexpr double kRadius = BallOnPlane::kRadius;

// All that contact modes are made of, in the order in which an island sizes it.
struct Watched : Moved {
    ManifoldProjection projection{configuration, works};
    HeldContacts held{configuration, accelerations, regime};
    IslandDerivative derivative{configuration, works, accelerations, held, regime};
    ContactResponse response{configuration, works, accelerations, projection, regime};
    ContactEvents events{configuration, accelerations, projection, derivative, held, response, regime};

    explicit Watched(Store from) : Moved(std::move(from)) {
        projection.resize(y.size());
        derivative.resize(y.size());
        held.resize(y.size());
        response.resize(y.size());
        events.resize(y.size());
        held.forget();
    }
    std::vector<double> values() {
        std::vector<double> g(events.event_count());
        events.event_values(0.0, y, g);
        return g;
    }
    EventAction happen(std::size_t event) { return events.on_event(0.0, std::array{event}, y); }
};

Material rough(double friction) { return {.friction = friction}; }

} // namespace

TEST_CASE("contact events: of what is apart the gap counts, of what holds pressure, stop and cone, and all fall") {
    BallOnPlane above{.gap = 0.25, .velocity = {3.0, 0.0, 0.0}, .material = rough(0.25)};
    Watched ball(above.store());
    REQUIRE(ball.events.event_count() == kSurfaces);
    CHECK(near(ball.values()[kGap], 0.25));
    CHECK(ball.values()[kPressure] == 1.0);
    ball.configuration.contacts()[0].memory.floor = -0.125; // where it touches again
    CHECK(near(ball.values()[kGap], 0.375));

    ball.hold(0, ContactMode::Slide, {1.0, 0.0, 0.0});
    CHECK(ball.values()[kGap] == 1.0);
    CHECK(near(ball.values()[kPressure], kGravity));
    CHECK(near(ball.values()[kSlip], 3.0));
    ball.hold(0, ContactMode::Stick);
    ball.forces.push.force = {1.4, 0.0, 0.0};
    CHECK(near(ball.values()[kCone], 0.25 * kGravity - 1.4 * 2.0 / 7.0, 1e-14)); // 2/7 of a push through the centre
    CHECK(ball.values()[kSlip] == 1.0);
    CHECK(ball.events.event_traits(kPressure).direction == EventDirection::Falling);

    ball.forces.has_switch = true;
    BodyState body = ball.body(0);
    body.x.x = -0.5;
    ball.set_body(0, body);
    REQUIRE(ball.events.event_count() == kSurfaces + 1);
    CHECK(ball.values()[kSurfaces] == -0.5);
    CHECK(ball.events.event_traits(kSurfaces).direction == EventDirection::Both);
}

TEST_CASE("contact events: a gap that falls to zero is an impact, however far off its window has found it") {
    Watched ball(
        BallOnPlane{.gap = 1e-7, .velocity = {0.0, -2.0, 0.0}, .material = {.friction = 0.0, .restitution = 0.5}}
            .store());
    CHECK(ball.happen(kGap) == EventAction::Restart);
    CHECK(near(ball.body(0).v.y, 1.0));
    CHECK(ball.mode(0) == ContactMode::Separate);
    CHECK(ball.regime.transitions(0) == 1);
    CHECK(near(ball.values()[kGap], 1e-7)); // it was left where it is

    Watched lands(BallOnPlane{.velocity = {0.0, -2.0, 0.0}}.store());
    CHECK(lands.happen(kGap) == EventAction::Restart);
    CHECK(near(lands.body(0).v.y, 0.0));
    CHECK(lands.mode(0) == ContactMode::Slide);
}

TEST_CASE("contact events: what presses no more parts, what slips no more rolls, and a cone that is left slides") {
    Watched lifted(BallOnPlane{}.store());
    lifted.hold(0, ContactMode::Slide, {1.0, 0.0, 0.0});
    lifted.forces.push.force = {0.0, kGravity + 1e-9, 0.0};
    CHECK(near(lifted.values()[kPressure], -1e-9, 1e-14));
    CHECK(lifted.happen(kPressure) == EventAction::Restart);
    CHECK(lifted.mode(0) == ContactMode::Separate);

    // Of a ball whose spin just fits its speed.
    Watched rolling(
        BallOnPlane{.velocity = {1.0, 0.0, 0.0}, .spin = {0.0, 0.0, -1.0 / kRadius}, .material = rough(0.5)}.store());
    rolling.hold(0, ContactMode::Slide, {1.0, 0.0, 0.0});
    CHECK(near(rolling.values()[kSlip], 0.0));
    CHECK(rolling.happen(kSlip) == EventAction::Restart);
    CHECK(rolling.mode(0) == ContactMode::Stick);
    CHECK(near(rolling.body(0).v, {1.0, 0.0, 0.0}));

    Watched leaves(BallOnPlane{.material = rough(0.1)}.store());
    leaves.hold(0, ContactMode::Stick);
    leaves.forces.push.force = {0.1 * kGravity * 7.0 / 2.0 + 1e-6, 0.0, 0.0};
    CHECK(leaves.values()[kCone] < 0.0);
    CHECK(leaves.happen(kCone) == EventAction::Restart);
    CHECK(leaves.mode(0) == ContactMode::Slide);
    CHECK(near(leaves.configuration.contacts()[0].memory.slip_direction, {1.0, 0.0, 0.0}));

    // The cone of a slide is the guard, beyond which there is no force.
    Watched jammed(BallOnPlane{.velocity = {1.0, 0.0, 0.0}, .material = rough(0.5)}.store());
    jammed.hold(0, ContactMode::Slide, {1.0, 0.0, 0.0});
    const std::vector<double> before = jammed.y;
    CHECK(jammed.happen(kCone) == EventAction::Stop);
    CHECK(jammed.regime.met_painleve_guard());
    CHECK(jammed.regime.modes_failed());
    CHECK(jammed.y == before);
}

TEST_CASE("contact events: a switch that is crossed flips its force, and contacts answer") {
    Watched ball(BallOnPlane{}.store());
    ball.forces.has_switch = true;
    ball.forces.pushes = false;
    ball.forces.push.force = {0.0, 2.0 * kGravity, 0.0};
    ball.hold(0, ContactMode::Slide, {1.0, 0.0, 0.0});
    CHECK(near(ball.values()[kPressure], kGravity));
    CHECK(ball.happen(kSurfaces) == EventAction::Restart);
    CHECK(ball.forces.pushes);
    CHECK(ball.mode(0) == ContactMode::Separate);
    CHECK(ball.regime.transitions(0) == 0); // no contact's own
    CHECK(ball.happen(kSurfaces) == EventAction::Restart);
    CHECK_FALSE(ball.forces.pushes);
    CHECK(ball.mode(0) == ContactMode::Slide);
}

TEST_CASE("contact events: after too many rebounds in a step a contact settles, once, and then modes have failed") {
    Watched ball(BallOnPlane{.velocity = {0.0, -2.0, 0.0}, .material = {.friction = 0.0, .restitution = 0.9}}.store());
    const BodyState falling = ball.body(0);
    for (int bounce = 1; bounce <= kMostBounces; ++bounce) {
        ball.set_body(0, falling);
        REQUIRE(ball.happen(kGap) == EventAction::Restart);
        CHECK(near(ball.body(0).v.y, 1.8));
    }
    ball.set_body(0, falling);
    CHECK(ball.happen(kGap) == EventAction::Restart);
    CHECK(near(ball.body(0).v.y, 0.0));
    CHECK(ball.mode(0) == ContactMode::Slide);
    const double length = std::pow(2.0 * 1.8 / (1.0 - 0.9), 2) / kGravity; // a T^2
    CHECK(ball.regime.given_up() == doctest::Approx(length));
    int more = 0;
    while (more < 100 && ball.happen(kPressure) == EventAction::Restart) { // at once
        ++more;
    }
    CHECK(more == 2 * (kMostCrowded + 1)); // the rule settles them once
    CHECK(ball.regime.modes_failed());
}

TEST_CASE("contact events: modes take up what is as good as touching, and let go what an edit has moved away") {
    Watched ball(BallOnPlane{.gap = 0.9 * kSettled, .velocity = {1.0, -1e-3, 0.0}}.store());
    CHECK(ball.events.next_passed(0.0, ball.y, 0) == 1); // none
    ball.regime.choose(MethodNeeds::VelocityStep, true, false);
    ball.regime.choose(MethodNeeds::Derivative, true, false); // back from velocity steps
    CHECK(ball.regime.modes_wanted());
    ball.events.resume_modes(0.0, ball.y);
    CHECK_FALSE(ball.regime.modes_failed());
    CHECK_FALSE(ball.regime.modes_wanted());
    CHECK(ball.mode(0) == ContactMode::Slide);
    CHECK(near(ball.body(0).x.y, kRadius));
    CHECK(near(ball.body(0).v, {1.0, 0.0, 0.0}));

    BodyState body = ball.body(0);
    for (const double gap : {0.5 * kSettled, 2.0 * kSettled}) {
        body.x.y = kRadius + gap;
        ball.set_body(0, body);
        ball.events.let_go(0.0, ball.y);
        CHECK(ball.mode(0) == (gap > kSettled ? ContactMode::Separate : ContactMode::Slide));
    }
    body.x.y = kRadius - 1e-6; // nobody announced it
    ball.set_body(0, body);
    CHECK(ball.events.next_passed(0.0, ball.y, 0) == 0);
    CHECK(ball.events.next_passed(0.0, ball.y, 1) == 1);
    CHECK(ball.events.is_deep(0, 0.0, ball.y));
    body.x.y = kRadius - 0.5 * kTouch;
    ball.set_body(0, body);
    CHECK(ball.events.next_passed(0.0, ball.y, 0) == 0);
    CHECK_FALSE(ball.events.is_deep(0, 0.0, ball.y));
    body.v.y = -0.5;
    body.x.y = kRadius;
    ball.set_body(0, body);
    ball.events.settle(0.0, ball.y);
    CHECK(near(ball.body(0).v.y, 0.0));

    body.x.y = kRadius - 2.0 * kDeepest;
    ball.set_body(0, body);
    const std::vector<double> before = ball.y;
    ball.events.resume_modes(0.0, ball.y);
    CHECK(ball.regime.modes_failed());
    CHECK(ball.y == before);
}

TEST_CASE("contact events: a step is calm where nothing near closes fast and nothing penetrates") {
    struct Step {
        double gap, speed;
        bool calm;
    };
    for (const Step step : {Step{0.5 * kNear, -0.5 * kCalmClosing, true}, Step{0.5 * kNear, -1.5 * kCalmClosing, false},
                            Step{1.5 * kNear, -1.5 * kCalmClosing, true}, Step{-0.5 * kNear, 0.0, true},
                            Step{-1.5 * kNear, 0.0, false}, Step{0.0, 1.0, true}}) {
        Watched ball(BallOnPlane{.gap = step.gap, .velocity = {0.0, step.speed, 0.0}}.store());
        CHECK(ball.events.is_calm(0.0, ball.y) == step.calm);
    }
}
