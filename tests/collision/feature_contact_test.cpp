// Contacts of two features: distances, contact points, and their change against differences of nearby places.
#include <array>
#include <random>

#include <doctest/doctest.h>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>

#include "substep/collision/feature_contact.h"

using namespace substep::detail;

namespace {

class Draws {
public:
    double number(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
    glm::dvec3 vector(double size) {
        return size * glm::dvec3(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
    }
    glm::dquat turn() {
        const glm::dvec3 v = vector(1.0);
        return glm::normalize(glm::dquat(number(0.5, 1.0), v.x, v.y, v.z));
    }
    Placement placement() { return {vector(2.0), glm::mat3_cast(turn())}; }
    Displacement displacement() { return {vector(1.0), vector(1.0)}; }
    Feature rounded_point() { return {FeatureKind::Point, vector(0.5), glm::dvec3(0.0), number(0.1, 0.6)}; }
    Feature face() { return {FeatureKind::Face, vector(0.5), turn() * glm::dvec3(0.0, 1.0, 0.0), 0.0}; }
    FeaturePair pair(bool with_face) { return {rounded_point(), with_face ? face() : rounded_point()}; }

private:
    std::mt19937_64 random_{23};
};

glm::dvec3 place_of(const Feature& feature, const Placement& placement) {
    return placement.position + placement.rotation * feature.point;
}

// A placement after h times a displacement: a translation, and a turn about its origin.
Placement moved(const Placement& placement, const Displacement& displacement, double h) {
    const glm::dmat3 turn =
        glm::mat3_cast(glm::angleAxis(h * glm::length(displacement.rotation), glm::normalize(displacement.rotation)));
    return {placement.position + h * displacement.translation, turn * placement.rotation};
}

} // namespace

TEST_CASE("the gap of two rounded points is the distance of their surfaces, and the contact lies on both") {
    Draws draws;
    for (int i = 0; i < 1000; ++i) {
        const FeaturePair features = draws.pair(false);
        const std::array placements{draws.placement(), draws.placement()};
        const FeatureContact contact = contact_between(features, placements[0], placements[1]);
        const glm::dvec3 c0 = place_of(features[0], placements[0]);
        const glm::dvec3 c1 = place_of(features[1], placements[1]);
        // A few round-offs of lengths of some metres.
        CHECK(contact.gap ==
              doctest::Approx(glm::length(c0 - c1) - features[0].radius - features[1].radius).epsilon(1e-14));
        CHECK(contact.gap == gap_between(features, c0, c1, glm::dvec3(0.0)));
        CHECK(glm::length(contact.normal) == doctest::Approx(1.0).epsilon(1e-15));
        CHECK(glm::dot(contact.normal, c0 - c1) > 0.0);
        const glm::dvec3 on_1 = placements[1].position + contact.arm[1];
        CHECK(glm::length(contact.point - (placements[0].position + contact.arm[0])) == 0.0);
        CHECK(glm::length(contact.point - c0) == doctest::Approx(features[0].radius).epsilon(1e-14));
        CHECK(glm::length(on_1 - c1) == doctest::Approx(features[1].radius).epsilon(1e-14));
        CHECK(glm::length(contact.point - on_1 - contact.gap * contact.normal) < 1e-14);
    }
}

TEST_CASE("the gap of a rounded point and a face is its height above it, and the contact lies below its centre") {
    Draws draws;
    for (int i = 0; i < 1000; ++i) {
        const FeaturePair features = draws.pair(true);
        const std::array placements{draws.placement(), draws.placement()};
        const FeatureContact contact = contact_between(features, placements[0], placements[1]);
        const glm::dvec3 c0 = place_of(features[0], placements[0]);
        const glm::dvec3 on_face = place_of(features[1], placements[1]);
        const glm::dvec3 normal = placements[1].rotation * features[1].normal;
        CHECK(contact.normal == normal);
        CHECK(contact.gap == gap_between(features, c0, on_face, normal));
        CHECK(contact.gap == doctest::Approx(glm::dot(normal, contact.point - on_face)).epsilon(1e-13));
        CHECK(glm::length(contact.point - (c0 - features[0].radius * normal)) < 1e-14);
        CHECK(glm::length(contact.point - (placements[1].position + contact.arm[1])) < 1e-14);
    }
}

TEST_CASE(
    "the change of a contact is the derivative of normal and arms, and the gap changes with the points in contact") {
    Draws draws;
    constexpr double h = 1e-5; // central differences: errors of h^2 times the third derivative, and of 1e-15 / h
    for (const bool with_face : {false, true}) {
        CAPTURE(with_face);
        for (int i = 0; i < 200; ++i) {
            const FeaturePair features = draws.pair(with_face);
            const std::array placements{draws.placement(), draws.placement()};
            const std::array displacements{draws.displacement(), draws.displacement()};
            const FeatureContact contact = contact_between(features, placements[0], placements[1]);
            if (!with_face && contact.distance < 0.3) {
                continue; // the normal turns as fast as the points are close
            }
            const FeatureContact before = contact_between(features, moved(placements[0], displacements[0], -h),
                                                          moved(placements[1], displacements[1], -h));
            const FeatureContact after = contact_between(features, moved(placements[0], displacements[0], h),
                                                         moved(placements[1], displacements[1], h));
            const FeatureContactChange change = change_of(features, contact, displacements[0], displacements[1]);
            constexpr double kError = 1e-7; // third derivatives reach (2 / 0.3)^3 a unit
            CHECK(glm::length((after.normal - before.normal) / (2.0 * h) - change.normal) < kError);
            for (std::size_t e = 0; e < 2; ++e) {
                CHECK(glm::length((after.arm[e] - before.arm[e]) / (2.0 * h) - change.arm[e]) < kError);
            }
            const auto at = [&](std::size_t e) {
                return displacements[e].translation + glm::cross(displacements[e].rotation, contact.arm[e]);
            };
            CHECK(std::abs((after.gap - before.gap) / (2.0 * h) - glm::dot(contact.normal, at(0) - at(1))) < kError);
        }
    }
}

TEST_CASE("two points at the same place have a normal and no derivative of it") {
    const FeaturePair features{Feature{FeatureKind::Point, glm::dvec3(0.0), glm::dvec3(0.0), 0.5},
                               Feature{FeatureKind::Point, glm::dvec3(0.0), glm::dvec3(0.0), 0.25}};
    const FeatureContact contact = contact_between(features, Placement{}, Placement{});
    CHECK(contact.normal == glm::dvec3(0.0, 1.0, 0.0));
    CHECK(contact.gap == -0.75);
    const FeatureContactChange change =
        change_of(features, contact, {{1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}}, Displacement{});
    CHECK(change.normal == glm::dvec3(0.0));
    CHECK(change.arm[0] == glm::dvec3(0.0));
}
