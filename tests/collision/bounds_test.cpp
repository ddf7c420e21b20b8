// Swept bounds hold whatever moves within its reach.
#include <algorithm>
#include <random>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>

#include "substep/collision/bounds.h"

using namespace substep::detail;

namespace {

class Draws {
public:
    double number(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
    glm::dvec3 direction() {
        for (;;) {
            const glm::dvec3 v(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
            const double length = glm::length(v);
            if (length > 0.1 && length < 1.0) {
                return v / length;
            }
        }
    }
    glm::dvec3 place() { return 2.0 * glm::dvec3(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0)); }
    SweptBall ball() { return {place(), number(0.1, 0.8), number(0.0, 0.8)}; }

private:
    std::mt19937_64 random_{17};
};

} // namespace

TEST_CASE("swept balls overlap exactly where the balls could meet within their reach") {
    Draws draws;
    int overlapping = 0;
    for (int i = 0; i < 10000; ++i) {
        const SweptBall a = draws.ball();
        const SweptBall b = draws.ball();
        // Both go straight towards each other: no other way within reach brings them closer.
        const double closest = glm::length(a.centre - b.centre) - a.reach - b.reach - a.radius - b.radius;
        if (std::abs(closest) > 1e-12) { // else round-off decides
            CHECK(overlap(a, b) == (closest < 0.0));
        }
        overlapping += overlap(a, b) ? 1 : 0;
        CHECK(overlap(a, b) == overlap(b, a));
        if (overlap(a, b)) { // and so do their ends along every axis
            for (int axis = 0; axis < 3; ++axis) {
                CHECK(std::max(a.box().low[axis], b.box().low[axis]) <=
                      std::min(a.box().high[axis], b.box().high[axis]) + 1e-12);
            }
        }
    }
    CHECK(overlapping > 1000);
    CHECK(overlapping < 9000);
}

TEST_CASE("a swept ball overlaps a half space exactly where it could dip into it") {
    Draws draws;
    int overlapping = 0;
    for (int i = 0; i < 10000; ++i) {
        const SweptBall ball = draws.ball();
        const SweptHalfSpace space{draws.place(), draws.direction(), draws.number(0.0, 0.5)};
        const glm::dvec3 lowest = ball.centre - (ball.radius + ball.reach) * space.normal;
        const double height = glm::dot(lowest - (space.point + space.reach * space.normal), space.normal);
        if (std::abs(height) > 1e-12) {
            CHECK(overlap(ball, space) == (height < 0.0));
        }
        overlapping += overlap(ball, space) ? 1 : 0;
    }
    CHECK(overlapping > 1000);
    CHECK(overlapping < 9000);
}
