// Regions around solids, beside the distance that the narrow phase finds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <glm/geometric.hpp>

#include "substep/collision/ball_region.h"
#include "substep/collision/feature_contact.h"
#include "substep/collision/narrow_phase.h"

using namespace substep;
using namespace substep::detail;

TEST_CASE("the region of a ball beside a box, a capsule or a cylinder has the distance of both") {
    const std::vector<Convex> solids{Box{{0.3, 0.5, 0.7}}, TaperedCapsule{0.2, 0.2, 0.6}, Frustum{0.4, 0.4, 0.3}};
    const Convex ball = Sphere{0.1};
    unsigned state = 11;
    const auto draw = [&] {
        state = state * 1664525u + 1013904223u;
        return 1.5 * (static_cast<double>(state >> 8) / (1 << 23) - 1.0);
    };
    for (const Convex& solid : solids) {
        int with_region = 0;
        std::vector<Part> seen;
        for (int i = 0; i < 4000; ++i) {
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
                if (other.kind() != part->kind()) {
                    CHECK(distance_from_border(solid, other, centre) <= 0.0);
                }
            }
        }
        CHECK(with_region > 500);
        CHECK(seen.size() == (solid.index() == 2 ? 26u : 3u)); // 6 faces, 12 edges, 8 corners; two ends and a side
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
