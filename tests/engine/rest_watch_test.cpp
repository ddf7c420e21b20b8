// When an island falls asleep, step by step.
#include <doctest/doctest.h>

#include <limits>
#include <numbers>

#include "islands/rest_watch.h"

using namespace substep;
using namespace substep::detail;

namespace {

constexpr double kStep = 0.125; // s: sums of it are exact
constexpr double kWindow = 0.5; // s

// Steps of one speed until the window is over. Returns whether the acceleration is to decide.
bool rest_for_a_window(RestWatch& watch, double speed) {
    bool is_due = false;
    for (int step = 0; step < 4; ++step) {
        CHECK_FALSE(is_due);
        is_due = watch.note_step(kStep, speed, kWindow);
    }
    return is_due;
}

} // namespace

TEST_CASE("an island that was slow for a window and is without acceleration falls asleep until it is woken") {
    RestWatch watch;
    REQUIRE(rest_for_a_window(watch, 0.5));
    CHECK_FALSE(watch.is_asleep());
    watch.decide(0.0, 60.0);
    CHECK(watch.is_asleep());
    watch.wake();
    CHECK_FALSE(watch.is_asleep());
    CHECK(watch.slow_time() == 0.0);
}

TEST_CASE(
    "a window begins anew after a fast step, a speed that is no number, or an acceleration that would soon tell") {
    RestWatch watch;
    for (const double speed : {1.5, std::numeric_limits<double>::quiet_NaN()}) {
        watch.note_step(kStep, 0.5, kWindow);
        CHECK(watch.slow_time() == kStep);
        CHECK_FALSE(watch.note_step(kStep, speed, kWindow));
        CHECK(watch.slow_time() == 0.0);
    }
    // Within a minute the limit is passed above an acceleration of 1/60 of it per second.
    REQUIRE(rest_for_a_window(watch, 0.5));
    watch.decide(1.01 / 60.0, 60.0);
    CHECK_FALSE(watch.is_asleep());
    REQUIRE(rest_for_a_window(watch, 0.5));
    watch.decide(0.99 / 60.0, 60.0);
    CHECK(watch.is_asleep());
}

TEST_CASE("an island that became faster within its window does not rest, however slow it is") {
    RestWatch watch;
    watch.note_step(kStep, 0.1, kWindow);
    watch.note_step(kStep, 0.1, kWindow);
    watch.note_step(kStep, 0.1, kWindow);
    CHECK_FALSE(watch.note_step(kStep, 0.2, kWindow));
    CHECK(watch.slow_time() == 0.0);
}

TEST_CASE("a restored watch goes on where it was, and takes back no time or speed below zero") {
    RestWatch watch;
    REQUIRE(watch.restore(false, 0.375, 0.5));
    CHECK(watch.note_step(kStep, 0.5, kWindow));
    CHECK_FALSE(watch.restore(true, -1.0, 0.5));
    CHECK_FALSE(watch.restore(true, 1.0, std::numeric_limits<double>::quiet_NaN()));
    CHECK_FALSE(watch.is_asleep());
    CHECK(watch.slow_time() == 0.5);
}

TEST_CASE("what velocity steps leave slow for long trembles, if it accelerates by more than what goes one way can") {
    constexpr double kLong = 5.0; // s
    const auto after = [](double time, bool may_tremble) {
        RestWatch watch;
        for (double t = 0.0; t < time; t += kStep) {
            if (watch.note_step(kStep, 0.25, kWindow, may_tremble)) {
                watch.decide(1.0, 60.0); // as much as would soon tell: it goes on
            }
        }
        return watch;
    };
    // No faster than twice 0.25, one way or through half a period: 2 times that over the time at most.
    CHECK(after(kLong, true).trembles(1.01 * 2.0 * 0.5 / kLong, kLong));
    CHECK_FALSE(after(kLong, true).trembles(0.99 * 2.0 * 0.5 / kLong, kLong));
    CHECK(after(2.0 * kLong, true).trembles(1.01 * 0.5 / kLong, kLong));
    CHECK_FALSE(after(kLong - kStep, true).trembles(1.0, kLong));
    CHECK_FALSE(after(kLong, false).trembles(1.0, kLong));
}

