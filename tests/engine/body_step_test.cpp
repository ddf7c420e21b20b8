// The way of a body through a step: how far it was from what was expected, and whether two ways came together.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "bodies/body_step.h"
#include "pairs/expected_way.h"

namespace {

using namespace substep;
using namespace substep::detail;

constexpr double kRadius = 0.1;
constexpr double kMargin = 0.01;
constexpr double kEnd = 1.0 / 60.0;

StepPath path(const glm::dvec3& x, const glm::dvec3& v, const glm::dvec3& acceleration = glm::dvec3(0.0)) {
    StepPath path;
    path.set_ball(kRadius, kMargin);
    path.expect(0.0, x, v, acceleration);
    return path;
}

} // namespace

TEST_CASE("body step: who moves as expected has no slack, and is within his margin") {
    const glm::dvec3 g(0.0, -9.81, 0.0);
    const glm::dvec3 v(3.0, 4.0, 0.0);
    StepPath falls = path(glm::dvec3(0.0), v, g);
    for (int i = 0; i <= 4; ++i) {
        const double t = kEnd * i / 4.0;
        falls.pass(t, t * (v + 0.5 * t * g), v + t * g, kEnd);
    }
    CHECK(falls.is_as_expected());
    CHECK(falls.count() == 1);
    CHECK(falls.piece(0).slack < 1e-15);
}

TEST_CASE("body step: a way that bends is kept in pieces, and its slack is the distance from them") {
    // Straight on, back at a hit a quarter into the step.
    const glm::dvec3 v(8.0, 0.0, 0.0);
    StepPath bounces = path(glm::dvec3(0.0), v);
    bounces.pass(0.0, glm::dvec3(0.0), v, kEnd);
    bounces.pass(0.25 * kEnd, 0.25 * kEnd * v, -v, kEnd);
    bounces.pass(kEnd, -0.5 * kEnd * v, -v, kEnd);
    CHECK_FALSE(bounces.is_as_expected());
    REQUIRE(bounces.count() == 2);
    CHECK(bounces.piece(1).t == 0.25 * kEnd);
    CHECK(bounces.piece(0).slack < 1e-15);
    CHECK(bounces.piece(1).slack < 1e-15);

    // A circle within the step: no piece tells it, its slack does.
    StepPath circles = path(glm::dvec3(0.0), {0.0, 30.0, 0.0});
    const double rate = 2.0 * std::acos(-1.0) / kEnd;
    const double size = 30.0 / rate;
    for (int i = 0; i <= 64; ++i) {
        const double angle = rate * kEnd * i / 64.0;
        circles.pass(kEnd * i / 64.0, size * glm::dvec3(std::cos(angle) - 1.0, std::sin(angle), 0.0),
                     30.0 * glm::dvec3(-std::sin(angle), std::cos(angle), 0.0), kEnd);
    }
    CHECK(circles.count() == StepPath::kMostPieces);
    const BoundingBox box = circles.box(kEnd);
    CHECK(box.low.x <= -2.0 * size - kRadius);
    CHECK(box.high.y >= size + kRadius);
}

TEST_CASE("body step: balls that cross one way at different times have not met, at the same time they have") {
    const glm::dvec3 v(0.0, 60.0, 0.0); // one metre in the step
    const auto turned = [&](double t, double offset) {
        StepPath turns = path({offset, 0.0, 0.0}, v);
        turns.pass(0.0, {offset, 0.0, 0.0}, v, kEnd);
        const glm::dvec3 corner(offset, 60.0 * t, 0.0);
        const glm::dvec3 aside(60.0, 0.0, 0.0);
        turns.pass(t, corner, aside, kEnd);
        turns.pass(kEnd, corner + (kEnd - t) * aside, aside, kEnd);
        return turns;
    };
    // The first turns at half a metre, and crosses the way of the second half a metre further.
    const StepPath first = turned(0.5 * kEnd, -0.5);
    StepPath late = path({0.0, 0.5, 0.0}, glm::dvec3(0.0));
    CHECK(have_met(first, late, kEnd));
    StepPath gone = path({0.0, 0.5, 0.0}, v);
    CHECK_FALSE(have_met(first, gone, kEnd));
    CHECK(may_meet(path(glm::dvec3(0.0), v), late, 0.0, kEnd));
    CHECK_FALSE(may_meet(path({0.3, 0.0, 0.0}, v), late, 0.0, kEnd));
    CHECK(may_meet(path({0.215, 0.0, 0.0}, v), late, 0.0, kEnd)); // within both margins
}

TEST_CASE("body step: what two balls are told by where they start is what their ways tell") {
    std::mt19937_64 random(7);
    const auto vector = [&](double most) {
        std::uniform_real_distribution each(-most, most);
        return glm::dvec3(each(random), each(random), each(random));
    };
    int told_to_meet = 0;
    int told_to_part = 0;
    constexpr int kTrials = 20000;
    for (int trial = 0; trial < kTrials; ++trial) {
        const double speed = trial % 4 == 0 ? 0.0 : trial % 4 == 1 ? 0.1 : trial % 4 == 2 ? 5.0 : 100.0;
        const double far = trial % 3 == 0 ? 1e6 : 0.0; // m, where places are round to 1e-10
        SweptStep step;
        step.t1 = kEnd;
        const auto way = [&] {
            return ExpectedWay(path(vector(0.2) + glm::dvec3(far), vector(speed), vector(100.0 * speed)), step);
        };
        const ExpectedWay a = way();
        const ExpectedWay b = way();
        const ToldAtStart told = told_at_start(a.start, b.start);
        CHECK((told == ToldAtStart::Either ||
               (told == ToldAtStart::Meet) == may_meet(a.start, a.end, b.start, b.end, kEnd)));
        told_to_meet += told == ToldAtStart::Meet ? 1 : 0;
        told_to_part += told == ToldAtStart::Part ? 1 : 0;
    }
    CHECK(told_to_meet > kTrials / 4);
    CHECK(told_to_part > kTrials / 10);
    const ExpectedWay unknown(path(glm::dvec3(std::nan("")), glm::dvec3(0.0)), SweptStep{});
    CHECK(told_at_start(unknown.start, unknown.start) == ToldAtStart::Either);
}
