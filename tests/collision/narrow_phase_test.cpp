// What holds of every pair of solids: symmetry, continuity, a normal in every pose, results that no axis changes, and
// parts that points lie on.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "solid_truth.h"
#include "substep/collision/narrow_phase.h"

using namespace substep;
using namespace substep::detail;
using namespace substep_test;

namespace {

static_assert(noexcept(collide(std::declval<const Convex&>(), std::declval<const Placement&>(),
                               std::declval<const Convex&>(), std::declval<const Placement&>(), 0.0,
                               std::declval<SeparatingAxis&>())));
static_assert(noexcept(distance(std::declval<const Convex&>(), std::declval<const Placement&>(),
                                std::declval<const Convex&>(), std::declval<const Placement&>())));

// Calls with every pair of kinds of the table, in either order.
template <class Visit>
void for_all_pairs(const Visit& visit) {
    for (std::size_t a = 0; a < kKinds; ++a) {
        for (std::size_t b = 0; b < kKinds; ++b) {
            if (a != kHalfSpace || b != kHalfSpace) {
                CAPTURE(a);
                CAPTURE(b);
                visit(a, b);
            }
        }
    }
}

double size_of(const Placed& a, const Placed& b) {
    const double ra = reach(a.solid);
    const double rb = reach(b.solid);
    return std::isinf(ra) ? rb : std::isinf(rb) ? ra : std::max(ra, rb);
}

// With a half space first or second.
void bring_near(SolidDraws& draws, Placed& a, Placed& b, double share) {
    if (std::holds_alternative<HalfSpace>(a.solid)) {
        draws.bring_near(b, a, share);
    } else {
        draws.bring_near(a, b, share);
    }
}

Separation distance_of(const Placed& a, const Placed& b) { return distance(a.solid, a.at, b.solid, b.at); }

Manifold manifold_of(const Placed& a, const Placed& b, double margin) {
    SeparatingAxis none;
    return collide(a.solid, a.at, b.solid, b.at, margin, none);
}

double least_gap(const Manifold& manifold) {
    double least = HUGE_VAL;
    for (int i = 0; i < manifold.count; ++i) {
        least = std::min(least, manifold.points[static_cast<std::size_t>(i)].gap);
    }
    return least;
}

bool is_finite(const glm::dvec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

// How far a point of the world is off the surface of what a part is.
double off_feature(const Placed& placed, Part part, const glm::dvec3& point) {
    const RoundedFeature feature = feature_of(placed.solid, part);
    const glm::dvec3 from = (point - placed.at.position) * placed.at.rotation - feature.point;
    using Kind = RoundedFeature::Kind;
    switch (feature.kind) {
    case Kind::Point:
        return std::fabs(glm::length(from) - feature.radius);
    case Kind::Segment: {
        // The closest of all balls along the segment: where the surface's normal through the point meets it.
        const double along = glm::dot(from, feature.direction);
        const double across = glm::length(from - along * feature.direction);
        const double slope = feature.size > 0.0 ? (feature.radius_at_end - feature.radius) / feature.size : 0.0;
        const double t = along + across * slope / std::sqrt(1.0 - slope * slope);
        return std::fabs(std::hypot(across, along - t) - (feature.radius + slope * t));
    }
    case Kind::Circle: {
        const double along = glm::dot(from, feature.direction);
        return std::hypot(glm::length(from - along * feature.direction) - feature.size, along);
    }
    default:
        return std::fabs(glm::dot(from, feature.direction));
    }
}

// Of a capsule's side that lies on something at an angle, points are that far within: the other end is what touches.
double tilted(const Placed& placed, const glm::dvec3& normal) {
    const TaperedCapsule* const capsule = std::get_if<TaperedCapsule>(&placed.solid);
    if (capsule == nullptr) {
        return 0.0;
    }
    const double lean = (capsule->radius_bottom - capsule->radius_top) / (2.0 * capsule->half_length);
    const double off = std::fabs(glm::dot(normal, placed.at.rotation[1])) - std::fabs(lean);
    return std::max(capsule->radius_bottom, capsule->radius_top) * off * off;
}

} // namespace

TEST_CASE("every pair of solids but two half spaces meets, in either order") {
    SolidDraws draws(1);
    for_all_pairs([&](std::size_t kind_a, std::size_t kind_b) {
        Placed a = draws.stout_solid(kind_a);
        Placed b = draws.stout_solid(kind_b);
        CHECK(can_meet(a.solid, b.solid));
        bring_near(draws, a, b, 0.1);
        const Manifold manifold = manifold_of(a, b, 0.0);
        CHECK(manifold.count >= 1);
        CHECK(least_gap(manifold) < 0.0);
        bring_near(draws, a, b, 3.0);
        CHECK(manifold_of(a, b, 0.0).count == 0);
        CHECK(distance_of(a, b).distance > 0.0);
    });
    CHECK_FALSE(can_meet(HalfSpace{}, HalfSpace{}));
}

TEST_CASE("the order of a pair turns normal, positions and parts around and changes nothing else") {
    SolidDraws draws(2);
    for_all_pairs([&](std::size_t kind_a, std::size_t kind_b) {
        for (int i = 0; i < 40; ++i) {
            Placed a = draws.stout_solid(kind_a);
            Placed b = draws.stout_solid(kind_b);
            bring_near(draws, a, b, draws.number(0.1, 1.2));
            const Separation there = distance_of(a, b);
            const Separation back = distance_of(b, a);
            const double size = size_of(a, b);
            // Between equal kinds other axes come first, and rounding is another: 1e-9 as of every distance.
            CHECK(std::fabs(there.distance - back.distance) <= (kind_a == kind_b ? 1e-9 * size : 0.0));
            if (kind_a != kind_b) {
                CHECK(there.normal == -back.normal);
                CHECK(there.positions[0] == back.positions[1]);
                CHECK(there.positions[1] == back.positions[0]);
                CHECK(there.parts.parts[0] == back.parts.parts[1]);
            } else if (there.distance > 1e-3 * size) {
                CHECK(glm::length(there.normal + back.normal) < 1e-5); // as well as the distance says
            }
            const Manifold forth = manifold_of(a, b, 0.01 * size);
            const Manifold turned = manifold_of(b, a, 0.01 * size);
            CHECK((forth.count > 0) == (turned.count > 0));
            if (kind_a != kind_b) {
                CHECK(forth.count == turned.count);
                for (std::size_t k = 0; k < static_cast<std::size_t>(forth.count); ++k) {
                    CHECK(forth.points[k].gap == turned.points[k].gap);
                    CHECK(forth.points[k].parts.parts[0] == turned.points[k].parts.parts[1]);
                }
            }
        }
    });
}

TEST_CASE("the gap changes by no more than a solid moves, through touch and deep into overlap") {
    SolidDraws draws(3);
    for_all_pairs([&](std::size_t kind_a, std::size_t kind_b) {
        for (int i = 0; i < 20; ++i) {
            Placed a = draws.stout_solid(kind_a);
            Placed b = draws.stout_solid(kind_b);
            bring_near(draws, a, b, 1.1);
            const double size = size_of(a, b);
            const Separation apart = distance_of(a, b);
            if (apart.distance <= 0.0) {
                continue;
            }
            // To where they touch, and past it, in steps of every magnitude.
            const glm::dvec3 towards = apart.normal;
            const glm::dvec3 begin = b.at.position;
            double last_gap = apart.distance;
            double last_way = 0.0;
            std::vector<double> ways{0.5 * apart.distance};
            for (const double share : {-1e-3, -1e-5, -1e-7, -1e-9, -1e-11, 0.0, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 1e-2}) {
                ways.push_back(apart.distance + share * size);
            }
            for (const double way : ways) {
                if (way <= last_way) {
                    continue;
                }
                b.at.position = begin + way * towards;
                const Separation now = distance_of(a, b);
                // Overlaps are known to 1e-8 of the size where edges are nearly parallel, else to 1e-9.
                CHECK(std::fabs(now.distance - last_gap) <= way - last_way + 1e-8 * size);
                CHECK(glm::length(now.normal) == doctest::Approx(1.0).epsilon(1e-12));
                const Manifold manifold = manifold_of(a, b, 10.0 * size);
                CHECK(least_gap(manifold) <= now.distance + (manifold.count < 4 ? 1e-8 : 1e-4) * size);
                last_gap = now.distance;
                last_way = way;
            }
        }
    });
}

TEST_CASE("solids with the same centre, parallel axes or exact touch have a normal and points") {
    SolidDraws draws(4);
    for_all_pairs([&](std::size_t kind_a, std::size_t kind_b) {
        for (int i = 0; i < 24; ++i) {
            Placed a = draws.stout_solid(kind_a);
            Placed b = i % 2 == 0 ? draws.stout_solid(kind_b) : a;
            if (kind_a != kind_b) {
                b = draws.stout_solid(kind_b);
            }
            // The same axes, or axes that lie along one another.
            const std::array<glm::dmat3, 3> turns{
                glm::dmat3(1.0), glm::mat3_cast(glm::angleAxis(std::acos(0.0), glm::dvec3(0.0, 0.0, 1.0))),
                glm::mat3_cast(glm::angleAxis(std::acos(-1.0), glm::dvec3(1.0, 0.0, 0.0)))};
            a.at = {glm::dvec3(0.0), glm::dmat3(1.0)};
            b.at = {glm::dvec3(0.0), turns[static_cast<std::size_t>(i / 2 % 3)]};
            if (i >= 6) { // side by side along an axis, touching
                const glm::dvec3 out = glm::dvec3(i % 3 == 0, i % 3 == 1, i % 3 == 2) * (i % 4 < 2 ? 1.0 : -1.0);
                const double reach_a = farthest(a, out);
                const double reach_b = farthest(b, -out);
                if (std::isfinite(reach_a) && std::isfinite(reach_b)) {
                    b.at.position = (reach_a + reach_b) * out;
                }
            }
            const double size = size_of(a, b);
            CAPTURE(i);
            const Separation found = distance_of(a, b);
            CHECK(std::isfinite(found.distance));
            CHECK(glm::length(found.normal) == doctest::Approx(1.0).epsilon(1e-12));
            CHECK(is_finite(found.positions[0]));
            CHECK(is_finite(found.positions[1]));
            CHECK(parted_along(a, b, found.normal) == doctest::Approx(found.distance).epsilon(1e-9).scale(size));
            const Manifold manifold = manifold_of(a, b, std::max(0.0, found.distance) + 1e-6 * size);
            CHECK(manifold.count >= 1);
            for (std::size_t k = 0; k < static_cast<std::size_t>(manifold.count); ++k) {
                CHECK(is_finite(manifold.points[k].positions[0]));
                CHECK(is_finite(manifold.points[k].positions[1]));
                CHECK(std::isfinite(manifold.points[k].gap));
            }
        }
    });
}

TEST_CASE("a separating axis changes no result, whatever it is") {
    SolidDraws draws(5);
    int parted = 0;
    for_all_pairs([&](std::size_t kind_a, std::size_t kind_b) {
        for (int i = 0; i < 20; ++i) {
            Placed a = draws.stout_solid(kind_a);
            Placed b = draws.stout_solid(kind_b);
            bring_near(draws, a, b, draws.number(0.3, 1.2));
            const double margin = 0.01 * size_of(a, b);
            SeparatingAxis axis;
            const Manifold without = collide(a.solid, a.at, b.solid, b.at, margin, axis);
            for (SeparatingAxis with : {axis, SeparatingAxis{draws.direction()}, SeparatingAxis{draws.direction()}}) {
                parted += with.direction != glm::dvec3(0.0) ? 1 : 0;
                const Manifold again = collide(a.solid, a.at, b.solid, b.at, margin, with);
                CHECK(again.count == without.count);
                CHECK(again.normal == without.normal);
                for (std::size_t k = 0; k < static_cast<std::size_t>(again.count); ++k) {
                    CHECK(again.points[k].gap == without.points[k].gap);
                    CHECK(again.points[k].positions == without.points[k].positions);
                    CHECK(again.points[k].parts == without.points[k].parts);
                }
            }
        }
    });
    CHECK(parted > 100);
}

TEST_CASE("points of manifolds lie on the parts that they name, one over the other along the normal") {
    SolidDraws draws(6);
    for_all_pairs([&](std::size_t kind_a, std::size_t kind_b) {
        for (int i = 0; i < 60; ++i) {
            Placed a = draws.stout_solid(kind_a);
            Placed b = draws.stout_solid(kind_b);
            bring_near(draws, a, b, draws.number(0.6, 1.1));
            const double size = size_of(a, b);
            const double margin = 0.05 * size;
            const Separation found = distance_of(a, b);
            const Manifold manifold = manifold_of(a, b, margin);
            CHECK((manifold.count > 0) == (found.distance <= margin));
            bool has_closest = manifold.count == 0;
            for (std::size_t k = 0; k < static_cast<std::size_t>(manifold.count); ++k) {
                const ManifoldPoint& point = manifold.points[k];
                CHECK(point.gap <= margin);
                CHECK(glm::length(point.positions[0] - point.positions[1] - point.gap * manifold.normal) < 1e-9 * size);
                CAPTURE(point.parts.parts[0].code());
                CAPTURE(point.parts.parts[1].code());
                CAPTURE(found.distance);
                CHECK(off_feature(a, point.parts.parts[0], point.positions[0]) <
                      2e-6 * size + tilted(a, manifold.normal));
                CHECK(off_feature(b, point.parts.parts[1], point.positions[1]) <
                      2e-6 * size + tilted(b, manifold.normal));
                has_closest =
                    has_closest || std::fabs(point.gap - found.distance) < (manifold.count < 4 ? 1e-8 : 1e-4) * size;
                for (std::size_t other = 0; other < k; ++other) {
                    CHECK_FALSE(manifold.points[other].parts.key() == point.parts.key());
                }
            }
            CHECK(has_closest);
            if (kind_a != kHalfSpace && kind_b != kHalfSpace && found.distance > 0.0) {
                CHECK(off_feature(a, found.parts.parts[0], found.positions[0]) < 1e-8 * size);
                CHECK(off_feature(b, found.parts.parts[1], found.positions[1]) < 1e-8 * size);
            }
        }
    });
}

TEST_CASE("a million metres from the origin distances are as exact as the positions") {
    SolidDraws draws(7);
    for_all_pairs([&](std::size_t kind_a, std::size_t kind_b) {
        Placed a = draws.stout_solid(kind_a);
        Placed b = draws.stout_solid(kind_b);
        bring_near(draws, a, b, 0.9);
        a.at.position = glm::round(a.at.position * 1024.0) / 1024.0; // so that moving them rounds nothing
        b.at.position = glm::round(b.at.position * 1024.0) / 1024.0;
        const Separation here = distance_of(a, b);
        const glm::dvec3 away(1048576.0, -1048576.0, 1048576.0);
        a.at.position += away;
        b.at.position += away;
        const Separation there = distance_of(a, b);
        CHECK(there.distance == here.distance);
        CHECK(there.normal == here.normal);
    });
}
