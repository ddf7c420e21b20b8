// Two boxes have formulas of their own: they meet as the hulls of their corners do, which know nothing of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "substep/collision/narrow_phase.h"

using namespace substep;
using namespace substep::detail;

namespace {

constexpr double kWithin = 0.02; // m, the margin

struct BoxDraws {
    std::mt19937_64 engine{7};

    double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
    glm::dvec3 vector(double most) { return {number(-most, most), number(-most, most), number(-most, most)}; }
    glm::dmat3 turn(double most) {
        const glm::dvec3 v = vector(most);
        return glm::mat3_cast(glm::normalize(glm::dquat(1.0, v.x, v.y, v.z)));
    }
};

struct BoxAndHull {
    Convex box;
    std::shared_ptr<const ConvexHull> hull;

    explicit BoxAndHull(const glm::dvec3& half_sizes) : box(Box{half_sizes}) {
        std::vector<glm::dvec3> corners;
        for (int i = 0; i < 8; ++i) {
            corners.push_back(half_sizes * glm::dvec3((i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0,
                                                      (i & 4) != 0 ? 1.0 : -1.0));
        }
        hull = ConvexHull::make(corners);
    }
    Convex as_hull() const { return HullView{hull.get(), glm::dvec3(1.0)}; }
};

bool has_point_at(const Manifold& manifold, const ManifoldPoint& point) {
    return std::any_of(manifold.points.begin(), manifold.points.begin() + manifold.count, [&](const ManifoldPoint& p) {
        return glm::length(p.positions[0] - point.positions[0]) < 1e-8 &&
               glm::length(p.positions[1] - point.positions[1]) < 1e-8 && std::fabs(p.gap - point.gap) < 1e-8;
    });
}

bool are_all_in(const Manifold& of, const Manifold& in) {
    return std::all_of(of.points.begin(), of.points.begin() + of.count,
                       [&](const ManifoldPoint& point) { return has_point_at(in, point); });
}

int count_of(const Manifold& manifold, PartKind kind) {
    int count = 0;
    for (int i = 0; i < manifold.count; ++i) {
        for (const Part part : manifold.points[static_cast<std::size_t>(i)].parts.parts) {
            count += part.kind() == kind ? 1 : 0;
        }
    }
    return count;
}

} // namespace

TEST_CASE("boxes meet as hulls of their corners do: as far apart, at the same points of parts of the same kinds") {
    BoxDraws draws;
    int with_points = 0;
    int compared = 0;
    int others = 0;
    for (int i = 0; i < 6000; ++i) {
        const auto half_sizes = [&] {
            return glm::dvec3(draws.number(0.05, 1.0), draws.number(0.05, 1.0), draws.number(0.05, 1.0));
        };
        const BoxAndHull a(half_sizes());
        const BoxAndHull b(half_sizes());
        // Any attitude, or nearly level faces.
        const double most = i % 3 == 0 ? 0.005 : i % 3 == 1 ? 0.2 : 10.0;
        const Placement at_a{draws.vector(1.0), draws.turn(10.0)};
        Placement at_b{draws.vector(1.0), at_a.rotation * draws.turn(most)};
        const Separation first = distance(a.box, at_a, b.box, at_b);
        at_b.position += (first.distance - draws.number(-0.1, 0.03)) * first.normal;

        const Separation boxes = distance(a.box, at_a, b.box, at_b);
        const Separation hulls = distance(a.as_hull(), at_a, b.as_hull(), at_b);
        CHECK(boxes.distance == doctest::Approx(hulls.distance).epsilon(1e-9).scale(1.0));
        SeparatingAxis axis_of_boxes;
        SeparatingAxis axis_of_hulls;
        const Manifold found = collide(a.box, at_a, b.box, at_b, kWithin, axis_of_boxes);
        const Manifold expected = collide(a.as_hull(), at_a, b.as_hull(), at_b, kWithin, axis_of_hulls);
        CHECK((found.count > 0) == (expected.count > 0));
        with_points += found.count > 0 ? 1 : 0;
        // Where axes are as good either may be taken, of more than four points other ones, and where nearly parallel
        // edges are closest, apart, any place along them.
        if (boxes.distance > 0.0 || glm::length(found.normal - expected.normal) > 1e-9 || found.count == 4 ||
            expected.count == 4) {
            continue;
        }
        ++compared;
        bool is_same = found.count == expected.count && are_all_in(found, expected) && are_all_in(expected, found);
        for (const PartKind kind : {PartKind::Vertex, PartKind::Edge, PartKind::Face}) {
            is_same = is_same && count_of(found, kind) == count_of(expected, kind);
        }
        others += is_same ? 0 : 1;
    }
    CHECK(others <= compared / 500); // where a face is level, or larger, but for rounding
    CHECK(with_points > 4000);
    CHECK(compared > 2500);
}
