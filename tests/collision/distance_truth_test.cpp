// Distances of all pairs of solids in random poses, proved from both sides without the code under test: two points, one
// in each solid, are that far apart, and a plane across the normal parts the solids by as much.
//
// The suite draws forty poses for every pair. The sweep draws a hundred thousand (an hour of one core), or
// SUBSTEP_POSES;
// `./dev test --all` runs it, or substep_tests --no-skip --test-case='a sweep of*'. SUBSTEP_PAIR="box cone" is one
// pair.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>

#include "solid_truth.h"
#include "substep/collision/narrow_phase.h"

using namespace substep::detail;
using namespace substep_test;

namespace {

constexpr std::array<const char*, kKinds> kNames{"ball", "capsule", "box", "cone", "hull", "half space"};

// Of the larger size.
constexpr double kApart = 1e-9;
constexpr double kOverlapping = 1e-6;

constexpr int kFewPoses = 40;
constexpr int kSweptPoses = 100'000;

struct Worst {
    double apart = 0.0; // error over the larger size
    double overlapping = 0.0;
    double against_search = 0.0;
    int count_apart = 0;
    int count_overlapping = 0;
};

double size_of(const Placed& a, const Placed& b) {
    const double ra = reach(a.solid);
    const double rb = reach(b.solid);
    return std::isinf(rb) ? ra : std::max(ra, rb);
}

// The largest error of what is proved.
double error_of(const Placed& a, const Placed& b, const Separation& found) {
    const double between = glm::dot(found.normal, found.positions[0] - found.positions[1]);
    const glm::dvec3 aside = found.positions[0] - found.positions[1] - found.distance * found.normal;
    double error = std::max({std::fabs(glm::length(found.normal) - 1.0), std::fabs(between - found.distance),
                             glm::length(aside), found.distance - parted_along(a, b, found.normal)});
    if (found.distance > 0.0) { // and nothing is closer than the plane, so these points are the closest
        error = std::max({error, outside(a, found.positions[0]), outside(b, found.positions[1])});
    }
    return std::isfinite(error) ? error : HUGE_VAL;
}

Worst worst_of(std::size_t kind_a, std::size_t kind_b, int count) {
    const bool is_sweep = count > kFewPoses;
    SolidDraws draws(1000 * kind_a + kind_b);
    Worst worst;
    for (int i = 0; i < count; ++i) {
        const Placed a = draws.solid(kind_a);
        Placed b = draws.solid(kind_b);
        draws.bring_near(a, b,
                         draws.number(0.0, 1.0) < 0.2 ? 1.0 + draws.number(-1e-6, 1e-6) : draws.number(0.02, 1.2));
        const Separation found = distance(a.solid, a.at, b.solid, b.at);
        const double size = size_of(a, b);
        const double error = error_of(a, b, found) / size;
        if (found.distance > 0.0) {
            ++worst.count_apart;
            worst.apart = std::max(worst.apart, error);
        } else {
            ++worst.count_overlapping;
            worst.overlapping = std::max(worst.overlapping, error);
        }
        if (error > (found.distance > 0.0 ? kApart : kOverlapping) && is_sweep) {
            std::printf("%s, %s, pose %d: error %.3g of the size, distance %.17g, size %g\n", kNames[kind_a],
                        kNames[kind_b], i, error, found.distance, size);
        }
        if (kind_b == kKinds - 1) {
            continue; // a half space leaves one direction, which was looked at
        }
        double better = 0.0; // what an independent search finds beyond what is promised
        if (is_polytope(a.solid) && is_polytope(b.solid)) {
            better = found.distance > 0.0 ? std::fabs(distance_by_enumeration(a, b) - found.distance) / kApart
                                          : std::fabs(overlap_by_enumeration(a, b) - found.distance) / kOverlapping;
        } else if (found.distance <= 0.0) {
            better = (overlap_by_directions(a, b, is_sweep ? 1000 : 300) - found.distance) / kOverlapping;
        }
        if (better > size && is_sweep) {
            std::printf("%s, %s, pose %d: %.3g beyond what is allowed, distance %.17g, size %g\n", kNames[kind_a],
                        kNames[kind_b], i, better / size, found.distance, size);
        }
        worst.against_search = std::max(worst.against_search, better / size);
    }
    return worst;
}

void check_pairs(int count) {
    const bool is_sweep = count > kFewPoses;
    if (is_sweep) {
        std::printf("%-10s %-10s %9s %9s %9s %9s %9s\n", "of", "and", "apart", "worst", "overlap", "worst", "search");
    }
    const char* const only = is_sweep ? std::getenv("SUBSTEP_PAIR") : nullptr;
    for (std::size_t a = 0; a + 1 < kKinds; ++a) {
        for (std::size_t b = a; b < kKinds; ++b) {
            if (only != nullptr && std::string(only) != std::string(kNames[a]) + " " + kNames[b]) {
                continue;
            }
            CAPTURE(kNames[a]);
            CAPTURE(kNames[b]);
            const Worst worst = worst_of(a, b, count);
            CHECK(worst.apart <= kApart);
            CHECK(worst.overlapping <= kOverlapping);
            CHECK(worst.against_search <= 1.0);
            CHECK(worst.count_apart > count / 100);
            CHECK(worst.count_overlapping > count / 100);
            if (is_sweep) {
                std::printf("%-10s %-10s %9d %9.2g %9d %9.2g %9.2g\n", kNames[a], kNames[b], worst.count_apart,
                            worst.apart, worst.count_overlapping, worst.overlapping, worst.against_search);
                std::fflush(stdout);
            }
        }
    }
}

} // namespace

TEST_CASE("distances of all pairs of solids are what points and planes prove, and no search finds better") {
    check_pairs(kFewPoses);
}

TEST_CASE("a sweep of all pairs of solids: distances are proved, and no search finds better" * doctest::skip()) {
    const char* const asked = std::getenv("SUBSTEP_POSES");
    check_pairs(asked != nullptr ? std::max(kFewPoses + 1, std::atoi(asked)) : kSweptPoses);
}
