// What collision costs: a pair of solids, all bodies of a pile, a ray.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "bench.h"
#include "collision_races.h"
#include "draws.h"
#include "frame_times.h"
#include "piles.h"
#include "report.h"
#include "substep/collision/narrow_phase.h"

namespace {

using namespace substep;
using namespace substep::detail;
using substep_bench::Draws;

constexpr double kMargin = 0.02; // m
constexpr std::size_t kPairs = 1000;
constexpr int kRounds = 21;

struct Pair {
    Convex a;
    Placement at_a;
    Convex b;
    Placement at_b;
    SeparatingAxis axis;
};

struct Case {
    std::string name;
    std::vector<Pair> pairs;
};

double now_ns() { return 1e3 * substep_bench::cpu_time_us(); }

// One solid on the other as a stack has them: turned and moved by a thousandth.
Case standing(const std::string& name, const Convex& upper, const Convex& lower, double height) {
    Draws draws;
    Case made{name, {}};
    for (std::size_t i = 0; i < kPairs; ++i) {
        const glm::dvec3 aside(draws.number(-0.1, 0.1), draws.number(-1e-3, 0.0), draws.number(-0.1, 0.1));
        made.pairs.push_back({upper,
                              {glm::dvec3(0.0, height, 0.0) + aside, draws.small_turn(1e-3)},
                              lower,
                              {glm::dvec3(0.0), draws.small_turn(1e-3)},
                              {}});
    }
    return made;
}

// Any poses in which the gap is between two bounds, m.
Case messy(const std::string& name, const Convex& a, const Convex& b, double least, double most) {
    Draws draws;
    Case made{name, {}};
    while (made.pairs.size() < kPairs) {
        Pair pair{a, {draws.vector(1.0), draws.turn()}, b, {draws.vector(1.0), draws.turn()}, {}};
        const double gap = distance(pair.a, pair.at_a, pair.b, pair.at_b).distance;
        if (gap >= least && gap <= most) {
            made.pairs.push_back(pair);
        }
    }
    return made;
}

// Mean ns a pair, the median of some rounds over all pairs; axes last from round to round, as they do from step to
// step.
double time_of(Case& pairs, double& points) {
    std::vector<double> rounds;
    long total = 0;
    for (int round = 0; round < kRounds; ++round) {
        total = 0;
        const double begin = now_ns();
        for (Pair& pair : pairs.pairs) {
            total += collide(pair.a, pair.at_a, pair.b, pair.at_b, kMargin, pair.axis).count;
        }
        rounds.push_back((now_ns() - begin) / static_cast<double>(kPairs));
    }
    std::ranges::sort(rounds);
    points = static_cast<double>(total) / static_cast<double>(kPairs);
    return rounds[kRounds / 2];
}

void time_pairs(substep_bench::Report& report) {
    const Convex ball = Sphere{0.5};
    const Convex cube = Box{glm::dvec3(0.5)};
    const Convex capsule = TaperedCapsule{0.3, 0.3, 0.4};
    const Convex cylinder = TaperedCylinder{0.4, 0.4, 0.5};
    const Convex cone = TaperedCylinder{0.5, 0.0, 0.5};
    Draws draws;
    const std::shared_ptr<const ConvexHull> stone = ConvexHull::make(substep_bench::stone_corners(draws));
    const Convex hull = HullView{stone.get(), glm::dvec3(1.0)};
    const Convex ground = HalfSpace{};
    constexpr double kDeep = -0.05;

    std::vector<Case> cases;
    cases.push_back(messy("ball, ball", ball, ball, kDeep, kMargin));
    cases.push_back(messy("ball, cube", ball, cube, kDeep, kMargin));
    cases.push_back(messy("ball, cylinder", ball, cylinder, kDeep, kMargin));
    cases.push_back(standing("cube on ground", cube, ground, 0.5));
    cases.push_back(standing("cube on cube", cube, cube, 1.0));
    cases.push_back(messy("cube, cube", cube, cube, kDeep, 0.0));
    cases.push_back(messy("cube, cube, less than the margin apart", cube, cube, 0.0, kMargin));
    cases.push_back(messy("cube, cube, farther apart", cube, cube, kMargin, 0.3));
    cases.push_back(messy("capsule, capsule", capsule, capsule, kDeep, kMargin));
    cases.push_back(messy("capsule, cube", capsule, cube, kDeep, kMargin));
    cases.push_back(standing("cylinder on cube", cylinder, cube, 1.0));
    cases.push_back(messy("cylinder, cube", cylinder, cube, kDeep, 0.0));
    cases.push_back(messy("cylinder, cube, less than the margin apart", cylinder, cube, 0.0, kMargin));
    cases.push_back(messy("cylinder, cylinder", cylinder, cylinder, kDeep, kMargin));
    cases.push_back(messy("cone, hull", cone, hull, kDeep, kMargin));
    cases.push_back(messy("hull, cube", hull, cube, kDeep, kMargin));
    cases.push_back(messy("hull, hull", hull, hull, kDeep, kMargin));
    cases.push_back(messy("hull, hull, farther apart", hull, hull, kMargin, 0.3));

    report.section("A pair");
    report.text(
        "Manifolds of 1000 pairs of solids of about 1 m, whose gaps are between -5 cm and the margin of 2 cm where "
        "nothing else is said; medians of 21 rounds. The hull has 24 vertices.");
    report.table({"pair", "ns", "points"});
    for (Case& each : cases) {
        double mean_points = 0.0;
        const double time = time_of(each, mean_points);
        report.row({each.name, substep_bench::formatted("%.0f", time), substep_bench::formatted("%.2f", mean_points)});
    }
}

} // namespace

void substep_bench::run_collision(const std::string& document) {
    Report report;
    report.begin("collision", "collision",
                 "Opponents: " + bullet_release() + ", in single precision, and " + ode_release() + ", in double.");
    time_pairs(report);
    race_rays(report);
    race_collision(report);
    report.finish(document);
}
