// Manifolds of what stands and lies: how many points, where, and that they keep their names.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "substep/collision/narrow_phase.h"

using namespace substep;
using namespace substep::detail;

namespace {

constexpr double kMargin = 0.02;

Manifold manifold_of(const Convex& a, const Placement& at_a, const Convex& b, const Placement& at_b) {
    SeparatingAxis none;
    return collide(a, at_a, b, at_b, kMargin, none);
}

Placement at(double x, double y, double z) { return {{x, y, z}, glm::dmat3(1.0)}; }

glm::dmat3 turned(double angle, const glm::dvec3& axis) {
    return glm::mat3_cast(glm::angleAxis(angle, glm::normalize(axis)));
}

std::set<std::uint64_t> keys(const Manifold& manifold) {
    std::set<std::uint64_t> all;
    for (int i = 0; i < manifold.count; ++i) {
        all.insert(manifold.points[static_cast<std::size_t>(i)].parts.key());
    }
    return all;
}

// Where the points are on the lower solid, in order of x, then z.
std::vector<glm::dvec3> places(const Manifold& manifold) {
    std::vector<glm::dvec3> all;
    for (int i = 0; i < manifold.count; ++i) {
        all.push_back(manifold.points[static_cast<std::size_t>(i)].positions[1]);
    }
    std::ranges::sort(all, [](const glm::dvec3& p, const glm::dvec3& q) {
        return std::fabs(p.x - q.x) > 1e-6 ? p.x < q.x : p.z < q.z;
    });
    return all;
}

void check_places(const Manifold& manifold, const std::vector<glm::dvec3>& expected, double tolerance = 1e-12) {
    const std::vector<glm::dvec3> found = places(manifold);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(glm::length(found[i] - expected[i]) < tolerance);
    }
}

const Convex kCube = Box{glm::dvec3(0.5)};
const Convex kTable = HalfSpace{};

// All small motions of one solid that others stand in their way: turns and ways of up to `by`.
std::vector<Placement> jiggled(const Placement& placement, double by) {
    std::vector<Placement> all;
    unsigned state = 7;
    const auto draw = [&] {
        state = state * 1664525u + 1013904223u;
        return by * (static_cast<double>(state >> 8) / (1 << 23) - 1.0);
    };
    for (int i = 0; i < 200; ++i) {
        const glm::dvec3 way(draw(), draw(), draw());
        const glm::dvec3 turn(draw(), draw(), draw());
        all.push_back({placement.position + way, turned(glm::length(turn), turn) * placement.rotation});
    }
    return all;
}

void check_keeps_names(const Convex& a, const Placement& at_a, const Convex& b, const Placement& at_b, double by) {
    CAPTURE(a.index());
    CAPTURE(b.index());
    CAPTURE(at_a.position.x);
    CAPTURE(by);
    const Manifold still = manifold_of(a, at_a, b, at_b);
    REQUIRE(still.count >= 2);
    for (const Placement& moved : jiggled(at_a, by)) {
        const Manifold manifold = manifold_of(a, moved, b, at_b);
        CHECK(keys(manifold) == keys(still));
        CHECK(glm::dot(manifold.normal, still.normal) > 1.0 - 1e-3);
    }
}

} // namespace

TEST_CASE("a cube on the ground stands on its four corners, whatever its tilt, and each gap is its height") {
    for (const double tilt : {0.0, 1e-9, 1e-4, 0.01}) {
        const Placement above{{0.0, 0.5, 0.0}, turned(tilt, {1.0, 0.3, 0.2})};
        const Manifold manifold = manifold_of(kCube, above, kTable, {});
        CHECK(manifold.count == 4);
        CHECK(glm::length(manifold.normal - glm::dvec3(0.0, 1.0, 0.0)) < 1e-15); // turned there and back
        for (const ManifoldPoint& point : manifold.points) {
            CHECK(point.gap == doctest::Approx(point.positions[0].y).epsilon(1e-14).scale(1.0));
            CHECK(point.positions[1].y == doctest::Approx(0.0).epsilon(1e-14).scale(1.0));
            CHECK(point.parts.parts[0].kind() == PartKind::Vertex);
        }
    }
    const Placement on_edge{{0.0, std::sqrt(0.5), 0.0}, turned(std::acos(-1.0) / 4.0, {0.0, 0.0, 1.0})};
    CHECK(manifold_of(kCube, on_edge, kTable, {}).count == 2);
}

