// Swept bounds hold whatever moves within its reach.
#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>

#include "substep/collision/bounds.h"
#include "substep/collision/narrow_phase.h"
#include "substep/collision/solid_extent.h"

using namespace substep;
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

TEST_CASE(
    "distance of a point: as the narrow phase has it for a ball of no size, of balls and boxes; nothing of others") {
    Draws draws;
    for (const Convex& solid : {Convex(Sphere{0.7}), Convex(Box{{0.5, 0.2, 1.0}})}) {
        for (int i = 0; i < 200; ++i) {
            const glm::dvec3 point = draws.place();
            const double wanted = distance(Sphere{0.0}, {point}, solid, {}).distance;
            CHECK(*distance_of_point(solid, point) == doctest::Approx(std::max(wanted, 0.0)).epsilon(1e-12));
        }
    }
    CHECK_FALSE(distance_of_point(TaperedCylinder{}, glm::dvec3(0.0)));
}

TEST_CASE("a solid's box holds it and touches it on all six sides, wherever it is") {
    Draws draws;
    for (const Convex& solid :
         {Convex(Sphere{0.7}), Convex(Box{{0.5, 0.2, 1.0}}), Convex(TaperedCapsule{0.2, 0.4, 0.5}),
          Convex(TaperedCylinder{0.5, 0.1, 0.3}), Convex(TaperedCylinder{0.5, 0.0, 0.3})}) {
        for (int i = 0; i < 100; ++i) {
            const glm::dvec3 axis = draws.direction();
            const Placement at{draws.place(), glm::mat3_cast(glm::angleAxis(draws.number(0.0, 3.0), axis))};
            const BoundingBox box = box_about(solid, at);
            for (int side = 0; side < 3; ++side) {
                glm::dvec3 out(0.0);
                out[side] = 1.0;
                // A half space whose surface is that side of the box: its y is out of it.
                const glm::dvec3 across = glm::normalize(glm::cross(out, glm::dvec3(0.3, 0.5, 0.7)));
                const glm::dmat3 upper(across, -out, glm::cross(across, -out));
                const glm::dmat3 lower(across, out, glm::cross(across, out));
                CHECK(std::abs(distance(solid, at, HalfSpace{}, {box.high, upper}).distance) <= 1e-12);
                CHECK(std::abs(distance(solid, at, HalfSpace{}, {box.low, lower}).distance) <= 1e-12);
            }
        }
    }
}

TEST_CASE("how thick solids are where they are thinnest") {
    CHECK(smallest_extent(Sphere{0.7}) == doctest::Approx(1.4));
    CHECK(smallest_extent(Box{{0.5, 0.2, 1.0}}) == doctest::Approx(0.4));
    CHECK(smallest_extent(TaperedCapsule{0.2, 0.4, 0.5}) == doctest::Approx(0.8));
    CHECK(smallest_extent(TaperedCylinder{0.5, 0.1, 0.3}) == doctest::Approx(0.6));
    CHECK(std::isinf(smallest_extent(HalfSpace{})));
}
