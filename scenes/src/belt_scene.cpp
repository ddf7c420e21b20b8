// A parcel and a ball that are put on a running belt.
//
// Seen from the belt both are thrown backwards, and slide: their motion is that of a thrown block and sphere
// (RoundBodyOnSlope) with the belt's velocity added.
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "contact_motions.h"
#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kStart = -2.2;                // m, along the belt
constexpr double kRadius = 0.2;                // m
constexpr double kSideways = 0.4;              // m, of each from the middle
constexpr glm::dvec3 kParcel{0.25, 0.15, 0.2}; // m, half sizes: too flat to tip over

Scene make_belt(std::span<const double> values) {
    const double speed = values[0];
    const double friction = values[1];
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    PoseTruthDesc truth;
    Material running = rough(1.0);
    running.surface_velocity = {speed, 0.0, 0.0};
    add_plane(scene, 0.0, running);
    truth.bodies.push_back({scene.world.bodies().front(), [](double) { return Pose{}; }});
    for (const bool is_ball : {false, true}) {
        const RoundBodyOnSlope seen_from_belt({.slope = 0.0,
                                               .friction = friction,
                                               .gravity = kGravity,
                                               .lightness = is_ball ? 2.5 : 0.0, // a parcel does not turn
                                               .speed = speed});
        const glm::dvec3 start(kStart, is_ball ? kRadius : kParcel.y, is_ball ? kSideways : -kSideways);
        const auto pose = [=](double t) {
            const RoundBodyOnSlope::State back = seen_from_belt.at(t);
            const glm::dvec3 way(speed * t - back.distance, 0.0, 0.0);
            return Pose{start + way, is_ball ? turn_about_z(back.rim_path / kRadius) : kNoTurn};
        };
        BodyDesc desc;
        desc.mass = 1.0;
        desc.pose = pose(0.0);
        if (is_ball) {
            desc.shape = Sphere{kRadius};
        } else {
            desc.shape = Box{kParcel};
        }
        desc.material = rough(friction);
        const BodyId body = add_body(scene, is_ball ? "ball" : "parcel", desc);
        truth.channels.push_back({is_ball ? "ball" : "parcel", "m", truth.bodies.size(),
                                  [](const Pose& where) { return where.position.x - kStart; }});
        truth.bodies.push_back({body, pose});
        scene.trails.push_back(body);
    }
    truth.lever = kRadius;
    truth.threshold = 1e-11;
    truth.until = 4.0;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 0.5 * speed * speed;
    scene.energy_scale_meaning = "kinetic energy of a parcel that goes with the belt";
    scene.frames = 240;
    scene.view = {{0.0, 0.0, 0.0}, 6.4, 0.45, 0.35};
    return scene;
}

} // namespace

SceneInfo belt_scene() {
    return {
        .name = "belt",
        .title = "Conveyor belt",
        .description = "Put on a running belt, a parcel slides until it goes along, and a ball until it rolls.",
        .group = "contacts",
        .has_truth = true,
        .contacts = true,
        .parameters = {{.name = "speed",
                        .label = "belt's speed",
                        .unit = "m/s",
                        .value = 1.5,
                        .minimum = 0.1,
                        .maximum = 5.0,
                        .meaning = "Speed of the belt. The parcel takes it on after v/(mu g); the ball ends up at 2/7 "
                                   "of it."},
                       {.name = "friction",
                        .label = "friction",
                        .unit = "",
                        .value = 0.2,
                        .minimum = 0.02,
                        .maximum = 1.0,
                        .meaning = "Coulomb's coefficient between the belt and what is on it."}},
        .make = make_belt};
}

} // namespace substep::detail