TEST_CASE("a cube on a larger one stands on its corners, and over its edge on the points of the true edge") {
    const Convex table = Box{{2.0, 0.5, 2.0}};
    check_places(manifold_of(kCube, at(0.0, 1.0, 0.0), table, {}),
                 {{-0.5, 0.5, -0.5}, {-0.5, 0.5, 0.5}, {0.5, 0.5, -0.5}, {0.5, 0.5, 0.5}});
    // Half of it over the edge.
    const Manifold over = manifold_of(kCube, at(2.0, 1.0, 0.0), table, {});
    check_places(over, {{1.5, 0.5, -0.5}, {1.5, 0.5, 0.5}, {2.0, 0.5, -0.5}, {2.0, 0.5, 0.5}});
    // The same from below.
    const Manifold turned_round = manifold_of(table, {}, kCube, at(2.0, 1.0, 0.0));
    CHECK(turned_round.normal == -over.normal);
    CHECK(turned_round.count == 4);
}

TEST_CASE("corners up to half a per cent beyond a face are kept, and farther out points lie on the true edge") {
    // The lower one is larger and hangs over along x alone.
    const Convex upper = Box{{0.5, 0.5, 0.4}};
    const auto corners_of = [&](double beyond) {
        return manifold_of(upper, at(0.0, 1.0, 0.0), Convex(Box{{0.5 - beyond, 0.5, 1.0}}), {});
    };
    const Manifold kept = corners_of(0.002);
    check_places(kept, {{-0.5, 0.5, -0.4}, {-0.5, 0.5, 0.4}, {0.5, 0.5, -0.4}, {0.5, 0.5, 0.4}});
    for (const ManifoldPoint& point : kept.points) {
        CHECK(point.parts.parts[0].kind() == PartKind::Vertex);
        CHECK(point.parts.parts[1].kind() == PartKind::Face);
    }
    const Manifold clipped = corners_of(0.02);
    check_places(clipped, {{-0.48, 0.5, -0.4}, {-0.48, 0.5, 0.4}, {0.48, 0.5, -0.4}, {0.48, 0.5, 0.4}});
    for (const ManifoldPoint& point : clipped.points) {
        CHECK(point.parts.parts[0].kind() == PartKind::Edge);
        CHECK(point.parts.parts[1].kind() == PartKind::Edge);
    }
}

TEST_CASE("crossed boxes touch in one point of both edges, whose gap is the distance of the lines") {
    const double half_diagonal = std::sqrt(0.5);
    const double quarter_turn = std::acos(0.0);
    const Placement lower{{0.0, 0.0, 0.0}, turned(quarter_turn / 2.0, {0.0, 0.0, 1.0})};
    const Placement upper{{0.1, 2.0 * half_diagonal - 0.001, -0.2}, turned(quarter_turn / 2.0, {1.0, 0.0, 0.0})};
    const Manifold manifold = manifold_of(kCube, upper, kCube, lower);
    REQUIRE(manifold.count == 1);
    const ManifoldPoint& point = manifold.points[0];
    CHECK(point.gap == doctest::Approx(-0.001).epsilon(1e-12).scale(1.0));
    CHECK(glm::length(point.positions[1] - glm::dvec3(0.0, half_diagonal, -0.2)) < 1e-9);
    CHECK(point.parts.parts[0].kind() == PartKind::Edge);
    CHECK(point.parts.parts[1].kind() == PartKind::Edge);
}

