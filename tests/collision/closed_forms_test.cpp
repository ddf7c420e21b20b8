// Round solids and boxes of about a metre that touch, as in piles: what a point and a plane prove, and a rim over an
// edge, is exact to rounding, and no search finds less.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>

#include "solid_truth.h"
#include "substep/collision/narrow_phase.h"

using namespace substep;
using namespace substep::detail;
using namespace substep_test;

namespace {

constexpr double kExact = 1e-11;   // m
constexpr double kOfSearch = 2e-9; // m: of the few that are searched for
constexpr double kSearched = 3e-8; // m, the promise of an overlap (of 1e-8 of the size), and what the search leaves
constexpr double kDeepest = -0.1;  // m
constexpr double kFarthest = 0.02; // m
constexpr int kPoses = 400;
// That may be left to search: of cubes and cylinders search alone leaves twice as many that are not exact.
constexpr int kSearchedPoses = kPoses / 10;

struct Named {
    std::string name;
    Convex solid;
};

const std::array<Named, 5> kSolids{{{"capsule", TaperedCapsule{0.05, 0.05, 0.45}},
                                    {"cube", Box{glm::dvec3(0.5)}},
                                    {"slab", Box{glm::dvec3(0.5, 0.3, 0.2)}},
                                    {"cylinder", TaperedCylinder{0.45, 0.45, 0.5}},
                                    {"cone", TaperedCylinder{0.55, 0.1, 0.55}}}};

// The largest error of what two points and a plane prove, m.
double error_of(const Placed& a, const Placed& b, const Separation& found) {
    const glm::dvec3 aside = found.positions[0] - found.positions[1] - found.distance * found.normal;
    return std::max({std::fabs(glm::length(found.normal) - 1.0), glm::length(aside),
                     std::fabs(found.distance - parted_along(a, b, found.normal)),
                     std::fabs(outside(a, found.positions[0])), std::fabs(outside(b, found.positions[1]))});
}

bool is_round(const Convex& solid) { return std::holds_alternative<TaperedCylinder>(solid); }

} // namespace

TEST_CASE("closed forms of cylinders, cones, capsules and boxes are exact, and no search finds less") {
    for (const Named& of_a : kSolids) {
        for (const Named& of_b : kSolids) {
            if (!is_round(of_a.solid) && !is_round(of_b.solid)) {
                continue;
            }
            CAPTURE(of_a.name);
            CAPTURE(of_b.name);
            SolidDraws draws(17);
            double worst = 0.0;
            double better = 0.0;
            double turned = 0.0;
            int overlaps = 0;
            int searched = 0;
            for (int i = 0; i < kPoses;) {
                Placed a{of_a.solid, {glm::dvec3(0.0), glm::mat3_cast(draws.turn())}, nullptr};
                Placed b{of_b.solid, {glm::dvec3(0.0), glm::mat3_cast(draws.turn())}, nullptr};
                draws.bring_near(a, b, draws.number(0.7, 1.05));
                const Separation found = distance(a.solid, a.at, b.solid, b.at);
                if (found.distance < kDeepest || found.distance > kFarthest) {
                    continue;
                }
                const double error = error_of(a, b, found);
                worst = std::max(worst, error);
                searched += error > kExact ? 1 : 0;
                const Separation back = distance(b.solid, b.at, a.solid, a.at);
                turned = std::max(turned, std::fabs(back.distance - found.distance));
                if (found.distance < 0.0 && i % 16 == 0) {
                    better = std::max(better, overlap_by_directions(a, b, 200) - found.distance);
                    ++overlaps;
                }
                ++i;
            }
            CHECK(worst < kOfSearch);
            CHECK(searched <= kSearchedPoses);
            CHECK(turned < kSearched);
            CHECK(better < kSearched);
            CHECK(overlaps > kPoses / 64);
        }
    }
}

TEST_CASE("closed forms of solids whose axes are parallel lose no point within the margin, and part by unit vectors") {
    // Cones nearly on one axis: what is left across it is rounding.
    SolidDraws draws(23);
    int touching = 0;
    for (int i = 0; i < 4000; ++i) {
        const double bottom = draws.number(0.1, 0.6);
        const double top = i % 4 == 0 ? 0.0 : draws.number(0.05, 0.6);
        const TaperedCylinder first{bottom, top, draws.number(0.1, 0.5)};
        const TaperedCylinder second{i % 2 == 0 ? bottom : top, i % 2 == 0 ? top : bottom, draws.number(0.1, 0.5)};
        const glm::dmat3 turn = glm::mat3_cast(draws.turn());
        const double gap = draws.number(-0.005, 0.03);
        const double aside = i % 3 == 0 ? 0.0 : draws.number(0.0, 0.05);
        const glm::dvec3 centre(draws.number(-5.0, 5.0), draws.number(-5.0, 5.0), draws.number(-5.0, 5.0));
        const glm::dmat3 over = i % 5 == 0 ? glm::dmat3(1.0) : glm::dmat3(-1, 0, 0, 0, -1, 0, 0, 0, 1);
        const Placement of_first{centre, turn};
        const glm::dvec3 between(aside, first.half_length + second.half_length + gap, 0.0);
        const Placement of_second{centre + turn * between, turn * over};
        constexpr double kMargin = 0.02;
        SeparatingAxis axis;
        const double found = distance(first, of_first, second, of_second).distance;
        const Manifold manifold = collide(first, of_first, second, of_second, kMargin, axis);
        if (std::fabs(found - kMargin) > 1e-9) {
            CHECK((manifold.count > 0) == (found < kMargin));
        }
        if (axis.direction != glm::dvec3(0.0)) {
            CHECK(std::fabs(glm::length(axis.direction) - 1.0) < 1e-12);
        }
        touching += manifold.count > 0 ? 1 : 0;
    }
    CHECK(touching > 500);
    CHECK(touching < 3500);
}

TEST_CASE("closest points of round solids and boxes whose axes are parallel are on both") {
    // Newton's method weighed points of aligned parts so that what came out was on neither.
    SolidDraws draws(29);
    double worst = 0.0;
    for (int i = 0; i < 20000; ++i) {
        const double radius = draws.number(0.1, 1.0);
        const TaperedCylinder cylinder{radius, radius, draws.number(0.1, 1.0)};
        const Box box{{draws.number(0.1, 1.0), draws.number(0.1, 1.0), draws.number(0.1, 1.0)}};
        const glm::dmat3 turn = glm::mat3_cast(draws.turn());
        const glm::dmat3 over(1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0);
        const glm::dvec3 aside(draws.number(-1.0, 1.0), 0.0, draws.number(-1.0, 1.0));
        const glm::dvec3 between =
            aside + glm::dvec3(0.0, cylinder.half_length + box.half_sizes.y + draws.number(0.01, 0.5), 0.0);
        const Placed a{cylinder, {turn * between, turn}, nullptr};
        const Placed b{box, {glm::dvec3(0.0), turn * over}, nullptr};
        const Separation found = distance(a.solid, a.at, b.solid, b.at);
        worst = std::max(worst, error_of(a, b, found));
    }
    CHECK(worst < 1e-9);
}
