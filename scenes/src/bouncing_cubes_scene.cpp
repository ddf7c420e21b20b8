// Cubes that are dropped flat and lose nothing: after a hundred bounces of the first they are where they began.
//
// Each falls and rises as a ball does (BouncingBall), on four corners that hit at one instant, and turns evenly about
// the vertical on a floor without friction. In one cycle the first makes a hundred bounces and each one after it twenty
// less.
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "contact_motions.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/numerics/elementary_functions.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kHalf = 0.04;    // m
constexpr double kApart = 0.16;   // m
constexpr int kCubes = 2;         // the last one makes 60 bounces
constexpr int kTurns = 6;         // of the last one in a cycle; the first makes 3
constexpr int kMostBounces = 100; // in a cycle
constexpr int kFewerBounces = 40; // of each cube than of the one before

Scene make_bouncing_cubes(std::span<const double> values) {
    const double cycle = values[0];
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    const Material elastic{.friction = 0.0, .restitution = 1.0};
    add_plane(scene, 0.0, elastic);
    scene.energy_scale = 0.0;
    PoseTruthDesc truth;
    truth.bodies.push_back({scene.world.bodies().front(), [](double) { return Pose{}; }});
    for (int i = 0; i < kCubes; ++i) {
        const double flight = cycle / (kMostBounces - i * kFewerBounces); // s, from top to top
        const double drop = kGravity * flight * flight / 8.0;             // m
        const BouncingBall motion(drop, kGravity, 1.0);
        const double x = kApart * (i - 0.5 * (kCubes - 1));
        const double rate = kTwoPi * kTurns * (i + 1) / kCubes / cycle; // rad/s
        const auto pose = [=](double t) {
            return Pose{{x, kHalf + motion.at(t).height, 0.0}, glm::angleAxis(rate * t, glm::dvec3(0.0, 1.0, 0.0))};
        };
        BodyDesc cube;
        cube.mass = 1.0;
        cube.pose = pose(0.0);
        cube.angular_velocity = {0.0, rate, 0.0};
        cube.shape = Box{glm::dvec3{kHalf}};
        cube.material = elastic;
        const BodyId body = add_body(scene, "cube", cube);
        if (i == 0 || i + 1 == kCubes) {
            truth.channels.push_back({i == 0 ? "height of the first" : "height of the last", "m", truth.bodies.size(),
                                      [](const Pose& where) { return where.position.y - kHalf; }});
        }
        truth.bodies.push_back({body, pose});
        scene.energy_scale += *cube.mass * kGravity * drop;
    }
    // dormand_prince853 at 1e-13 was measured to leave 8.3e-11 m, beside the instants of hits.
    truth.threshold = 2e-10;
    truth.visible_error = 0.02;
    truth.until = cycle;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale_meaning = "potential energy of all drops, of which nothing is lost";
    scene.frames = static_cast<int>(std::ceil(60.0 * cycle));
    scene.view = {{0.0, 0.14, 0.0}, 1.1, 0.35, 0.2};
    return scene;
}

} // namespace

SceneInfo bouncing_cubes_scene() {
    return {.name = "bouncing_cubes",
            .title = "A hundred bounces",
            .description =
                "Spinning cubes dropped flat lose nothing: after a hundred bounces all are where they began.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "cycle",
                            .label = "cycle",
                            .unit = "s",
                            .value = 40.0,
                            .minimum = 20.0,
                            .maximum = 60.0,
                            .meaning =
                                "Time in which the first cube makes 100 bounces and the last one 60: the longer, the "
                                "higher they are dropped."}},
            .make = make_bouncing_cubes};
}

} // namespace substep::detail
