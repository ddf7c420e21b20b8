// Bullets of a centimetre against plates of a millimetre that hang on hinges: none goes through.
//
// A bullet meets its plate square and in the middle, at the top of its path. The impulse of both is
// J = (1 + e) v/(1/m + r^2/I), r and I being the plate's about its hinge: behind it the bullet flies on with v - J/m
// and the plate swings as a pendulum with the rate J r/I (the ballistic pendulum: Robins, New Principles of Gunnery,
// 1742).
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "pose_truth.h"
#include "scene_parts.h"
#include "smooth_settings.h"
#include "substep/scenes/pendulum_motion.h"
#include "substep/scenes/scene.h"

namespace substep::detail {
namespace {

constexpr double kRadius = 0.005;              // m, of a bullet
constexpr double kBullet = 0.008;              // kg
constexpr glm::dvec3 kPlate{0.0005, 0.2, 0.2}; // m, half sizes
constexpr double kSteel = 7850.0;              // kg/m^3
constexpr double kHinge = 0.45;                // m, height of the hinges
constexpr double kApart = 0.55;                // m
constexpr double kFirstHit = 0.29;             // s
constexpr double kBetweenHits = 0.63;          // s

// A bullet and its plate, which meet at time `hit` (s).
void add_gong(Scene& scene, PoseTruthDesc& truth, double z, double speed, double restitution, double hit) {
    const double arm = kPlate.y; // m, from the hinge to where it is hit
    const double mass = kSteel * 8.0 * kPlate.x * kPlate.y * kPlate.z;
    const double about_centre = mass * (kPlate.x * kPlate.x + kPlate.y * kPlate.y) / 3.0;
    const double inertia = about_centre + mass * arm * arm;
    const double impulse = (1.0 + restitution) * speed / (1.0 / kBullet + arm * arm / inertia);
    const Material material{.friction = 0.0, .restitution = restitution};

    // The bullet is at the top of its path where it hits.
    const glm::dvec3 place(-(kPlate.x + kRadius), kHinge - arm, z);
    const auto bullet_pose = [=](double t) {
        const double since = t - hit;
        const double along = since < 0.0 ? speed : speed - impulse / kBullet;
        return Pose{place + glm::dvec3{along * since, -0.5 * kGravity * since * since, 0.0}, kNoTurn};
    };
    BodyDesc bullet;
    bullet.mass = kBullet;
    bullet.shape = Sphere{kRadius};
    bullet.pose = bullet_pose(0.0);
    bullet.linear_velocity = {speed, kGravity * hit, 0.0};
    bullet.material = material;
    const BodyId of_bullet = add_body(scene, "bullet", bullet, NodeAppearance::Role::Bob);
    truth.bodies.push_back({of_bullet, bullet_pose});

    const PendulumMotion swing(std::sqrt(static_cast<long double>(mass * kGravity * arm / inertia)), 0.0,
                               impulse * arm / inertia);
    const glm::dvec3 hinge_at(0.0, kHinge, z);
    const auto plate_pose = [=](double t) {
        const double angle = t < hit ? 0.0 : swing.at(t - hit).angle;
        const glm::dquat turn = turn_about_z(angle);
        return Pose{hinge_at + turn * glm::dvec3{0.0, -arm, 0.0}, turn};
    };
    BodyDesc plate;
    plate.mass = mass;
    plate.shape = Box{kPlate};
    plate.pose = plate_pose(0.0);
    plate.material = material;
    const BodyId of_plate = add_body(scene, "plate", plate);
    scene.world.create_joint(hinge(scene.world, kGround, of_plate, hinge_at, {0.0, 0.0, 1.0}));
    add_support(scene, "rail", {hinge_at, turn_about_y(1.5707963267948966)}, ThinRod{0.5 * kApart, 0.008});
    truth.channels.push_back({"plate " + std::to_string(truth.bodies.size() / 2 + 1), "rad", truth.bodies.size(),
                              [](const Pose& at) { return 2.0 * std::atan2(at.orientation.z, at.orientation.w); }});
    truth.bodies.push_back({of_plate, plate_pose});
}

Scene make_gongs(std::span<const double> values) {
    const double speed = values[0];
    const double restitution = values[1];
    Scene scene;
    scene.world = World(smooth_settings(1e-8));
    PoseTruthDesc truth;
    for (int i = 0; i < 3; ++i) {
        add_gong(scene, truth, kApart * (i - 1), speed * (i + 1) / 3.0, restitution, kFirstHit + i * kBetweenHits);
    }
    // dormand_prince853 at 1e-13 was measured to leave 5.6e-12 m: what rounding of 75 m makes of the instant of a hit.
    truth.threshold = 1e-10;
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = 0.5 * kBullet * speed * speed;
    scene.energy_scale_meaning = "kinetic energy of the fastest bullet; each hit takes nearly 1 - e^2 of its bullet's";
    scene.frames = 360;
    scene.view = {{0.0, 0.2, 0.0}, 3.2, 0.75, 0.15, false}; // bullets come from afar, and go there
    return scene;
}

} // namespace

SceneInfo gongs_scene() {
    return {.name = "gongs",
            .title = "Bullets and plates",
            .description = "Bullets hit hanging plates of a millimetre, which swing; none goes through at any speed.",
            .group = "contacts",
            .has_truth = true,
            .contacts = true,
            .parameters = {{.name = "speed",
                            .label = "speed",
                            .unit = "m/s",
                            .value = 300.0,
                            .minimum = 10.0,
                            .maximum = 1000.0,
                            .meaning =
                                "Speed of the third bullet; the others have a third and two thirds of it. In a frame "
                                "it goes 5000 times the plate's thickness at 300 m/s."},
                           {.name = "restitution",
                            .label = "restitution",
                            .unit = "",
                            .value = 0.3,
                            .minimum = 0.05,
                            .maximum = 1.0,
                            .meaning = "Speed of parting over speed of approach."}},
            .make = make_gongs};
}

} // namespace substep::detail