TEST_CASE("what gets faster does not tremble, however slow it still is, and nor does what was fast in between") {
    RestWatch leaving;
    for (double speed = 1e-6; speed < 1.0; speed *= 1.03) { // e-fold in 4 s: its acceleration is a quarter of its speed
        const bool is_due = leaving.note_step(kStep, speed, kWindow, true);
        CHECK_FALSE((is_due && leaving.trembles(speed / 4.0, 5.0)));
    }
    RestWatch knocked;
    for (int step = 0; step < 100; ++step) {
        knocked.note_step(kStep, step == 90 ? 1.5 : 0.25, kWindow, true);
    }
    CHECK_FALSE(knocked.trembles(1.0, 5.0));
    CHECK(knocked.trembles(1.0, 1.0));
}

TEST_CASE("what trembles hardly at all may do so up to a tenth of the limits, else twice as fast as at first") {
    const auto alike_after = [](double first, double then) {
        RestWatch watch;
        for (int step = 0; step < 80; ++step) {
            watch.note_step(kStep, step == 40 ? then : first, kWindow, true);
        }
        return watch.alike_time();
    };
    CHECK(alike_after(0.01, 0.09) == 80 * kStep);
    CHECK(alike_after(0.01, 0.11) == 40 * kStep);
    CHECK(alike_after(0.25, 0.49) == 80 * kStep);
    CHECK(alike_after(0.25, 0.51) == 40 * kStep);
}

TEST_CASE("a restored watch trembles when it would have") {
    RestWatch watch;
    REQUIRE(watch.restore(false, 0.0, 0.0, 5.0, 0.25));
    CHECK(watch.trembles(0.21, 5.0));
    CHECK_FALSE(watch.restore(false, 0.0, 0.0, -1.0, 0.25));
    CHECK_FALSE(watch.restore(false, 0.0, 0.0, 1.0, std::numeric_limits<double>::quiet_NaN()));
    CHECK(watch.alike_time() == 5.0);
}

TEST_CASE("speeds and accelerations count in units of the limits, the larger of both kinds") {
    const SleepSettings limits{.linear_speed = 0.5, .angular_speed = 0.25};
    const Twist motion{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    CHECK(larger_in_limits(0.0, motion, limits) == 4.0);
    CHECK(larger_in_limits(5.0, motion, limits) == 5.0);

    BodyDesc desc;
    desc.shape = Sphere{0.5};
    desc.mass = 1.0;
    desc.linear_velocity = {0.0, 2.0, 0.0};
    BodyRecord body = make_body(desc, 0.0);
    body.step_begin = body.step_end = body.now;
    body.step_end.v = {0.0, 3.0, 0.0};
    CHECK(acceleration_over_step(body, 0.5).linear == glm::dvec3(0.0, 2.0, 0.0));
    CHECK(acceleration_of(body, {.v = {0.0, -9.8, 0.0}, .L = glm::dvec3(0.0)}).linear == glm::dvec3(0.0, -9.8, 0.0));
}

TEST_CASE("a body that turns about none of its axes has an angular acceleration without any torque") {
    BodyDesc desc;
    desc.mass_properties = MassProperties{1.0, glm::dvec3(0.0), glm::dmat3(1.0)};
    desc.mass_properties->inertia[1].y = 2.0;
    desc.mass_properties->inertia[2].z = 2.5;
    desc.angular_velocity = {1.0, 1.0, 0.0};
    BodyRecord body = make_body(desc, 0.0);
    // Euler: I_z w_z' = (I_x - I_y) w_x w_y.
    const glm::dvec3 free = acceleration_of(body, {.v = glm::dvec3(0.0), .L = glm::dvec3(0.0)}).angular;
    CHECK(glm::length(free - glm::dvec3(0.0, 0.0, -0.4)) < 1e-15);

    // A quarter turn about z brings another axis into the direction of the same angular momentum.
    body.step_begin = body.step_end = body.now;
    body.step_begin.L = body.step_end.L = {1.0, 0.0, 0.0};
    body.step_end.q = glm::angleAxis(0.5 * std::numbers::pi, glm::dvec3(0.0, 0.0, 1.0)) * body.now.q;
    CHECK(glm::length(acceleration_over_step(body, 0.5).angular - glm::dvec3(-1.0, 0.0, 0.0)) < 1e-15);
}
