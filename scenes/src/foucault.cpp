// Scene `foucault`: Foucault's pendulum at the pole, seen from the ground that turns beneath it.
//
// The world is the ground's frame, which turns at Omega about the vertical: a centrifugal and a Coriolis force act, and
// on a bob of finite size a torque. Seen from the stars the pendulum is an ordinary spherical one (SymmetricTop), so
// the truth is that motion turned back by Omega t: orientation = Ry(-Omega t) q(t). The start, at rest on the ground,
// is a spherical pendulum that moves at Omega sideways and spins at Omega cos(tilt) about its own axis.
#include <cmath>
#include <memory>
#include <numbers>

#include <glm/geometric.hpp>

#include "pivoted_top.h"
#include "smooth_settings.h"
#include "substep/engine/forces.h"

namespace substep::detail {
namespace {

constexpr double kLength = 1.0; // m
constexpr double kMass = 1.0;   // kg

Scene make_foucault(std::span<const double> values) {
    Scene scene;
    scene.world = World(smooth_settings(1e-10));
    const double rate = values[1];
    const double tilt = std::numbers::pi - values[0];

    // Seen from the stars it turns with the ground at the start; seen from the ground it rests.
    PivotedTopDesc desc{.name = "bob",
                        .pivot = {},
                        .distance = kLength,
                        .shape = Sphere{0.08},
                        .role = NodeAppearance::Role::Bob,
                        .mass = kMass,
                        .tilt = tilt,
                        .spin = rate * std::cos(tilt),
                        .precession = rate};
    const PivotedTop seen_from_stars = add_pivoted_top(scene, desc);
    Body bob = scene.world.body(seen_from_stars.exact.body);
    bob.set_linear_velocity(glm::dvec3{0.0});
    bob.set_angular_velocity(glm::dvec3{0.0});
    scene.world.add_force_field(
        std::make_unique<RotatingFrame>(RotatingFrameDesc{.rate = {0.0, rate, 0.0}, .centre = {}, .rotation = {}}));

    PoseTruthDesc truth;
    truth.threshold = 1e-11; // 3e-13: swings do not amplify errors
    truth.visible_error = 0.04;
    truth.bodies = {{bob.id(), [inertial = seen_from_stars.exact.pose, rate](double t) {
                         const glm::dquat back =
                             detail::quaternion(std::cos(0.5 * rate * t), 0.0, -std::sin(0.5 * rate * t), 0.0);
                         const Pose pose = inertial(t);
                         return Pose{back * pose.position, back * pose.orientation};
                     }}};
    truth.channels = {position_channel(0, 0, "x"), position_channel(0, 2, "z"), position_channel(0, 1, "y")};
    scene.truth = std::make_unique<PoseTruth>(std::move(truth));
    scene.energy_scale = kMass * kGravity * kLength;
    scene.energy_scale_meaning = "work of lifting the bob from hanging to horizontal";
    scene.frames = 1800;
    scene.view = {{0.0, -0.7, 0.0}, 3.0, 0.3, 0.8};
    scene.trails = {bob.id()};
    return scene;
}

} // namespace

SceneInfo foucault_scene() {
    return {.name = "foucault",
            .title = "Foucault's pendulum",
            .description = "At the pole of a planet that turns fast the plane of swing stays with the stars.",
            .group = "pendulums",
            .has_truth = true,
            .parameters = {{.name = "angle",
                            .label = "angle",
                            .unit = "rad",
                            .value = 0.5,
                            .minimum = 0.05,
                            .maximum = 1.5,
                            .meaning = "Angle from hanging at the start, at rest on the ground."},
                           {.name = "rate",
                            .label = "rate",
                            .unit = "rad/s",
                            .value = 0.2,
                            .minimum = 0.01,
                            .maximum = 2.0,
                            .meaning =
                                "Rate of the ground; the Earth's is 7.3e-5. Above the pendulum's own it flies out."}},
            .make = make_foucault};
}

} // namespace substep::detail
