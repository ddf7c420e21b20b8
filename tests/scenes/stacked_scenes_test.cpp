// What stands, stands, and what falls, falls: towers, walls, dominoes and arches.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "substep/engine/automatic.h"
#include "substep/scenes/scene.h"

using namespace substep;

namespace {

Scene stack_after(const char* name, std::vector<double> values, double seconds) {
    Scene scene = make_scene(*find_scene(name), values);
    WorldSettings settings = scene.world.settings();
    settings.integrator.method = kAutoMethod;
    scene.world.set_settings(settings);
    for (int frame = 0; frame < static_cast<int>(60.0 * seconds); ++frame) {
        REQUIRE(scene.world.advance(1.0 / 60.0).status == StepStatus::ReachedTarget);
    }
    return scene;
}

double top_of(const Scene& scene) {
    double top = 0.0;
    for (const BodyId id : scene.world.bodies()) {
        const Body body = const_cast<World&>(scene.world).body(id);
        top = body.motion() == MotionType::Dynamic ? std::max(top, body.centre_of_mass().y) : top;
    }
    return top;
}

// rad, of the y axes of all bodies that move: the one that leans least and the one that leans most.
std::pair<double, double> tilts_of(Scene& scene) {
    std::pair<double, double> tilts{10.0, 0.0};
    for (const BodyId id : scene.world.bodies()) {
        const Body body = scene.world.body(id);
        if (body.motion() == MotionType::Dynamic) {
            const double up = (body.pose().orientation * glm::dvec3(0.0, 1.0, 0.0)).y;
            const double tilt = std::acos(std::clamp(up, -1.0, 1.0));
            tilts = {std::min(tilts.first, tilt), std::max(tilts.second, tilt)};
        }
    }
    return tilts;
}

} // namespace

TEST_CASE("stacks: a tower of ten and walls of 6 and of 20 rows stand, and sink by no more than contacts give way") {
    CHECK(top_of(stack_after("tower", {10.0, 0.5}, 5.0)) == doctest::Approx(4.75).epsilon(1e-3));
    CHECK(top_of(stack_after("pyramid", {6.0, 0.5}, 3.0)) == doctest::Approx(2.75).epsilon(1e-3));
    Scene pile = stack_after("pyramid", {20.0, 0.5}, 3.0);
    CHECK(top_of(pile) == doctest::Approx(9.75).epsilon(1.5e-3));
    CHECK(tilts_of(pile).second < 0.01);
    CHECK(std::ranges::any_of(pile.world.islands(),
                              [](const IslandView& island) { return island.regime == IslandRegime::Soft; }));
}

TEST_CASE("stacks: all dominoes fall if the first one does, and none if it falls back") {
    // It turns over where it has more energy about its edge than its centre rises by: from 0.86 rad/s on.
    Scene falls = stack_after("dominoes", {12.0, 0.25, 0.95}, 5.0);
    CHECK(tilts_of(falls).first > 1.2);
    Scene stays = stack_after("dominoes", {12.0, 0.25, 0.75}, 5.0);
    CHECK(tilts_of(stays).second < 0.05);
    Scene apart = stack_after("dominoes", {12.0, 0.65, 1.5}, 5.0); // the first one misses the second
    CHECK(tilts_of(apart).first < 0.01);
    CHECK(tilts_of(apart).second > 1.5);
}

TEST_CASE("stacks: a half circle of wedges stands from a tenth of its radius on, and not without friction") {
    // Couplet 1730, Heyman 1969: a thickness of 0.1075 of the middle line's radius, however many wedges it is made of.
    for (const double thickness : {0.15, 0.3}) {
        CAPTURE(thickness);
        Scene scene = stack_after("arch", {9.0, thickness, 0.8}, 3.0);
        Scene start = make_scene(*find_scene("arch"), std::vector{9.0, thickness, 0.8});
        CHECK(std::abs(top_of(scene) - top_of(start)) <= 1e-3);
    }
    CHECK(top_of(stack_after("arch", {9.0, 0.08, 0.8}, 3.0)) < 0.5);
    CHECK(top_of(stack_after("arch", {9.0, 0.3, 0.2}, 3.0)) < 0.8);
}