TEST_CASE("a cylinder stands on points around its disc and lies on two, a cone on its base, a capsule on two") {
    const Convex cylinder = TaperedCylinder{0.3, 0.3, 0.5};
    const Convex table = Box{{2.0, 0.5, 2.0}};
    for (const Convex& below : {kTable, table}) {
        const double top = below.index() == kTable.index() ? 0.0 : 0.5;
        const Manifold standing = manifold_of(cylinder, at(0.0, top + 0.5, 0.0), below, {});
        CHECK(standing.count == 3);
        glm::dvec3 middle(0.0);
        for (int i = 0; i < standing.count; ++i) {
            const ManifoldPoint& point = standing.points[static_cast<std::size_t>(i)];
            middle += point.positions[1] / 3.0;
            CHECK(std::hypot(point.positions[0].x, point.positions[0].z) == doctest::Approx(0.3).epsilon(1e-12));
            CHECK(std::fabs(point.gap) < 1e-12);
        }
        CHECK(glm::length(middle - glm::dvec3(0.0, top, 0.0)) < 1e-12); // they hold what is above the axis

        const double quarter_turn = std::acos(0.0);
        const Placement lying{{0.0, top + 0.3, 0.0}, turned(quarter_turn, {0.0, 0.0, 1.0})};
        check_places(manifold_of(cylinder, lying, below, {}), {{-0.5, top, 0.0}, {0.5, top, 0.0}});
        const Placement capsule_at{{0.0, top + 0.25, 0.0}, turned(quarter_turn, {0.0, 0.0, 1.0})};
        check_places(manifold_of(TaperedCapsule{0.25, 0.25, 0.5}, capsule_at, below, {}),
                     {{-0.5, top, 0.0}, {0.5, top, 0.0}});
        CHECK(manifold_of(TaperedCylinder{0.3, 0.0, 0.5}, at(0.0, top + 0.5, 0.0), below, {}).count == 3);
        // A cone of two radii lies on its side.
        const double lean = std::atan(0.1);
        const Placement leaning{{0.0, top + 0.25 * std::cos(lean), 0.0}, turned(quarter_turn + lean, {0.0, 0.0, 1.0})};
        const Manifold on_side = manifold_of(TaperedCylinder{0.3, 0.2, 0.5}, leaning, below, {});
        CHECK(on_side.count == 2);
        for (int i = 0; i < on_side.count; ++i) {
            CHECK(std::fabs(on_side.points[static_cast<std::size_t>(i)].gap) < 1e-12);
        }
    }
}

TEST_CASE("a tilted coin touches with the lowest point of its rim") {
    const Convex coin = TaperedCylinder{0.5, 0.5, 0.05};
    for (const double tilt : {1e-6, 1e-3, 0.1}) {
        for (const Convex& below : {kTable, Convex(Box{{2.0, 0.5, 2.0}}), Convex(TaperedCylinder{2.0, 2.0, 0.5})}) {
            const double top = below.index() == kTable.index() ? 0.0 : 0.5;
            const double height = 0.5 * std::sin(tilt) + 0.05 * std::cos(tilt);
            const Placement above{{0.0, top + height + 1e-4, 0.0}, turned(tilt, {0.0, 0.0, 1.0})};
            const Manifold manifold = manifold_of(coin, above, below, {});
            double least = 1.0;
            PartPair parts{};
            for (int i = 0; i < manifold.count; ++i) {
                const ManifoldPoint& point = manifold.points[static_cast<std::size_t>(i)];
                parts = point.gap < least ? point.parts : parts;
                least = std::min(least, point.gap);
            }
            CHECK(least == doctest::Approx(1e-4).epsilon(1e-9).scale(1.0));
            CHECK(parts.parts[0].kind() == PartKind::Rim);
        }
    }
}

TEST_CASE(
    "coins half over one another, and rods across a coin, have both crossings of the rim, each with its own name") {
    const Convex coin = TaperedCylinder{0.5, 0.5, 0.05};
    const Manifold coins = manifold_of(coin, at(0.6, 0.1, 0.0), coin, {});
    CHECK(keys(coins).size() == static_cast<std::size_t>(coins.count));
    int crossings = 0;
    for (int i = 0; i < coins.count; ++i) {
        const glm::dvec3& place = coins.points[static_cast<std::size_t>(i)].positions[1];
        const glm::dvec3 crossing(0.3, 0.05, place.z > 0.0 ? 0.4 : -0.4);
        crossings += glm::length(place - crossing) < 1e-9 ? 1 : 0;
    }
    CHECK(crossings == 2);
    const Placement across{{0.1, 0.15, 0.0}, turned(std::acos(0.0), {0.0, 0.0, 1.0})};
    const Manifold rod = manifold_of(TaperedCapsule{0.1, 0.1, 2.0}, across, coin, {});
    check_places(rod, {{-0.5, 0.05, 0.0}, {0.5, 0.05, 0.0}}, 1e-9);
    CHECK(keys(rod).size() == 2);
}

