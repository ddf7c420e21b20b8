// Regions around solids, beside the distance that the narrow phase finds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <glm/geometric.hpp>

#include "substep/collision/ball_region.h"
#include "substep/collision/feature_contact.h"
#include "substep/collision/narrow_phase.h"

using namespace substep;
using namespace substep::detail;

TEST_CASE("the region of a ball beside a box, a hull, a capsule, a cylinder or a cone has the distance of both") {
    std::vector<glm::dvec3> prism; // of six sides; narrower at its top in one direction, so that some side faces bend
    for (int i = 0; i < 12; ++i) {
        const double angle = (i % 6) * std::numbers::pi / 3.0;
        prism.push_back({(i < 6 ? 0.5 : 0.3) * std::cos(angle), i < 6 ? -0.3 : 0.4, std::sin(angle)});
    }
    const auto hull = ConvexHull::make(prism);
    const std::size_t hull_parts = hull->faces().size() + hull->edges().size() + hull->vertices().size();
    struct Case {
        Convex solid;
        std::size_t parts; // that balls outside find
    };
    const std::vector<Case> solids{{Box{{0.3, 0.5, 0.7}}, 26}, // 6 faces, 12 edges, 8 corners
                                   {Box{{0.6, 0.0, 0.5}}, 18}, // a rectangle: two faces, and edges and corners twice
                                   {HullView{hull.get(), glm::dvec3(1.0)}, hull_parts},
                                   {HullView{hull.get(), {0.8, 1.7, 0.5}}, hull_parts},
                                   {TaperedCapsule{0.2, 0.2, 0.6}, 3}, // two ends and a side
                                   {TaperedCapsule{0.5, 0.2, 0.6}, 2}, // its ends
                                   {TaperedCapsule{0.1, 0.9, 0.3}, 1}, // a ball
                                   {TaperedCylinder{0.4, 0.4, 0.3}, 3},
                                   {TaperedCylinder{0.9, 0.4, 0.3}, 2},  // its discs
                                   {TaperedCylinder{0.0, 0.6, 0.5}, 2}}; // tip and disc
    const Convex ball = Sphere{0.1};
    unsigned state = 11;
    const auto draw = [&] {
        state = state * 1664525u + 1013904223u;
        return 1.5 * (static_cast<double>(state >> 8) / (1 << 23) - 1.0);
    };
    for (const auto& [solid, parts] : solids) {
        CAPTURE(solid.index());
        int with_region = 0;
        std::vector<Part> seen;
        for (int i = 0; i < 6000; ++i) {
            const glm::dvec3 centre(draw(), draw(), draw());
            const double expected = distance(ball, {centre}, solid, {}).distance;
            const auto part = nearest_part(solid, centre);
            if (expected < -0.09 || !part) {
                continue;
            }
            ++with_region;
            if (std::find(seen.begin(), seen.end(), *part) == seen.end()) {
                seen.push_back(*part);
            }
            const Feature feature = feature_of_region(solid, *part);
            Feature round;
            round.radius = 0.1;
            const FeatureContact contact = contact_between({round, feature}, {centre}, {});
            CHECK(std::abs(contact.gap - expected) < 1e-12);
            CHECK(std::abs(gap_between({round, feature}, centre, feature.point, feature.normal) - expected) < 1e-12);
            // On this side of the border, and beyond that of parts of other kinds.
            CHECK(distance_from_border(solid, *part, centre) >= 0.0);
            for (const Part other : seen) {
                const Feature there = feature_of_region(solid, other);
                const bool is_behind = there.kind == FeatureKind::Face && // where no ball gets that the face holds
                                       glm::dot(centre - there.point, there.normal) < 0.0;
                if (other.kind() != part->kind() && !is_behind) {
                    CHECK(distance_from_border(solid, other, centre) <= 0.0);
                }
            }
        }
        CHECK(with_region > 500);
        CHECK(seen.size() == parts);
        CHECK(std::ranges::all_of(seen, [&](Part part) { return has_region(solid, part); }));
    }
}

TEST_CASE("the contact of a point and a line changes as its difference quotients say") {
    Feature round;
    round.point = {0.1, -0.2, 0.3};
    round.radius = 0.25;
    Feature line;
    line.kind = FeatureKind::Line;
    line.point = {0.2, 0.1, -0.3};
    line.normal = glm::normalize(glm::dvec3(0.3, 0.9, -0.2));
    line.radius = 0.15;
    const FeaturePair features{round, line};
    const Placement place_0{{1.0, 0.4, 0.2}, glm::mat3_cast(glm::normalize(glm::dquat(0.9, 0.1, -0.3, 0.2)))};
    const Placement place_1{{-0.3, 0.1, 0.5}, glm::mat3_cast(glm::normalize(glm::dquat(0.4, -0.5, 0.3, 0.6)))};
    const Displacement velocity_0{{0.5, -0.3, 0.8}, {0.4, 1.1, -0.6}};
    const Displacement velocity_1{{-0.2, 0.7, 0.1}, {-0.9, 0.2, 0.5}};
    const auto moved = [](const Placement& place, const Displacement& velocity, double h) {
        const double turn = glm::length(velocity.rotation);
        return Placement{place.position + h * velocity.translation,
                         glm::mat3_cast(glm::angleAxis(h * turn, velocity.rotation / turn)) * place.rotation};
    };
    const auto at = [&](double h) {
        return contact_between(features, moved(place_0, velocity_0, h), moved(place_1, velocity_1, h));
    };
    const FeatureContact here = at(0.0);
    const FeatureContactChange change = change_of(features, here, velocity_0, velocity_1);
    constexpr double h = 1e-5;
    const FeatureContact after = at(h);
    const FeatureContact before = at(-h);
    CHECK(glm::length((after.normal - before.normal) / (2.0 * h) - change.normal) < 1e-8);
    for (std::size_t e = 0; e < 2; ++e) {
        CHECK(glm::length((after.arm[e] - before.arm[e]) / (2.0 * h) - change.arm[e]) < 1e-9);
    }
    const glm::dvec3 relative = velocity_0.at(here.arm[0]) - velocity_1.at(here.arm[1]);
    CHECK(std::abs((after.gap - before.gap) / (2.0 * h) - glm::dot(here.normal, relative)) < 1e-9);
}
