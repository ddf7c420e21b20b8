// Scenes of piles, and the house of cards: what stands, stands; what falls, stays where it was thrown; books agree.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <glm/geometric.hpp>

#include "../sanitized.h"
#include "substep/scenes/scene.h"

using namespace substep;

namespace {

Scene scene_of(const char* name, const std::vector<double>& values) { return make_scene(*find_scene(name), values); }

void advance(Scene& scene, double seconds) {
    for (int frame = 0; frame < static_cast<int>(60.0 * seconds); ++frame) {
        REQUIRE(scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
    }
}

std::vector<Body> moving(Scene& scene) {
    std::vector<Body> bodies;
    for (const BodyId id : scene.world.bodies()) {
        if (scene.world.body(id).motion() == MotionType::Dynamic) {
            bodies.push_back(scene.world.body(id));
        }
    }
    return bodies;
}

std::vector<glm::dvec3> places(Scene& scene) {
    std::vector<glm::dvec3> found;
    for (const Body& body : moving(scene)) {
        found.push_back(body.centre_of_mass());
    }
    return found;
}

// m, of all cards; the ball is the last body.
double farthest_card(const std::vector<glm::dvec3>& from, const std::vector<glm::dvec3>& to) {
    double farthest = 0.0;
    for (std::size_t i = 0; i + 1 < from.size(); ++i) {
        farthest = std::max(farthest, glm::length(to[i] - from[i]));
    }
    return farthest;
}

double after(const std::vector<double>& values, double seconds) {
    Scene scene = scene_of("card_house", values);
    const std::vector<glm::dvec3> before = places(scene);
    advance(scene, seconds);
    return farthest_card(before, places(scene));
}

} // namespace

TEST_CASE("card house: it stands until the ball comes, and then falls") {
    CHECK(after({3.0, 0.0, 0.6}, 10.0) <= 1e-3);
    Scene scene = scene_of("card_house", {3.0, 3.0, 0.6});
    const std::vector<glm::dvec3> before = places(scene);
    advance(scene, 1.4);
    CHECK(farthest_card(before, places(scene)) <= 1e-3);
    advance(scene, 2.6);
    const auto height = [](const std::vector<glm::dvec3>& of) {
        return std::ranges::max(of, {}, [](const glm::dvec3& place) { return place.y; }).y;
    };
    CHECK(height(places(scene)) < 0.5 * height(before));
}

TEST_CASE("card house: it stands from the friction on that the lean asks for, and slips below") {
    const double tangent = std::tan(20.0 * std::numbers::pi / 180.0);
    for (const double storeys : {1.0, 4.0}) {
        CAPTURE(storeys);
        CHECK(after({storeys, 0.0, tangent + 0.03}, 3.0) <= 1e-3);
        CHECK(after({storeys, 0.0, tangent - 0.03}, 3.0) >= 0.05);
    }
}

TEST_CASE("thousand: of every shape nobody gets out, all come to rest, and the floor carries their weight" *
          doctest::skip(kSanitized)) {
    constexpr double kCount = 216.0;
    for (int shape = 0; shape <= 6; ++shape) {
        CAPTURE(shape);
        Scene scene = scene_of("thousand", {kCount, static_cast<double>(shape), 0.5});
        const double half = 0.5 * 0.62 * 6.0;
        advance(scene, 6.0);
        double below = 0.0;
        double outside = 0.0;
        double kinetic = 0.0;
        for (const Body& body : moving(scene)) {
            const glm::dvec3 at = body.centre_of_mass();
            below = std::max(below, -at.y);
            outside = std::max({outside, std::abs(at.x) - half, std::abs(at.z) - half});
            const double speed = glm::length(body.linear_velocity());
            kinetic += 0.5 * speed * speed;
        }
        CHECK(below <= 0.0);
        CHECK(outside <= 0.0);
        MESSAGE("kinetic energy " << kinetic << " J");
        CHECK(kinetic <= 0.05); // of all together: few go on rolling
        double weight = 0.0;
        for (const Contact& contact : scene.world.contacts()) {
            const BodyId floor = scene.world.bodies().front();
            weight += contact.body_a == floor ? -contact.force.y : contact.body_b == floor ? contact.force.y : 0.0;
        }
        // Walls carry the rest by friction.
        MESSAGE("the floor carries " << weight / (kCount * 9.8) << " of the weight");
        CHECK(weight <= 1.01 * kCount * 9.8);
        CHECK(weight >= 0.95 * kCount * 9.8);
    }
}

TEST_CASE("avalanche: the gate holds all, lets all out, and nobody leaves the chute or gains energy" *
          doctest::skip(kSanitized)) {
    Scene scene = scene_of("avalanche", {160.0, 32.0, 0.35});
    const double c = std::cos(32.0 * std::numbers::pi / 180.0);
    const double s = std::sin(32.0 * std::numbers::pi / 180.0);
    // m down the slope from its upper end
    const auto down = [&](const glm::dvec3& at) { return 9.0 + c * (at.x + 2.0) - s * at.y; };
    const double before = scene.world.energy().total();
    double highest = before;
    const auto advance_watched = [&](double seconds) {
        for (int frame = 0; frame < static_cast<int>(60.0 * seconds); ++frame) {
            REQUIRE(scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
            highest = std::max(highest, scene.world.energy().total());
        }
    };
    advance_watched(0.75);
    for (const glm::dvec3& at : places(scene)) {
        CHECK(down(at) < 3.3);
    }
    advance_watched(5.0);
    int out = 0;
    for (const glm::dvec3& at : places(scene)) {
        out += down(at) > 3.5 ? 1 : 0;
        CHECK(at.y > 0.0);
        CHECK(at.x < 3.0);
        CHECK(std::abs(at.z) < 1.8);
    }
    MESSAGE(out << " of 160 are out");
    CHECK(out >= 152); // nineteen of twenty
    CHECK(highest <= before + 1e-3 * scene.energy_scale);
}

TEST_CASE("drum: nobody gets out, and its work is what bodies gained and what was dissipated" *
          doctest::skip(kSanitized)) {
    Scene scene = scene_of("drum", {200.0, 0.9, 0.5});
    WorldSettings settings = scene.world.settings();
    settings.energy_ledger = true;
    scene.world.set_settings(settings);
    const double before = scene.world.energy().total();
    const glm::dvec3 centre = scene.world.pose(scene.world.bodies().front()).position;
    advance(scene, 6.0);
    for (const glm::dvec3& at : places(scene)) {
        CHECK(std::hypot(at.x - centre.x, at.y - centre.y) < 2.0);
        CHECK(std::abs(at.z) < 1.0);
    }
    const EnergyLedger ledger = scene.world.energy_ledger();
    const double gained = scene.world.energy().total() - before;
    const double dissipated = -(ledger.friction + ledger.restitution + ledger.overlap);
    MESSAGE("work of the drum " << ledger.prescribed << ", gained " << gained << ", dissipated " << dissipated
                                << ", remainder " << ledger.remainder());
    CHECK(ledger.prescribed > 0.0);
    CHECK(dissipated > 0.0);
    CHECK(std::abs(gained - (ledger.prescribed - dissipated)) <= 0.02 * dissipated); // of first order in the step
}

TEST_CASE("ragdolls: joints stay closed and within their limits, nobody sinks into the ground, and energy falls" *
          doctest::skip(kSanitized)) {
    Scene scene = scene_of("ragdolls", {4.0, 0.5});
    const double before = scene.world.energy().total();
    double highest = before;
    double gap = 0.0;
    double beyond = 0.0; // rad
    for (int frame = 0; frame < 240; ++frame) {
        REQUIRE(scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
        highest = std::max(highest, scene.world.energy().total());
        for (const JointId id : scene.world.joints()) {
            gap = std::max(gap, scene.world.joint_error(id));
            for (const JointLimit& limit : scene.world.joint(id).limits) {
                const double value = scene.world.joint_value(id, limit.axis);
                beyond = std::max({beyond, limit.lower - value, value - limit.upper});
            }
        }
    }
    MESSAGE("largest gap " << gap << " m, beyond limits " << beyond << " rad");
    CHECK(gap <= 1e-3);
    CHECK(beyond <= 0.05);
    for (const glm::dvec3& at : places(scene)) {
        CHECK(at.y > 0.0);
    }
    CHECK(highest <= before + 1e-3 * scene.energy_scale);
}