TEST_CASE("what stands keeps the names of its points while it shakes") {
    const Convex table = Box{{2.0, 0.5, 2.0}};
    check_keeps_names(kCube, at(0.0, 1.0, 0.0), kCube, {}, 1e-6); // exactly aligned
    check_keeps_names(kCube, at(0.0, 1.0, 0.0), kCube, {}, 1e-3);
    check_keeps_names(kCube, at(0.0, 1.0, 0.0), table, {}, 1e-3);
    check_keeps_names(kCube, at(0.25, 1.0, 0.3), kCube, {}, 1e-3);
    check_keeps_names(kCube, at(2.0, 1.0, 0.3), table, {}, 1e-3);
    check_keeps_names(kCube, {{0.0, 1.0, 0.0}, turned(std::acos(-1.0) / 4.0, {0.0, 1.0, 0.0})}, kCube, {}, 3e-5);
    const double quarter_turn = std::acos(0.0);
    check_keeps_names(TaperedCapsule{0.25, 0.25, 0.5}, {{0.0, 0.75, 0.0}, turned(quarter_turn, {0.0, 0.0, 1.0})}, table,
                      {}, 1e-3);
    check_keeps_names(TaperedCylinder{0.25, 0.25, 0.5}, {{0.0, 0.75, 0.0}, turned(quarter_turn, {0.0, 0.0, 1.0})},
                      table, {}, 1e-3);
    std::vector<glm::dvec3> prism;
    for (int i = 0; i < 12; ++i) {
        const double angle = std::acos(-1.0) * (i / 2) / 3.0;
        prism.emplace_back(0.5 * std::cos(angle), i % 2 - 0.5, 0.5 * std::sin(angle));
    }
    const auto hull = ConvexHull::make(prism);
    const Convex nut = HullView{hull.get(), glm::dvec3(1.0)};
    check_keeps_names(nut, at(0.0, 1.0, 0.0), table, {}, 3e-5);
    check_keeps_names(nut, at(0.0, 1.0, 0.0), nut, {}, 3e-5);
    check_keeps_names(kCube, at(0.0, 1.0, 0.0), nut, {}, 3e-5);
}

TEST_CASE("a rectangle is a box without height, and holds from both sides") {
    const Convex rectangle = Box{{1.0, 0.0, 2.0}};
    const Convex ball = Sphere{0.5};
    for (const double side : {1.0, -1.0}) {
        const Separation found = distance(ball, at(0.2, 0.75 * side, 0.1), rectangle, {});
        CHECK(found.distance == doctest::Approx(0.25));
        CHECK(found.normal == glm::dvec3(0.0, side, 0.0));
        CHECK(manifold_of(kCube, at(0.0, 0.49 * side, 0.0), rectangle, {}).count == 4);
        CHECK(manifold_of(TaperedCylinder{0.3, 0.3, 0.5}, at(0.0, 0.49 * side, 0.0), rectangle, {}).count == 3);
    }
    // Beside its edge, and on its edge.
    CHECK(distance(ball, at(1.75, 0.0, 0.0), rectangle, {}).distance == doctest::Approx(0.25));
    const Placement upright{{0.0, 1.5, 0.0}, turned(std::acos(0.0), {0.0, 0.0, 1.0})};
    const Manifold on_edge = manifold_of(rectangle, upright, Convex(Box{{2.0, 0.5, 3.0}}), {});
    check_places(on_edge, {{0.0, 0.5, -2.0}, {0.0, 0.5, 2.0}});
}

namespace {

// Poses of boxes, cylinders and capsules of one size or so, near one another.
class RandomPairs {
public:
    double draw() {
        state_ = state_ * 1664525u + 1013904223u;
        return static_cast<double>(state_ >> 8) / (1 << 23) - 1.0;
    }
    Placement placement(double away) {
        const glm::dvec3 turn(draw(), draw(), draw());
        return {away * glm::dvec3(draw(), draw(), draw()), turned(3.0 * glm::length(turn), turn)};
    }

private:
    unsigned state_ = 5;
};

const std::vector<Convex>& solids_of_one_size() {
    static const std::vector<Convex> kSolids{Box{{0.3, 0.4, 0.5}}, TaperedCylinder{0.3, 0.3, 0.4},
                                             TaperedCylinder{0.4, 0.1, 0.3}, TaperedCapsule{0.2, 0.2, 0.3}};
    return kSolids;
}

} // namespace

TEST_CASE("no point of a manifold is closer than the solids, and one of up to four has their distance") {
    RandomPairs random;
    for (const Convex& a : solids_of_one_size()) {
        for (const Convex& b : solids_of_one_size()) {
            CAPTURE(a.index());
            CAPTURE(b.index());
            for (int i = 0; i < 400; ++i) {
                const Placement at_a = random.placement(0.2);
                Placement at_b = random.placement(0.2);
                // From deep overlap to a centimetre apart.
                const Separation first = distance(a, at_a, b, at_b);
                const double wanted = i % 2 == 0 ? 1e-11 : 0.02 * random.draw() - 0.01;
                at_b.position += (first.distance - wanted) * first.normal;
                const Separation apart = distance(a, at_a, b, at_b);
                const Manifold manifold = manifold_of(a, at_a, b, at_b);
                REQUIRE(manifold.count > 0);
                double least = manifold.points[0].gap;
                for (int k = 0; k < manifold.count; ++k) {
                    least = std::min(least, manifold.points[static_cast<std::size_t>(k)].gap);
                }
                CHECK(least > apart.distance - 1e-9);
                CHECK(least < apart.distance + 1e-4);
            }
        }
    }
}

TEST_CASE("of solids that all but touch the normal is the one that they have a little apart") {
    RandomPairs random;
    for (const Convex& a : solids_of_one_size()) {
        for (const Convex& b : solids_of_one_size()) {
            CAPTURE(a.index());
            CAPTURE(b.index());
            int tried = 0;
            for (int i = 0; i < 200; ++i) {
                const Placement at_a = random.placement(0.0);
                Placement at_b = random.placement(1.5);
                const Separation apart = distance(a, at_a, b, at_b);
                const auto [of_a, of_b] = apart.parts.parts;
                const bool has_flat = is_flat(of_a) || is_flat(of_b);
                const bool has_side = of_a.kind() == PartKind::Side || of_b.kind() == PartKind::Side;
                const bool has_vertex = of_a.kind() == PartKind::Vertex || of_b.kind() == PartKind::Vertex;
                // Two corners, or a corner and an edge, have many normals where they touch.
                if (apart.distance < 0.05 || (!has_flat && !has_side && has_vertex)) {
                    continue;
                }
                ++tried;
                // Along the normal the same points stay the closest.
                at_b.position += (apart.distance - 1e-12) * apart.normal;
                const Separation touching = distance(a, at_a, b, at_b);
                CHECK(glm::length(touching.normal - apart.normal) < 1e-6);
                CHECK(std::fabs(touching.distance - 1e-12) < 1e-9);
            }
            CHECK(tried > 5);
        }
    }
}

TEST_CASE("of round ends that are nearly aligned the distance is exact, and its points are found") {
    // The search sees a difference of rounding from touch on: which points are nearest, the ends themselves tell.
    const TaperedCylinder wide{0.4, 0.4, 0.2};
    const Placement frame{{0.3, 0.2, -0.1}, turned(0.7, {1.0, 2.0, 3.0})};
    for (const double radius : {0.1, 0.25, 0.4}) {
        const TaperedCylinder other{radius, radius, 0.3};
        for (double tilt = 1e-10; tilt < 2e-6; tilt *= 2.5) {
            for (const double gap : {-1e-8, -1e-12, 1e-12, 1e-9, 1e-8}) {
                for (const double aside : {0.0, 0.05, 0.13}) {
                    CAPTURE(radius);
                    CAPTURE(tilt);
                    CAPTURE(gap);
                    CAPTURE(aside);
                    const glm::dmat3 turn = turned(tilt, {0.6, 0.0, 0.8});
                    const glm::dvec3 low = turn * glm::dvec3(-0.8 * radius, -0.3, 0.6 * radius); // of its rim
                    const glm::dvec3 high = turn * glm::dvec3(0.8 * radius, -0.3, -0.6 * radius);
                    const glm::dvec3 lowest = low.y < high.y ? low : high;
                    const glm::dvec3 place(aside * 0.96, 0.2 + gap - lowest.y, aside * -0.28);
                    const Placement at{frame.position + frame.rotation * place, frame.rotation * turn};
                    const Separation found = distance(wide, frame, other, at);
                    const glm::dvec3 foot = place + lowest;
                    if (foot.x * foot.x + foot.z * foot.z < 0.399 * 0.399) { // over the wide one's end
                        CHECK(std::fabs(found.distance - gap) < 1e-14);
                    } else { // beyond it, no lower than the lowest of either end
                        CHECK(found.distance > gap - 1e-14);
                        CHECK(found.distance < gap + tilt);
                    }
                    SeparatingAxis none;
                    const Manifold manifold = collide(wide, frame, other, at, found.distance + 1e-12, none);
                    CHECK(manifold.count >= 1);
                    for (int i = 0; i < manifold.count; ++i) { // of either end
                        const auto& [on_wide, on_other] = manifold.points[static_cast<std::size_t>(i)].positions;
                        CHECK(std::fabs(((on_wide - frame.position) * frame.rotation).y - 0.2) < 1e-13 + tilt * tilt);
                        CHECK(std::fabs(((on_other - at.position) * at.rotation).y + 0.3) < 1e-13 + tilt * tilt);
                    }
                }
            }
        }
    }
}
